"""Comparing our pipeline, part by part, with recordings of the released system."""
