"""Run files, ours and TREC's: retrieval writes them, evaluation reads them."""
