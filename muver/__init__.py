"""MuVER: multi-view entity retrieval, reproduced as a workflow and usable as a library."""

__version__ = "0.1.0"
