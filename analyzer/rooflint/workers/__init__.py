"""Keeps what reads untrusted source in processes that can do no harm."""
