"""An index of one's own entities: making, opening, asking and changing it.

Entities are made up, with ten sentences each, one world; the model is a random BERT of two layers
and 384 numbers, as what is measured is the index rather than the encoder. Commands are processes of
their own; memory is the largest ``ru_maxrss`` of each, with the pages of the index that it maps.
CPU seconds are valid on a busy machine too. With ``--large`` 100,000 entities in place of 10,000;
always a million for the index without a model, but with ``--quick``.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.kb_import import by_itself
from benchmarks.rows import Findings, Row
from muver.kb.importing.schema import ENTITIES, FILE, ROWS_A_GROUP

SIZES = {"quick": 200, "usual": 10_000, "large": 100_000}
WITHOUT_MODEL = 1_000_000  # entities, but with --quick
KINDS = ("index by views", "index by an encoder", "index by words and names")
ADDED = 1_000
QUERIES = 200
LAYERS, HIDDEN = 2, 384
SCRATCH = {
    "vocabulary": 2000, "layers": LAYERS, "hidden": HIDDEN, "heads": 6, "intermediate": 4 * HIDDEN,
    "positions": 128, "dropout": 0.0, "initializer_range": 0.05,
}  # fmt: skip


def sentences(draw: random.Random, words: list[str]) -> str:
    """A description of ten sentences."""
    return " ".join(
        f"The {' '.join(draw.choices(words, k=draw.randint(7, 13)))}." for _ in range(10)
    )


def write_kb(folder: Path, first: int, count: int) -> Path:
    """A knowledge base of made entities, numbered from ``first``."""
    draw = random.Random(first)
    words = made_words()
    folder.mkdir()
    with pq.ParquetWriter(folder / FILE, ENTITIES) as writer:
        for start in range(0, count, ROWS_A_GROUP):
            numbers = range(first + start, first + min(start + ROWS_A_GROUP, count))
            rows = [
                {
                    "id": f"e{n}", "title": " ".join(draw.choices(words, k=2)),
                    "description": sentences(draw, words), "aliases": [], "world": "made",
                    "further": [],
                }
                for n in numbers
            ]  # fmt: skip
            writer.write_table(pa.Table.from_pylist(rows, ENTITIES))
    return folder


def write_bases(folder: Path, size: int) -> tuple[Path, Path, Path, int]:
    """A tenth of so many entities, all, some that are added, and how many these are."""
    added = min(ADDED, size // 2)
    counts = {"tenth": (0, size // 10), "whole": (0, size), "more": (size, added)}
    paths = (write_kb(folder / f"{name}-{size}", *of) for name, of in counts.items())
    return *paths, added


def made_words() -> list[str]:
    """Words of which descriptions are made."""
    draw = random.Random(13)
    return ["".join(draw.choices("abdegiklmnorstu", k=draw.randint(2, 9))) for _ in range(5000)]


def write_model(folder: Path) -> Path:
    """A random model with a vocabulary of its own."""
    from muver.io.typed import read
    from muver.retriever.encoders.biencoder import BiEncoder
    from muver.retriever.encoders.encoders_settings import ModelConfig, Scratch
    from muver.retriever.encoders.start import from_scratch

    from_scratch([" ".join(made_words())], Scratch(**SCRATCH), 7, folder / "start")
    views = {"kind": "sentences", "max_tokens": 40, "min_pieces": 6, "title_room": 6}
    layouts = {"views": {**views, "training_views": 10}, "context": {"max_tokens": 64}}
    config = read(ModelConfig, {**layouts, "score": "max"})
    BiEncoder.from_encoder(folder / "start", config).save_pretrained(folder / "model")
    return folder / "model"


def run(context) -> Findings:
    """All of it, for an index of views, one of an encoder's signals, and one without a model."""
    options = context.options
    size = SIZES["large" if options.large else "quick" if options.quick else "usual"]
    findings = Findings()
    with tempfile.TemporaryDirectory() as name:
        folder, rows = Path(name), findings.rows
        bases = cache(partial(write_bases, folder))  # by size, whatever reads them
        model = write_model(folder)
        for kind, what in zip(KINDS, (model, model.with_name("start"), None), strict=True):
            if what is None and not options.quick:
                size = WITHOUT_MODEL
            tenth, whole, more, added = bases(size)
            _, _, small = _made(rows, kind, folder / f"tenth-{kind}", tenth, what, size // 10)
            _, afresh, peak = _made(rows, kind, folder / f"whole-{kind}", whole, what, size)
            growth = "peak memory of making ten times the entities"
            rows.append(Row(kind, growth, "MB", small, peak, peak / small))
            _opened(rows, kind, folder / f"whole-{kind}")
            _asked(rows, kind, folder / f"whole-{kind}")
            _, less, _ = by_itself("index", "add", str(folder / f"tenth-{kind}"), str(more))
            _, cpu, _ = by_itself("index", "add", str(folder / f"whole-{kind}"), str(more))
            rows += [
                Row(
                    kind, f"adding {added} to {size}, beside adding them to {size // 10}", "CPU s",
                    less, cpu, cpu / less,
                ),
                Row(
                    kind, f"adding {added} to {size}, beside making all afresh", "CPU s",
                    afresh, cpu, afresh / cpu,
                ),
            ]  # fmt: skip
    return findings


def _made(
    rows: list[Row], kind: str, out: Path, kb: Path, model: Path | None, entities: int
) -> tuple[float, float, float]:
    """Make an index; wall and CPU seconds and peak memory."""
    chosen = [] if model is None else ["--model", str(model)]
    wall, cpu, peak = by_itself("index", "create", str(kb), *chosen, "--out", str(out))
    size = sum(path.stat().st_size for path in (out / "segments").iterdir()) / 1e6
    rows.append(
        Row(
            kind, f"making an index of {entities} entities", "entities/CPU s",
            ours=entities / cpu,
            remark=f"{wall:.1f} s, {cpu:.1f} s of CPU, peak {peak:.0f} MB",
        )
    )  # fmt: skip
    rows.append(Row(kind, f"disk of {entities} entities", "MB", ours=size))
    return wall, cpu, peak


OPENING = """
import json, sys, time
from muver.kb.index.index import Index
started = time.perf_counter()
index = Index.open(sys.argv[1])
print(json.dumps([time.perf_counter() - started, len(index)]))
"""


def _opened(rows: list[Row], kind: str, index: Path) -> None:
    """Opening, in a process that has the modules and nothing else, and a command's one answer."""
    call = [sys.executable, "-c", OPENING, str(index)]
    took, entities = json.loads(subprocess.run(call, check=True, capture_output=True).stdout)
    _, cpu, peak = by_itself("query", str(index), "[[ab]]")
    rows += [
        Row(kind, f"opening an index of {entities} entities: seconds", ours=took, ratio=took),
        Row(kind, f"a query by command, of {entities} entities", "CPU s", ours=cpu),
        Row(kind, f"memory of a query, of {entities} entities", "MB", ours=peak),
    ]


def _asked(rows: list[Row], kind: str, folder: Path) -> None:
    """Single queries, then sixty-four mentions at a time."""
    from muver.kb.index.index import Index
    from muver.retriever.answers import Mention

    index, draw, words = Index.open(folder), random.Random(5), made_words()
    asked = [
        Mention(*(" ".join(draw.choices(words, k=k)) for k in (2, 20, 20))) for _ in range(QUERIES)
    ]
    index.retrieve(asked[:1], 10)  # the model is loaded, the map read
    took = np.array(list(_times(lambda one: index.retrieve([one], 10), asked)))
    half, most = 1000 * np.quantile(took, [0.5, 0.99])
    many = [asked[n : n + 64] for n in range(0, len(asked), 64)]
    together = sum(_times(lambda some: index.retrieve(some, 10), many))
    rows += [
        Row(kind, "a query, p50", "ms", ours=half),
        Row(kind, "a query, p99", "ms", ours=most),
        Row(kind, "queries, 64 at a time", "1/s", ours=QUERIES / together),
    ]


def _times(do: Callable, items: list) -> Iterator[float]:
    for item in items:
        started = time.perf_counter()
        do(item)
        yield time.perf_counter() - started
