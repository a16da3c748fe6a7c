"""Vectors of views and mentions on disk: encoders write them, retrieval reads them."""
