"""Signatures of functions as their file declares them, for whoever builds a call of one."""
