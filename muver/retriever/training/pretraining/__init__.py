"""Pre-train an encoder on the training worlds' texts: masked words and inverse cloze."""
