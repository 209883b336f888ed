"""Files of the project that define functions which a measured one calls."""
