"""Texts for a knowledge base's entities from BLINK, whose published numbers were made with them."""
