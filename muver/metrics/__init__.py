"""The results as DVC reads them: numbers by row for its metrics, points for its plots."""
