"""The two towers: their vocabulary, their weights, and encoding in bulk."""
