"""Child processes that read untrusted source: what they can do, and what passes between them."""
