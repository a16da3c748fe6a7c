"""Indexes inside of other programs, a module each; their packages are optional."""
