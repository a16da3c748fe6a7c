"""Run files, ours and TREC's, which retrieval writes and evaluation reads."""
