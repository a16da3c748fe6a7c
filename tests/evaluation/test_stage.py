"""The evaluate stage: its file, and runs it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from muver.errors import InputError
from muver.evaluation.stage import evaluate

Stage = Callable[..., dict[str, Any]]
MADE = {"split": "test", "k": 3, "match": "title", "aggregate": "max", "memory_mb": 256}
ROW = {"seed": 1, "retrieve": {"k": 3, "match": "title", "aggregate": "max"}}


@pytest.fixture
def run_stage(corpus: Path, tiny: SimpleNamespace) -> Stage:
    """Write a run with its manifest, score it and read the evaluation."""

    def stage(
        made=MADE, row: Any = ROW, cutoffs=(1, 2, 3), dataset="tiny", encoder: Path | None = None
    ) -> dict[str, Any]:
        (corpus / "s.json").write_text(json.dumps({"settings": made}))
        evaluate(
            "s",
            dataset,
            tiny.save_run(corpus / "s.parquet", tiny.ranked),
            corpus / "s.json",
            corpus / "entities.parquet",
            corpus / "mentions.parquet",
            corpus / "counts.json",
            corpus / "out.json",
            {"cutoffs": list(cutoffs), "row": row},
            encoder,
        )
        return json.loads((corpus / "out.json").read_text())

    return stage


def test_file(run_stage: Stage):
    found = run_stage()
    assert list(found) == [
        "system", "dataset", "fingerprint", "settings", "cutoffs", "mentions", "hits", "micro",
        "macro", "worlds",
    ]  # fmt: skip
    assert found["settings"] == ROW
    assert found["fingerprint"] == "f00d"
    assert found["hits"] == {"1": 2, "2": 3, "3": 4}


def test_encoder_joins_the_settings_of_rows_with_a_model(run_stage: Stage, corpus: Path):
    (corpus / "start.json").write_text('{"identity": {"name": "scratch"}}')
    row = {**ROW, "model": {"score": "max"}}
    found = run_stage(row=row, encoder=corpus / "start.json")
    assert found["settings"] == {**row, "encoder": {"name": "scratch"}}
    assert run_stage(encoder=corpus / "start.json")["settings"] == ROW  # BM25 has none


@pytest.mark.parametrize("key", ["match", "aggregate"])
def test_run_of_other_parameters_is_refused(run_stage: Stage, corpus: Path, key: str):
    other = {**MADE, key: "id" if key == "match" else "softmax_sum"}
    with pytest.raises(InputError, match=f"from other parameters: made with {key} = "):
        run_stage(made=other)
    assert not (corpus / "out.json").exists()


def test_setting_the_run_does_not_know_is_refused(run_stage: Stage):
    row = {"retrieve": {**ROW["retrieve"], "merge_layers": 4}}
    with pytest.raises(InputError, match="made with merge_layers = 'unset', asked for 4"):
        run_stage(row=row)


def test_cutoff_beyond_the_candidates_is_refused(run_stage: Stage):
    with pytest.raises(InputError, match="holds 3 candidates a mention, recall@64 needs 64"):
        run_stage(cutoffs=(1, 64))


@pytest.mark.parametrize("cutoffs", [(), (0, 1), (2, 1), (1, 1), (1.5,), (True,)])
def test_senseless_cutoffs_are_refused(run_stage: Stage, cutoffs):
    with pytest.raises(InputError, match="cutoffs must"):
        run_stage(cutoffs=cutoffs)


def test_row_is_needed(run_stage: Stage):
    with pytest.raises(InputError, match=r"row\.retrieve"):
        run_stage(row={"seed": 1})


def test_counts_of_another_dataset_are_refused(run_stage: Stage):
    with pytest.raises(InputError, match="counts of 'tiny', expected 'zeshel'"):
        run_stage(dataset="zeshel")


def test_split_without_mentions_is_refused(run_stage: Stage):
    with pytest.raises(InputError, match="no mentions in split 'val'"):
        run_stage(made={**MADE, "split": "val"})


def test_mentions_that_do_not_meet_the_counts_are_refused(run_stage: Stage, corpus: Path):
    counts = json.loads((corpus / "counts.json").read_text())
    counts["mentions"]["test"] = 5
    (corpus / "counts.json").write_text(json.dumps(counts))
    with pytest.raises(InputError, match="4 mentions in split 'test', .* counts 5"):
        run_stage()
