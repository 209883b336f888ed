"""Measures the computer it runs on: ``probe_host``.

Small benchmarks in C (``probe.c``) are compiled by the user's compiler for this very computer and
run, one thread pinned to a core; shapes come from the Linux kernel.
"""
