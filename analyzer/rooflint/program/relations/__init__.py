"""Relations of quantities and places: branches, other quantities, and the team that runs them."""
