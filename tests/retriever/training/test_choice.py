"""The choice among trained models: by validation alone, the first of equals."""

import json

import pytest

from muver.io.errors import InputError
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.evaluation.choice import chosen_model
from muver.retriever.training.choice import choose


def make(folder, recalls):
    for name in MODEL_FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name} of {folder.name}")
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


def test_another_cutoff_a_damaged_log_and_none(tmp_path):
    model = make(tmp_path / "a", [10.0])
    with pytest.raises(InputError, match="no validation_recall_at_8"):
        choose([("a", model)], 8, tmp_path / "out")
    (model / "training_log.jsonl").write_text("{")
    with pytest.raises(InputError, match="line 1: expected a JSON object"):
        choose([("a", model)], 4, tmp_path / "out")
    with pytest.raises(InputError, match="cannot be read as a training log"):
        choose([("b", tmp_path / "b")], 4, tmp_path / "out")
    assert not (tmp_path / "out").exists()
