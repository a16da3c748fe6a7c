"""Scoring of runs. Only runs and gold entities are read here, never a model."""
