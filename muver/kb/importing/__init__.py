"""Canonical knowledge bases: `muver kb import` makes them from files of many forms."""
