"""Benchmarks to run by hand: ``python -m benchmarks`` (see README.md)."""
