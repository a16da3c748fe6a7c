"""Retrieval: rank the entities of each mention's world (a run)."""
