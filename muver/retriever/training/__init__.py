"""Train the two towers: batches, scores, loss, gradient caching, the loop."""
