"""Indexes of one's own knowledge base: made without training, changed entity by entity."""
