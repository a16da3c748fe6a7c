"""What MLflow is told of a row."""

from muver.tracking.describe import (
    VALUE_LIMIT,
    against,
    metrics,
    parameters,
    tags,
    worlds_csv,
)

EVALUATION = {
    "system": "muver",
    "dataset": "tiny",
    "fingerprint": "f00d",
    "settings": {"seed": 1},
    "cutoffs": [1, 64],
    "mentions": 4,
    "hits": {"1": 1, "64": 4},
    "micro": {"1": 25.0, "64": 100.0},
    "macro": {"1": 100 / 6, "64": 100.0},
    "interval": {"micro": {"1": [0.0, 75.0], "64": [100.0, 100.0]}, "macro": {}},
    "views_per_entity": None,
    "worlds": {
        "lego": {"mentions": 3, "hits": {"1": 1, "64": 3}, "recall": {"1": 100 / 3, "64": 100.0}},
        "c#/d": {"mentions": 1, "hits": {"1": 0, "64": 1}, "recall": {"1": 0.0, "64": 100.0}},
    },
}


def test_parameters_are_flat_texts():
    settings = {
        "model": {"views": {"kind": "sentences"}, "training": {}},
        "rate": 1e-05,
        "long": "x" * 7000,
        "on": True,
    }
    assert parameters(settings) == {
        "model.views.kind": "sentences",
        "model.training": "{}",
        "rate": "1e-05",
        "long": "x" * VALUE_LIMIT,
        "on": "true",
    }


def test_metric_names_are_legal_and_sort_by_cutoff():
    found = metrics(EVALUATION)
    assert found == {
        "recall_at_01": 25.0,
        "recall_at_64": 100.0,
        "macro/recall_at_01": 100 / 6,
        "macro/recall_at_64": 100.0,
        "low/recall_at_01": 0.0,
        "low/recall_at_64": 100.0,
        "high/recall_at_01": 75.0,
        "high/recall_at_64": 100.0,
        "world_lego/recall_at_01": 100 / 3,
        "world_lego/recall_at_64": 100.0,
        "world_c__d/recall_at_01": 0.0,
        "world_c__d/recall_at_64": 100.0,
    }


def test_views_per_entity_where_there_are_any():
    assert metrics({**EVALUATION, "views_per_entity": 7.5})["views_per_entity"] == 7.5


def test_against_published_numbers():
    row = {
        "paper": {"1": 30.0, "64": None},
        "difference": {"1": -5.0, "64": None},
        "verdict": {"1": "near", "64": None},
        "readme": {"64": 99.0},
        "readme_difference": {"64": 1.0},
        "readme_verdict": {"64": "reproduced"},
    }
    numbers, verdicts = against(row, 2)
    assert numbers == {
        "paper/recall_at_01": 30.0,
        "difference/recall_at_01": -5.0,
        "readme/recall_at_64": 99.0,
        "readme_difference/recall_at_64": 1.0,
    }
    assert verdicts == {"verdict_at_01": "near", "readme_verdict_at_64": "reproduced"}
    assert against({"paper": None, "difference": None, "verdict": None}, 2) == ({}, {})


def test_tags():
    found = tags(EVALUATION, "MuVER")
    assert (found["method"], found["system"], found["dataset"]) == ("MuVER", "muver", "tiny")
    assert found["data_fingerprint"] == "f00d"
    assert len(found["config_hash"]) == 12
    assert "precision" not in found
    settings = {"model": {"precision": "bf16"}, "precision": "fp32"}
    assert tags({**EVALUATION, "settings": settings}, "m")["precision"] == "training bf16"


def test_worlds_csv():
    assert worlds_csv(EVALUATION) == (
        "world,mentions,R@1,R@64\nlego,3,33.33,100.00\nc#/d,1,0.00,100.00\n"
    )
