"""Trees of libclang as functions of the IR."""
