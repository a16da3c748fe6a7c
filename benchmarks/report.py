"""Measures the time and size of the page of a synthetic run of ZESHEL's size.

``python -m benchmarks.report [--mentions 2000] [--entities 10000] [--rows 7] [--out FILE]``
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.files import write_json
from muver.reproduction.report.explorer import Report
from muver.reproduction.report.results import RunFiles
from muver.reproduction.report.stage import make_report
from muver.reproduction.tables.stage import make_table
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, SENTENCES
from muver.retriever.evaluation.settings import Scoring
from muver.retriever.evaluation.stage import evaluate
from muver.retriever.runs.run import RUN

WORLDS = ("forgotten_realms", "lego", "star_trek", "yugioh")
CUTOFFS = [1, 2, 4, 8, 16, 32, 50, 64]
DEPTH = 64
WORDS = 20_000  # size of a vocabulary with Zipf's frequencies
AGREE = 0.6  # share of a row's candidates that the first row has too
FINGERPRINT = "made-up"


def make_run(folder: Path, mentions: int, entities: int, rows: int) -> RunFiles:
    """Write a run of ``rows`` rows over four worlds of ``entities`` entities each."""
    random = np.random.default_rng(0)
    places = RunFiles(folder / "results", folder / "build", folder / "logs")
    sizes = _corpus(places, mentions, entities, random)
    world = np.arange(mentions) % len(WORLDS)
    gold = random.integers(0, entities, mentions)
    _mentions(places, world, gold, random)
    first = np.stack([random.permutation(entities)[:DEPTH] for _ in range(mentions)])
    for n in range(rows):
        _row(places, n, first, world, gold, sizes, random)
    table = places.table("table1", ".csv")
    systems = [f"row{n}" for n in range(rows)]
    given = {
        "rows": [{"method": name.capitalize(), "system": name} for name in systems],
        "against": systems[0],
    }
    evaluations = [places.evaluation(name, "test") for name in systems]
    make_table("table1", evaluations, table, given, places.corpus("counts.json"))
    return places


def _texts(random: np.random.Generator, lengths: Sequence[int]) -> list[str]:
    """Texts of these lengths in words."""
    letters = random.integers(97, 123, (WORDS, 9))
    words = [bytes(row[: 2 + n % 8].tolist()).decode() for n, row in enumerate(letters)]
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = random.choice(WORDS, int(sum(lengths)), p=weights / weights.sum()).tolist()
    out, at = [], 0
    for length in lengths:
        out.append(" ".join(words[n] for n in drawn[at : at + length]))
        at += length
    return out


def _corpus(
    places: RunFiles, mentions: int, entities: int, random: np.random.Generator
) -> list[int]:
    """Entities with 1 to 40 sentences of 5 to 25 words; the number of sentences of each."""
    total = entities * len(WORLDS)
    counts = np.minimum(random.geometric(0.12, total), 40).tolist()
    sentences = _texts(random, random.integers(5, 26, sum(counts)).tolist())
    starts = np.r_[0, np.cumsum(counts)].tolist()
    split = [sentences[a:b] for a, b in zip(starts, starts[1:], strict=False)]
    world = np.repeat(WORLDS, entities).tolist()
    number = np.tile(np.arange(entities), len(WORLDS)).tolist()
    titles = [f"{name} {n}" for n, name in enumerate(_texts(random, [2] * total))]
    ids = [f"{n:016X}" for n in range(total)]
    places.corpus("entities.parquet").parent.mkdir(parents=True)
    places.sentences.parent.mkdir(parents=True)
    texts = [" ".join(some) for some in split]
    _write(
        places.corpus("entities.parquet"),
        ENTITIES,
        (world, number, ids, titles, texts, [None] * total),
    )
    empty = [[]] * total  # places in the text, which the page does not read
    _write(places.sentences, SENTENCES, (world, number, split, empty, empty))
    write_json(
        places.corpus("counts.json"),
        {
            "dataset": "made_up", "fingerprint": FINGERPRINT, "identified_as": None,
            "worlds": {}, "mentions": {}, "entities": {},
        },
    )  # fmt: skip
    return counts


def _mentions(
    places: RunFiles, world: np.ndarray, gold: np.ndarray, random: np.random.Generator
) -> None:
    n = len(world)
    left, name, right = (_texts(random, [length] * n) for length in (128, 2, 128))
    columns = (
        [f"{one:016X}" for one in range(n)], ["test"] * n, [WORLDS[one] for one in world],
        [None] * n, left, name, right, gold, [f"CATEGORY_{one % 4}" for one in range(n)],
    )  # fmt: skip
    _write(places.corpus("mentions.parquet"), MENTIONS, columns)


def _row(
    places: RunFiles,
    number: int,
    first: np.ndarray,
    world: np.ndarray,
    gold: np.ndarray,
    sizes: list[int],
    random: np.random.Generator,
) -> None:
    """Write one row's run and evaluation."""
    system, mentions = f"row{number}", len(gold)
    entities = len(sizes) // len(WORLDS)
    other = np.stack([random.permutation(entities)[:DEPTH] for _ in range(mentions)])
    ranked = np.where(random.random(first.shape) < AGREE, first, other) if number else first.copy()
    place = random.integers(0, 2 * DEPTH, mentions)  # half of the mentions are missed
    hit = np.flatnonzero(place < DEPTH)
    ranked[hit, place[hit]] = gold[hit]
    names = pq.read_table(places.corpus("entities.parquet"), columns=["title"])
    titles = names["title"].combine_chunks()
    flat = ranked.ravel()
    global_place = np.repeat(world, DEPTH) * entities + flat
    lengths = np.array(sizes)[global_place]
    begin = random.integers(0, lengths)
    layer = random.integers(0, 5, len(flat))
    end = np.minimum(begin + layer, lengths - 1)
    ids = pa.array([f"{one:016X}" for one in range(mentions)])
    mention = np.repeat(np.arange(mentions), DEPTH)
    score = np.sort(random.random(first.shape).astype(np.float32) * 90, axis=1)[:, ::-1].ravel()
    path = places.run(system, "test")
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = (
        ids.take(pa.array(mention)), pa.array(WORLDS).take(pa.array(world[mention])),
        np.tile(np.arange(1, DEPTH + 1), mentions), flat, titles.take(pa.array(global_place)),
        score, layer, begin, end,
    )  # fmt: skip
    _write(path, RUN, columns)
    made = {"split": "test", "k": DEPTH, "match": "title"}
    manifest = path.with_suffix(".json")
    write_json(manifest, {"settings": made})
    row = {"system": system, "retrieve": made, "model": {"views": {"kind": "sentences"}}}
    evaluate(
        system=system,
        dataset="made_up",
        name="test",
        run=path,
        run_manifest=manifest,
        mentions=places.corpus("mentions.parquet"),
        entities=places.corpus("entities.parquet"),
        sentences=places.sentences,
        counts=places.corpus("counts.json"),
        settings=Scoring(cutoffs=CUTOFFS, resample="documents", row=row),
        out=places.evaluation(system, "test"),
    )


def _write(path: Path, schema: pa.Schema, columns: Sequence[object]) -> None:
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the run and its page; print the median time of three, and the page's size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mentions", type=int, default=2000)
    parser.add_argument("--entities", type=int, default=10_000, help="of each of the four worlds")
    parser.add_argument("--rows", type=int, default=7)
    parser.add_argument("--out", type=Path, help="keep the page here")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        places = make_run(Path(folder), given.mentions, given.entities, given.rows)
        out = given.out or places.results / "report.html"
        times, processor = [], []
        for _ in range(3):
            started, used = time.perf_counter(), time.process_time()
            problems = make_report(
                results=places.results,
                out=out,
                settings=Report(),
                workspace=places.workspace,
                logs=places.logs,
            )
            times.append(time.perf_counter() - started)
            processor.append(time.process_time() - used)
        assert not problems, json.dumps(problems)
        size = out.stat().st_size
    print(
        f"{given.mentions} mentions x {given.rows} rows, {4 * given.entities} entities: "
        f"{statistics.median(times):.2f} s ({statistics.median(processor):.2f} s of a processor), "
        f"{size / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    main()
