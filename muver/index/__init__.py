"""Indexes over knowledge bases of one's own, and the mentions that are looked up in them."""
