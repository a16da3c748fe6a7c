"""The evaluate stage: its file, and runs it refuses."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.typed import read
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.evaluation.recall import candidates, read_ranks
from muver.retriever.evaluation.records import Scoring
from muver.retriever.evaluation.stage import evaluate
from tests.retriever.evaluation.conftest import RANKED, save_run

Stage = Callable[..., dict[str, Any]]
MADE = {"split": "test", "k": 3, "match": "title", "aggregate": "max", "memory_mb": 256}
ROW = {"seed": 1, "retrieve": {"k": 3, "match": "title", "aggregate": "max"}}


@pytest.fixture
def run_stage(corpus: Path) -> Stage:
    """Write a run with its manifest, score it and read the evaluation."""

    def stage(
        made=MADE,
        row: Any = ROW,
        cutoffs=(1, 2, 3),
        dataset="tiny",
        name="test",
        encoder: Sequence[Path] = (),
        choice: Path | None = None,
        out: str = "out.json",
        trec: bool = False,
        kb: Path | None = None,
        **manifest: Any,
    ) -> dict[str, Any]:
        (corpus / "s.json").write_text(json.dumps({"settings": made, **manifest}))
        evaluate(
            "s",
            dataset,
            name,
            save_run(corpus / "s.parquet", RANKED),
            corpus / "s.json",
            corpus / "mentions.parquet",
            corpus / out,
            read(Scoring, {"cutoffs": list(cutoffs), "resample": "documents", "row": row}),
            corpus / "entities.parquet",
            corpus / "sentences.parquet",
            corpus / "counts.json",
            kb=kb,
            encoder=encoder,
            choice=choice,
            trec=trec,
        )
        return json.loads((corpus / out).read_text())

    return stage


def test_file(run_stage: Stage):
    found = run_stage()
    assert list(found) == [
        "system", "dataset", "set", "fingerprint", "identified_as", "kb", "outside",
        "matched_by_title", "settings", "precision", "cutoffs", "resample", "mentions", "hits",
        "micro", "macro", "worlds", "interval", "views_per_entity", "index",
        "model", "run_sha256", "chosen", "model_chosen", "own_page_first",
    ]  # fmt: skip
    assert found["settings"] == ROW
    assert found["precision"] == {}
    assert found["fingerprint"] == "f00d"
    assert found["hits"] == {"1": 2, "2": 3, "3": 4}
    assert found["worlds"]["vale"] == {
        "mentions": 1,
        "hits": {"1": 1, "2": 1, "3": 1},
        "recall": {"1": 100.0, "2": 100.0, "3": 100.0},
        "interval": {"1": [100.0, 100.0], "2": [100.0, 100.0], "3": [100.0, 100.0]},
    }
    assert list(found["interval"]) == ["micro", "macro"]
    assert found["interval"]["micro"]["1"] == [25.0, 100.0]  # reef 0 to 3 of 3, vale always 1
    assert found["interval"]["micro"]["3"] == [100.0, 100.0]


def stand_on(corpus: Path, *pages: str) -> None:
    """Put the mentions m0 to m4 on these pages."""
    path = corpus / "mentions.parquet"
    table = read_mentions(path)
    place = table.schema.get_field_index("document")
    pq.write_table(table.set_column(place, "document", pa.array(pages)), path)


def test_mentions_whose_own_page_comes_first(run_stage: Stage, corpus: Path):
    assert run_stage()["own_page_first"] is None  # the pages of these mentions are no entities
    # m1's first candidate is its page, m2's is not, m3's has the title of its page.
    stand_on(corpus, "reef0", "reef0", "reef1", "reef2", "elsewhere")
    assert run_stage()["own_page_first"] == 2


def test_documents_are_resampled_whole(run_stage: Stage, corpus: Path):
    stand_on(corpus, *["one"] * 5)  # one document a world: all resamples are alike
    assert run_stage()["interval"]["micro"]["1"] == [50.0, 50.0]


def test_ranks_beside_it(run_stage: Stage, corpus: Path):
    run_stage()
    ranks = read_ranks(corpus / "out.parquet")
    assert candidates(ranks) == 3
    assert ranks.to_pydict() == {
        "mention_id": ["m1", "m2", "m3", "m4"],
        "world": ["reef", "reef", "reef", "vale"],
        "document": [f"page of m{n}" for n in (1, 2, 3, 4)],
        "rank": [1, 2, 3, 1],
        "sentences": [3, 7, 101, 5],
    }


def test_trec_files_where_asked_for(run_stage: Stage, corpus: Path):
    run_stage()
    assert not list(corpus.glob("**/*.qrels"))
    run_stage(trec=True)
    assert (corpus / "out.qrels").is_file() and (corpus / "out.run").is_file()


def test_views_per_entity(run_stage: Stage):
    assert run_stage()["views_per_entity"] is None  # of a run made before they were counted
    assert run_stage(counts=None)["views_per_entity"] is None  # of BM25
    assert run_stage(counts={"entities": 8, "views": 20})["views_per_entity"] == 2.5


def test_same_input_same_bytes(run_stage: Stage, corpus: Path):
    def outputs() -> list[bytes]:
        run_stage(trec=True)
        ends = ("json", "parquet", "run", "qrels")
        return [(corpus / f"out.{end}").read_bytes() for end in ends]

    assert outputs() == outputs()


def test_encoders_join_the_settings_of_a_row(run_stage: Stage, corpus: Path):
    """Those of its parts too, so that a fusion with another encoder is another row."""
    (corpus / "start.json").write_text('{"identity": {"name": "scratch"}}')
    (corpus / "other.json").write_text('{"identity": {"name": "other"}}')
    own = {"encoder": {"name": "scratch"}}
    assert run_stage(encoder=[corpus / "start.json"])["settings"] == {**ROW, **own}
    both = run_stage(encoder=[corpus / "start.json", corpus / "other.json"])["settings"]
    assert both == {**ROW, **own, "further_encoders": [{"name": "other"}]}


def test_which_of_several_models_was_chosen(run_stage: Stage, corpus: Path):
    log = corpus / "training_log.jsonl"
    note = {"chosen": "b", "validation_recall_at_16_of": {"a": 50.0, "b": 60.0}}
    log.write_text(f'{{"step": 1, "loss": 2.0}}\n{json.dumps(note)}\n')
    row = {**ROW, "model": {"best_of": {"a": {"pooling": "auto"}, "b": {"pooling": "span"}}}}
    encoder = corpus / "start.json"
    encoder.write_text('{"identity": {"vectors": {"pooling": "cls"}}}')
    assert run_stage(row=row, encoder=[encoder], choice=log)["model_chosen"] == {
        "setting": "model",
        "value": "b (pooling span)",
        "among": ["a (pooling cls)", "b (pooling span)"],
        "cutoff": 16,
    }
    log.write_text('{"step": 1, "loss": 2.0}\n')
    with pytest.raises(InputError, match=r"training_log\.jsonl: does not say which model"):
        run_stage(row=row, encoder=[encoder], choice=log)


def test_precision_of_a_row_that_is_not_in_fp32(run_stage: Stage):
    found = run_stage(row={**ROW, "model": {"precision": "fp32"}, "precision": "bf16"})
    assert found["precision"] == {"encoding": "bf16"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"row": {"seed": 1}}, r"row\.retrieve"),
        ({"cutoffs": (1, 64)}, "holds 3 candidates a mention, recall@64 needs 64"),
        ({"cutoffs": ()}, "cutoffs"),
        ({"cutoffs": (0, 1)}, "cutoffs"),
        ({"cutoffs": (2, 1)}, "cutoffs must increase"),
        ({"cutoffs": (1, 1)}, "cutoffs has 1 twice"),
        ({"name": "val"}, "no mentions in split 'val'"),
        ({"out": "s.json"}, "its ranks would overwrite"),
        ({"out": "out.parquet"}, "its ranks would overwrite"),
    ],
)
def test_what_does_not_fit_is_refused(run_stage: Stage, corpus: Path, given, message: str):
    with pytest.raises(InputError, match=message):
        run_stage(**given)
    assert not (corpus / "out.json").exists()
