"""A run made by hand: two worlds, six mentions, two rows, whose page is known in every word.

Gold ranks: BM25 1 2 1 1 0 3, MuVER 1 1 3 2 1 1 (0 = not among the three candidates).
"""

import json
from pathlib import Path

from muver.io.files import write_json, write_text
from muver.io.parquet import table_of, write_table
from muver.reproduction.report.results import RunFiles
from muver.reproduction.tables.stage import make_table
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, SENTENCES
from muver.retriever.corpus.sources import WorldCounts
from muver.retriever.corpus.statistics import Counts
from muver.retriever.evaluation.records import Scoring
from muver.retriever.evaluation.stage import evaluate
from tests.runs import write_run

SCRIPT = "<script>document.title = 'broken'</script>"
WORLDS = {
    "alder": {
        "Gate": ["The gate was forged in spring.", "It has two wings.", "Few pass it at night."],
        SCRIPT: ["This title is no markup.", "</script><b>Nor is this.</b>"],
        "Tower": ["A tower of stone.", "Its bell rings.", "Ravens live there.", "It is old."],
        "Empty": [],
    },
    "birch": {
        "Lake": ["The lake is deep.", "Fish of silver swim in it."],
        "Mill": ["The mill stands by the lake."],
        "Bridge": ["A bridge of oak.", "It was built twice."],
        "Weir": ["A weir of wood."],
    },
}
# id, world, left, mention, right, gold, category
GIVEN = [
    ("m1", "alder", "in spring", "the gate", "was forged .", 0, "HIGH_OVERLAP"),
    ("m2", "alder", "they heard", "a bell", "far away .", 2, "LOW_OVERLAP"),
    ("m3", "alder", "nobody knew", "<b>bold</b>", "& so on .", 1, "LOW_OVERLAP"),
    ("m4", "birch", "fish swim in", "the lake", ".", 0, "HIGH_OVERLAP"),
    ("m5", "birch", "they crossed", "the oak", "twice .", 2, "LOW_OVERLAP"),
    ("m6", "birch", "flour from", "the mill", ".", 1, "HIGH_OVERLAP"),
]
# Entities by rank, each with layer, first and last sentence of the view that won.
NO = (-1, -1, -1)
BM25 = {
    "m1": [(0, *NO), (2, *NO), (1, *NO)],
    "m2": [(0, *NO), (2, *NO), (1, *NO)],
    "m3": [(1, *NO), (0, *NO), (2, *NO)],
    "m4": [(0, *NO), (1, *NO), (3, *NO)],
    "m5": [(0, *NO), (1, *NO), (3, *NO)],
    "m6": [(0, *NO), (2, *NO), (1, *NO)],
}
MUVER = {
    "m1": [(0, 0, 0, 0), (2, 0, 3, 3), (1, 0, 0, 0)],
    "m2": [(2, 1, 1, 2), (0, 0, 1, 1), (1, 0, 1, 1)],
    "m3": [(2, 0, 0, 0), (0, 0, 1, 1), (1, -2, 0, 1)],
    "m4": [(1, 0, 0, 0), (0, 0, 1, 1), (3, 0, 0, 0)],
    "m5": [(2, 2, 0, 1), (0, 0, 0, 0), (1, 0, 0, 0)],
    "m6": [(1, 0, 0, 0), (0, 0, 1, 1), (2, 0, 0, 0)],
}
RETRIEVE = {"split": "test", "k": 3, "match": "title"}
RANKS = {"bm25": [1, 2, 1, 1, 0, 3], "muver": [1, 1, 3, 2, 1, 1]}


def make_project(folder: Path, dataset: str = "tiny") -> RunFiles:
    """Write the whole run below ``folder``, as the workflow lays it out."""
    places = RunFiles(folder / "results", folder / "build" / dataset / "current")
    _corpus(places, dataset)
    by_views = {
        "model": {"views": {"kind": "sentences", "max_tokens": 40}},
        "global_view": {"max_tokens": 4},
        "start": "/home/somebody/weights",
    }
    files = [
        _system(places, dataset, "bm25", BM25),
        _system(places, dataset, "muver", MUVER, **by_views),
    ]
    rows = [{"method": "BM25", "system": "bm25"}, {"method": "MuVER", "system": "muver"}]
    settings = {"rows": rows, "against": "bm25", "caption": "Table 1: recall@k in percent"}
    make_table(
        "table1", files, places.table("table1", ".csv"), settings, places.corpus("counts.json")
    )
    make_table("table4", [], places.table("table4", ".csv"), {}, places.corpus("counts.json"))
    keys = [row["row_key"] for row in json.loads(places.table("table1").read_text())["rows"]]
    drawn = places.results / "figures" / "table4.svg"
    write_text(drawn, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5"/>')
    write_text(
        places.recorded("table1"),
        "row_key,method,run_id,experiment_id,address\n"
        f"{keys[0]},BM25,r1,1,/#/experiments/1/runs/r1\n"
        f"{keys[1]},MuVER,r2,1,/#/experiments/1/runs/r2\n",
    )
    return places


def _corpus(places: RunFiles, dataset: str) -> None:
    entities, sentences = [], []
    for world, described in WORLDS.items():
        for number, (title, own) in enumerate(described.items()):
            entities.append((world, number, f"{world}-{number}", title, " ".join(own), None))
            sentences.append((world, number, own))
    mentions = [
        (key, "test", world, f"{world}-0", left, mention, right, gold, category)
        for key, world, left, mention, right, gold, category in GIVEN
    ]
    for path, schema, rows in (
        (places.corpus("entities.parquet"), ENTITIES, entities),
        (places.corpus("mentions.parquet"), MENTIONS, mentions),
        (places.sentences, SENTENCES, sentences),
    ):
        write_table(path, table_of(schema, zip(*rows, strict=True)))
    worlds = {world: WorldCounts("test", len(own), 3) for world, own in WORLDS.items()}
    sizes = ({"train": 0, "val": 0, "test": number} for number in (6, 8))
    write_json(places.corpus("counts.json"), Counts(dataset, "f00d", None, worlds, *sizes))


def _system(places: RunFiles, dataset: str, name: str, ranked: dict, **row: dict) -> Path:
    path = places.run(name, "test")
    path.parent.mkdir(parents=True, exist_ok=True)
    _run(path, ranked)
    manifest = path.with_suffix(".json")
    write_json(manifest, {"settings": RETRIEVE})
    row = {"system": name, "seed": 7, "retrieve": RETRIEVE, **row}
    evaluate(
        name, dataset, "test", path, manifest, places.corpus("mentions.parquet"),
        places.evaluation(name, "test"), Scoring(cutoffs=[1, 2, 3], resample="documents", row=row),
        places.corpus("entities.parquet"), places.sentences, places.corpus("counts.json"),
    )  # fmt: skip
    return places.evaluation(name, "test")


def _run(path: Path, ranked: dict) -> None:
    world_of = {key: world for key, world, *_ in GIVEN}
    rows = []
    for mention, found in ranked.items():
        world = world_of[mention]
        titles = list(WORLDS[world])
        for rank, (entity, layer, first, last) in enumerate(found, start=1):
            rows.append(
                (mention, world, rank, entity, titles[entity], 1 / rank, layer, first, last)
            )
    write_run(path, rows)
