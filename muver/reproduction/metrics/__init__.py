"""Writes results for DVC: numbers by row for its metrics, points for its plots."""
