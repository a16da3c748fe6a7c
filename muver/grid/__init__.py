"""The grid over hyper-parameters of the paper's appendix, scored on validation."""

from muver.grid.points import HYPERPARAMETERS, points

__all__ = ["HYPERPARAMETERS", "points"]
