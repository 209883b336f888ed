"""BLAKE2 as Python itself has it: ``hashlib`` would load OpenSSL first, which takes 3 ms."""

try:
    from _blake2 import blake2b
except ImportError:  # another implementation of Python
    from hashlib import blake2b

__all__ = ["blake2b"]
