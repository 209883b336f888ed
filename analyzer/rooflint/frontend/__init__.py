"""Reads C and C++ through libclang into the IR; nothing of clang leaves this package."""
