"""A run over a knowledge base made by hand: eight entities, two sets, two rows.

Gold ranks: BLINK 1 2 on first and 0 on second, MuVER 1 1 and 3; one mention a set has its gold
outside the base.
"""

from pathlib import Path

from muver.io.files import read_json, sha256_of, write_json
from muver.reproduction.report.results import RunFiles
from muver.reproduction.tables.stage import make_table
from muver.retriever.corpus.schema import WIKIPEDIA
from muver.retriever.evaluation.records import Scoring
from muver.retriever.evaluation.stage import evaluate
from tests.knowledge_base import PAGES, make_kb, write_linked
from tests.runs import write_run

GOLDS = {"first": [0, None, 2], "second": [6, None]}
# Entities by rank, each with the paragraph of the view that won.
RANKED = {
    "blink": {
        "first-0": [(0, 0), (3, 0), (5, -1)],
        "first-1": [(1, 0), (3, 0), (4, 0)],
        "first-2": [(4, 0), (2, 0), (3, 0)],
        "second-0": [(0, 0), (1, 0), (2, 0)],
        "second-1": [(0, 0), (1, 0), (2, 0)],
    },
    "muver": {
        "first-0": [(0, 1), (2, 3), (5, -1)],
        "first-1": [(1, 0), (3, 0), (4, 0)],
        "first-2": [(2, 1), (0, 1), (7, 0)],
        "second-0": [(7, 0), (4, 1), (6, 4)],
        "second-1": [(7, 0), (4, 1), (6, 4)],
    },
}
KINDS = {"blink": "prefix", "muver": "sentences"}
AGREED = {
    "k": 3, "mentions": 5, "recall": 0.999, "best": {"found": 0.998}, "knob": "nprobe",
    "effort": 16,
}  # fmt: skip
INDEX = {"index": "IVF4,SQ8", "built": {"factory": "ivf_sq8", "lists": 4}, "agreement": AGREED}


def make_linked(folder: Path, dataset: str = "tinypedia") -> RunFiles:
    """Write the whole run below ``folder``, as the workflow lays it out."""
    places = RunFiles(folder / "results", folder / "build" / dataset / "current")
    places.workspace.mkdir(parents=True)
    kb = make_kb(places.workspace)
    fingerprint = read_json(kb / "manifest.json")["fingerprint"]
    for name, golds in GOLDS.items():
        path = places.workspace / "mentions" / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True)
        write_linked(path, name, golds)
        counts = {"id": len(golds) - 1, "title": 0, "none": 1}
        report = {"set": name, "mentions": len(golds), "matched": counts}
        report |= {"settings": {"context_tokens": 128, "match": "id"}}
        write_json(
            path.with_suffix(".json"), {**report, "inputs": {"mentions": name, "kb": fingerprint}}
        )
    files = [_system(places, dataset, system, name) for system in RANKED for name in GOLDS]
    rows = [{"method": "BLINK", "system": "blink"}, {"method": "MuVER", "system": "muver"}]
    settings = {"rows": rows, "against": "blink", "sets": list(GOLDS)}
    make_table("table2", files, places.table("table2", ".csv"), settings)
    return places


def _system(places: RunFiles, dataset: str, system: str, name: str) -> Path:
    run = places.run(system, name)
    run.parent.mkdir(parents=True, exist_ok=True)
    _run(run, {key: some for key, some in RANKED[system].items() if key.startswith(name)})
    kb, mentions = places.workspace / "kb", places.workspace / "mentions" / f"{name}.parquet"
    inputs = {"model": f"{system} weights", "kb": read_json(kb / "manifest.json")["fingerprint"]}
    manifest = {
        "stage": "ann-search",
        "settings": {"split": name, "k": 3, "match": "id", "minimum": 0.995},
        "inputs": {**inputs, "table": sha256_of(mentions)},
        "counts": {"entities": 8, "views": 20 if system == "muver" else 8},
        **(INDEX if system == "muver" else {}),
    }
    write_json(run.with_suffix(".json"), manifest)
    views = {"kind": KINDS[system], "max_tokens": 4}
    row = {"system": system, "model": {"views": views}, "retrieve": {"k": 3, "match": "id"}}
    out = places.workspace / "evaluations" / name / f"{system}.json"
    settings = Scoring(cutoffs=[1, 2, 3], resample="documents", row=row, agreement=0.995)
    evaluate(
        system, dataset, name, run, run.with_suffix(".json"), mentions, out, settings,
        kb=kb, report=mentions.with_suffix(".json"),
        trec=True,
    )  # fmt: skip
    return out


def _run(path: Path, ranked: dict[str, list[tuple[int, int]]]) -> None:
    rows = [
        (mention, WIKIPEDIA, rank, entity, PAGES[entity][0], 1 / rank, 0, paragraph, paragraph)
        for mention, found in ranked.items()
        for rank, (entity, paragraph) in enumerate(found, start=1)
    ]
    write_run(path, rows)
