"""Training logs, and the choice by them: by validation alone, the first of equals."""

import json
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.training.log import choose, chosen_model, kept_validation, read_log
from tests.reproduction.grid.conftest import write_log


def test_the_first_step_with_the_greatest_recall(tmp_path: Path):
    log = write_log(tmp_path / "log.jsonl", (10.0, 40.0, 40.0, 30.0))
    assert kept_validation(log, 8) == (40.0, 4)
    assert [line["step"] for line in read_log(log)] == [1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 8]


def test_the_last_state_where_it_was_kept(tmp_path: Path):
    log = write_log(tmp_path / "log.jsonl", (10.0, 40.0, 30.0))
    log.write_text(log.read_text() + '{"last_step": 6, "last_validation_recall_at_8": 30.0}\n')
    assert kept_validation(log, 8) == (30.0, 6)


STEP = '{"step": 1, "loss": 2.0}\n'


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (None, "no such file. Run the training again"),
        (STEP + '{"step": 1\n', "not a training log"),
        (STEP + '{"step": 1, "validation_recall_at_8": 9.0}\n', "no validation_recall_at_64"),
    ],
)
def test_what_is_no_log_with_this_cutoff(tmp_path: Path, content: str | None, named: str):
    log = tmp_path / "log.jsonl"
    if content:
        log.write_text(content)
    with pytest.raises(InputError, match=rf"log\.jsonl.*{named}"):
        kept_validation(log, 64)


def make(folder, recalls):
    for name in MODEL_FILES:
        write_text(folder / name, f"{name} of {folder.name}")
    lines = [{"step": 1, "loss": 2.0}]
    lines += [{"step": n, "validation_recall_at_4": r} for n, r in enumerate(recalls, start=1)]
    (folder / "training_log.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    return folder


def test_the_best_checkpoint_of_each_counts_and_the_first_of_equals_wins(tmp_path):
    models = {
        name: make(tmp_path / f"{name}-key", recalls)
        for name, recalls in {"a": [50.0, 10.0], "b": [20.0, 60.0], "c": [60.0, 0.0]}.items()
    }
    choose(models.items(), 4, tmp_path / "out")
    assert (tmp_path / "out" / "muver.json").read_text() == "muver.json of b-key"
    assert all((tmp_path / "out" / name).is_file() for name in MODEL_FILES)
    log = (tmp_path / "out" / "training_log.jsonl").read_text().splitlines()
    assert json.loads(log[-1]) == {
        "chosen": "b",
        "validation_recall_at_4_of": {"a": 50.0, "b": 60.0, "c": 60.0},
    }
    assert len(log) == 4
    row = {"model": {"best_of": {name: {"pooling": "cls"} for name in models}}}
    found = chosen_model(tmp_path / "out" / "training_log.jsonl", row)
    assert found.value == "b (pooling cls)" and found.cutoff == 4
