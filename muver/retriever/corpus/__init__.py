"""Entities and mentions: downloading, reading and checking them, and their canonical tables."""
