"""Compares each part of our pipeline with recordings of the released system."""
