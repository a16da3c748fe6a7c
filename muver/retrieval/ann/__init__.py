"""Retrieval among millions of entities: shards of views on disk, exact or by a faiss index."""
