"""The means of each system to confine a process."""
