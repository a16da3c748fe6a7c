"""Thinning a training log."""

import json
from pathlib import Path

import pytest

from muver.reproduction.tracking.curves import LIMIT, curves
from muver.reproduction.tracking.entry import Point


def test_what_is_taken_of_a_line(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    lines = [
        {"step": 1, "epoch": 1, "loss": 2.0, "learning_rate": 0.1, "gradient_norm": 3.0},
        {"step": 1, "epoch": 1, "validation_recall_at_64": 50.0},
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert curves(log) == [
        Point("curves/loss", 1, 2.0),
        Point("curves/learning_rate", 1, 0.1),
        Point("curves/gradient_norm", 1, 3.0),
        Point("curves/validation_recall_at_64", 1, 50.0),
    ]


def test_curves_of_pre_training_stand_under_their_own_names(tmp_path: Path):
    log = tmp_path / "pretraining_log.jsonl"
    log.write_text('{"step": 1, "loss": 5.0, "cloze_loss": 2.0, "masked_loss": 3.0}\n')
    assert curves(log) == [
        Point("curves_pretraining/loss", 1, 5.0),
        Point("curves_pretraining/cloze_loss", 1, 2.0),
        Point("curves_pretraining/masked_loss", 1, 3.0),
    ]


@pytest.mark.parametrize(
    ("steps", "taken", "first"),
    [(0, 0, None), (1, 1, 1), (LIMIT, LIMIT, 1), (LIMIT + 1, 251, 1), (3 * LIMIT, LIMIT, 3)],
)
def test_long_curves_are_thinned_and_keep_their_end(
    tmp_path: Path, steps: int, taken: int, first: int | None
):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f'{{"step": {n}, "loss": {n}}}\n' for n in range(1, steps + 1)))
    found = [point.step for point in curves(log)]
    assert len(found) == taken
    assert found == sorted(found)
    assert found[:1] == ([] if first is None else [first])
    assert found[-1:] == ([] if first is None else [steps])
