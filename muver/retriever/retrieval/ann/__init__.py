"""Retrieval among millions of entities: views in shards on disk, searched exactly or by faiss."""
