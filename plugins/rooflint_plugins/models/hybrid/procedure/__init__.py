"""Procedures of loads, kernels and stores: their records, and files that state them."""
