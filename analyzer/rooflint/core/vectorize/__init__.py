"""Whether and how a compiler vectorizes a loop, and whether that pays."""
