"""The version, which stands in whatever is written."""

__version__ = "0.1.1"
