"""Other arithmetic for the same numbers: cheaper operations, and sums in another order."""
