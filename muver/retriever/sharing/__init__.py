"""Models and indexes that travel: as sentence-transformers has them, and by way of the hub."""
