"""Files as a compiler of the environment makes code of them, run because the user asked."""
