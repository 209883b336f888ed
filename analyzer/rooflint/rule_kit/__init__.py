"""Questions that several rules ask of a kernel, each with one answer."""
