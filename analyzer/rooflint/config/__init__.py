"""Settings of users: configuration files, comments in source, thresholds of the lint."""
