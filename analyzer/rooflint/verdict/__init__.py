"""One verdict for each loop, so that every door says the same of it."""
