"""Runs on disk, ours and TREC's: what retrieval writes, and evaluation and others read."""
