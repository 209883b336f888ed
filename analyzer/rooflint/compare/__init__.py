"""Two trees, commits or machines side by side."""
