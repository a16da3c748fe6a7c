"""Vectors on disk, of views and of mentions: what encoders write and retrieval reads."""
