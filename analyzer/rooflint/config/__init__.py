"""What users set: configuration files, comments in source, thresholds of the lint."""
