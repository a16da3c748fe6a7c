"""In-KB evaluation: recall by hand, with gold outside the knowledge base, and what is refused.

Five mentions over ten entities, three candidates each. Ranks of the gold entities: m1 1, m2 (found
by title only) 3, m4 none, m5 2; the gold of m3 is outside the knowledge base.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muver.cli import main
from muver.io.files import sha256_of, write_json
from muver.io.parquet import table_of, write_table
from muver.retriever.corpus.schema import LINKED_MENTIONS
from muver.retriever.evaluation.recall import candidates, read_ranks
from tests.runs import write_run

GOLD = {"m1": (4, "id"), "m2": (7, "title"), "m3": (None, "none"), "m4": (0, "id"), "m5": (9, "id")}
RANKED = {"m1": [4, 1, 2], "m2": [1, 2, 7], "m3": [0, 1, 2], "m4": [5, 6, 7], "m5": [0, 9, 1]}
ROW = {"seed": 1, "retrieve": {"k": 3, "match": "id"}}
AGREED = {
    "k": 3, "mentions": 5, "recall": 0.999, "best": {"found": 0.998}, "knob": "nprobe",
    "effort": 16, "rescore": True,
}  # fmt: skip
INDEX = {"index": "IVF4,SQ8", "built": {"factory": "ivf_sq8", "lists": 4}, "agreement": AGREED}
Evaluate = Callable[..., int]


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Write a set, a knowledge base and a run, and score it by the command."""

    def command(index: dict[str, Any] | None = None, **settings: Any) -> int:
        base = {"entities": 10, "fingerprint": "kb", "identified_as": None}
        write_json(tmp_path / "kb" / "manifest.json", base)
        rows = [
            (mention, "msnbc", "wikipedia", None, "", "", "", gold, "", matched)
            for mention, (gold, matched) in GOLD.items()
        ]
        mentions = tmp_path / "mentions.parquet"
        write_table(mentions, table_of(LINKED_MENTIONS, zip(*rows, strict=True)))
        report = {
            "settings": {"context_tokens": 128, "match": "id_or_title"},
            "inputs": {"mentions": "lines", "kb": "kb"},
            "set": "msnbc",
            "mentions": 5,
            "matched": {"id": 3, "title": 1, "none": 1},
        }
        manifest = {
            "stage": "ann-search",
            "settings": {"split": "msnbc", "k": 3, "match": "id", "minimum": 0.995},
            "inputs": {"model": "bert", "kb": "kb", "table": sha256_of(mentions)},
            "counts": {"entities": 10, "views": 25},
            **(index or {}),
        }
        write_json(tmp_path / "report.json", report)
        write_json(tmp_path / "s.json", manifest)
        rows = [
            (mention, "wikipedia", rank, entity, f"Title {entity}", -float(rank), 0, 0, 0)
            for mention, entities in RANKED.items()
            for rank, entity in enumerate(entities, start=1)
        ]
        write_run(tmp_path / "s.parquet", rows)
        given = {"cutoffs": [1, 2, 3], "resample": "documents", "row": ROW, "agreement": 0.995}
        given |= settings
        return main(
            [
                "stage", "evaluate", "--system=s", "--dataset=wikipedia", "--name=msnbc",
                f"--run={tmp_path / 's.parquet'}", f"--run-manifest={tmp_path / 's.json'}",
                f"--kb={tmp_path / 'kb'}", f"--mentions={mentions}",
                f"--report={tmp_path / 'report.json'}", f"--out={tmp_path / 'out.json'}",
                "--trec", f"--settings={json.dumps(given)}",
            ]
        )  # fmt: skip

    return command


def test_recall_is_of_mentions_inside(evaluate: Evaluate, tmp_path: Path):
    assert evaluate() == 0
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["hits"] == {"1": 1, "2": 2, "3": 3}
    assert found["micro"] == found["macro"] == {"1": 25.0, "2": 50.0, "3": 75.0}
    assert found["interval"]["micro"]["2"] == [0.0, 100.0]  # of a half in four
    assert list(found["worlds"]) == ["wikipedia"]
    counts = ("mentions", "outside", "matched_by_title", "views_per_entity", "index")
    assert [found[key] for key in counts] == [4, 1, 1, 2.5, None]
    assert (found["dataset"], found["set"], found["model"]) == ("wikipedia", "msnbc", "bert")
    assert found["kb"] == {"entities": 10, "fingerprint": "kb"}
    assert found["settings"] == ROW
    assert found["run_sha256"] == sha256_of(tmp_path / "s.parquet")


def test_ranks_and_trec_files_are_of_mentions_inside(evaluate: Evaluate, tmp_path: Path):
    assert evaluate() == 0
    ranks = read_ranks(tmp_path / "out.parquet")
    assert candidates(ranks) == 3
    assert ranks.to_pydict() == {
        "mention_id": ["m1", "m2", "m4", "m5"],
        "world": ["wikipedia"] * 4,
        "document": [None] * 4,
        "rank": [1, 3, 0, 2],
        "sentences": [0] * 4,
    }
    qrels, run = tmp_path / "out.qrels", tmp_path / "out.run"
    assert qrels.read_text() == (
        "m1 0 wikipedia/4 1\nm2 0 wikipedia/7 1\nm4 0 wikipedia/0 1\nm5 0 wikipedia/9 1\n"
    )
    assert "m3 " not in run.read_text() and len(run.read_text().splitlines()) == 12


def test_the_index_and_its_agreement_are_told(evaluate: Evaluate, tmp_path: Path):
    row = {**ROW, "index": {"factory": "ivf_sq8"}}
    assert evaluate(index=INDEX, row=row) == 0
    found = json.loads((tmp_path / "out.json").read_text())
    told = {name: value for name, value in AGREED.items() if name != "rescore"}
    assert found["index"] == {"factory": "IVF4,SQ8", "agreement": 0.998, **told}
    assert found["settings"]["index"] == {"factory": "ivf_sq8"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"index": {**INDEX, "agreement": None}}, "with exact search was not measured"),
        ({"index": INDEX, "agreement": 0.999}, "the greatest tried; a table needs 0.999"),
        ({"index": {**INDEX, "agreement": {**AGREED, "recall": 0.99}}}, "SQ8 finds 0.9900"),
        ({"index": {**INDEX, "agreement": {**AGREED, "k": 2}}}, "with k 3"),
    ],
)  # fmt: skip
def test_what_does_not_belong_is_refused(evaluate, tmp_path, capsys, given, message):
    assert evaluate(**given) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists() and not (tmp_path / "out.run").exists()
