"""Host and coprocessors behind a channel: what a procedure can reach, and what would balance it."""
