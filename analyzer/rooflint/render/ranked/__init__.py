"""One screen for a run: where the time goes, what limits it, what to do and what that brings."""
