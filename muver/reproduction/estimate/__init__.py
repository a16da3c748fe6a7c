"""Estimates before a run begins: the time that its jobs take."""
