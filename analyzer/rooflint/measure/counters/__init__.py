"""Hardware counters: what a tool of the system counts while a measured process runs."""
