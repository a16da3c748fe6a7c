"""Estimates before a run begins: the time, memory and disk that its jobs take."""
