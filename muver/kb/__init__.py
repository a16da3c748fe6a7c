"""Canonical knowledge bases: what `muver kb import` makes of the forms people have theirs in."""
