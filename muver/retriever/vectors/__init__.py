"""Vectors of views and mentions on disk, which encoders write and retrieval reads."""
