"""Training curves: what of a training log goes to MLflow step by step."""

from pathlib import Path

from muver.reproduction.tracking.entry import Point
from muver.retriever.training.log import VALIDATION, read_log

# Names of logs and the groups of their curves. A point of the grid has a log of another name.
LOGS = {"training_log.jsonl": "curves", "pretraining_log.jsonl": "curves_pretraining"}
NAMES = ("loss", "cloze_loss", "masked_loss", "learning_rate", "gradient_norm")
LIMIT = 500  # steps; more than MLflow's charts draw. The whole log is kept with the run


def curves(log: Path) -> list[Point]:
    """Losses, learning rate and gradient norm by step, and recall on validation.

    Of a long training every n-th step is taken, with the last one; of the validations all. Names
    begin with ``curves/``, those of the encoder's pre-training with ``curves_pretraining/``.
    """
    steps, validations = [], []
    for line in read_log(log):
        (steps if "loss" in line else validations).append(line)
    stride = -(-len(steps) // LIMIT) or 1
    thinned = steps[::-1][::stride][::-1]
    group = LOGS.get(log.name, "curves")
    return [
        Point(f"{group}/{name}", line["step"], value)
        for line in thinned + validations
        for name, value in line.items()
        if name in NAMES or name.startswith(VALIDATION)
    ]
