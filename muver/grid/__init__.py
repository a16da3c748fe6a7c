"""The appendix's grid over hyper-parameters: its points, their validation scores, the table."""

from muver.grid.points import HYPERPARAMETERS, points

__all__ = ["HYPERPARAMETERS", "points"]
