"""What each system offers to confine a process."""
