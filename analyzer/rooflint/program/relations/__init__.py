"""Relations of quantities: branches that they decide, and other quantities that rest on them."""
