"""Texts of a knowledge base's entities from elsewhere: BLINK's, which its numbers are made with."""
