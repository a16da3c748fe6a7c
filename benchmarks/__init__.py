"""Measurements by hand: ``python -m benchmarks`` (README.md beside this file)."""
