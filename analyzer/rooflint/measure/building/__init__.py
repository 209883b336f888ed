"""Parts of a build: its folder and compilers, and the functions that other files define."""
