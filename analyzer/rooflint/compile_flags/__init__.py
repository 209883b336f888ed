"""Which files a run analyses, and with which compiler flags."""
