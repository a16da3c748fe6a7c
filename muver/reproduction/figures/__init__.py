"""Figures: their numbers as CSV and JSON, their drawings as SVG and PNG."""
