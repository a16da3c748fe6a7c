"""The two towers: their vocabulary, their weights, and how they encode in bulk."""
