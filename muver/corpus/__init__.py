"""Entities and mentions: where they come from, how they are read, the one form they take."""
