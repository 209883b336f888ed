"""Child processes that read untrusted source: confinement, limits and messages."""
