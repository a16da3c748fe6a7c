"""The grid over hyper-parameters of the paper's appendix, scored on validation."""

from muver.reproduction.grid.points import HYPERPARAMETERS, Trial, points, trials

__all__ = ["HYPERPARAMETERS", "Trial", "points", "trials"]
