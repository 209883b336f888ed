"""Programs that are solved, and what is left of that after an edit."""
