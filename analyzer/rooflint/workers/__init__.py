"""Child processes and what passes between them and this one."""
