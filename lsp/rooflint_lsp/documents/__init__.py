"""Open documents: their text and settings, and the analysis that follows their edits."""
