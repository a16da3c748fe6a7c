"""Retrieval: mentions in, ranked entities of their worlds out (a run)."""
