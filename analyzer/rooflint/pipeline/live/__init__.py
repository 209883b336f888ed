"""The analysis of buffers that an editor changes, in a child that stays."""
