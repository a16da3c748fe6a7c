"""Rates, given or measured here in some seconds by the code that the run will use."""

import contextlib
import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from muver.corpus.kilt.made import made_parts, open_part
from muver.corpus.kilt.parts import plan_parts
from muver.corpus.kilt.reading import read_part
from muver.corpus.kilt.settings import check_settings
from muver.io.errors import InputError
from muver.io.progress import logger
from muver.views.layout import Ids

MEGABYTE = 10**6
PROBE_BYTES = 32 * 2**20  # of the dump that are read
SEARCHED = 20_000  # views that are searched
FIRST = 8  # views or mentions: fewer would tell of single ones, not of batches
MEASURED, GIVEN = "measured", "given"


@dataclass(frozen=True)
class Rate:
    """So much a second.

    Attributes
    ----------
    origin
        "measured" here, or "given" in the settings.
    of
        What was measured.
    """

    value: float
    unit: str
    origin: str = GIVEN
    of: str = ""


def growing(work: Callable[[int], None], seconds: float, most: int) -> float:
    """Units a second: of the last of runs that double until one takes long enough.

    A run is long enough at a third of ``seconds``, so that all of them take about that together.
    The first has :data:`FIRST` units, the largest ``most``. One of a single unit comes before,
    which warms up and does not count.
    """
    work(1)
    amount = min(FIRST, most)
    while True:
        started = time.perf_counter()
        work(amount)
        took = max(time.perf_counter() - started, 1e-9)
        if took >= seconds / 3 or amount >= most:
            return amount / took
        amount = min(2 * amount, most)


def encoding_rate(
    model_folder: Path, layout: dict[str, Any], kb: Path | None, settings: Mapping[str, Any]
) -> Rate:
    """Views a second of an encoder on one device, laid out as a model's ``views`` say.

    Parameters
    ----------
    model_folder
        A model's directory, whose entity tower is taken, or a BERT's.
    kb
        Its first entities are laid out and encoded, as ``muver encode-part`` does, so that laying
        out counts and lengths are real; None: made views, all of ``max_tokens``.
    """
    from muver.encoders import device
    from muver.encoders.biencoder import BiEncoder, ModelConfig
    from muver.encoders.bulk import encode_vectors
    from muver.encoders.tokens import WordPieces
    from muver.encoders.towers import load_tower

    accelerator = device.start(dict(settings))
    own = model_folder / "entity_encoder"
    tower = load_tower(own if own.is_dir() else model_folder)
    config = ModelConfig(layout, {"max_tokens": layout["max_tokens"]}, "max")
    model = BiEncoder(tower, tower, WordPieces(model_folder), config)
    model.require_positions("views.max_tokens", layout["max_tokens"])
    model.to(accelerator.device).eval()
    tokens = device.batch_tokens(settings["batch_tokens"], accelerator.device)
    views, laying_out = _made_views(model, layout), 0.0
    of = f"made views of {layout['max_tokens']} tokens each"
    if kb is not None:
        views, laying_out = _first_views(kb, layout, model)
        of = f"{len(views)} views of the first entities in {kb}, laying out included"

    def work(amount: int) -> None:
        chosen = [views[number % len(views)] for number in range(amount)]
        with accelerator.autocast():
            encode_vectors(model.encode_views, chosen, model.dimension, tokens, accelerator.device)

    encoded = growing(work, settings["seconds"], max(len(views), 2**17))
    value = 1 / (1 / encoded + laying_out)
    return Rate(value, "views/s", MEASURED, f"{of}, on {accelerator.device.type}")


def reading_rate(dump: Path, settings: Mapping[str, Any]) -> Rate:
    """Megabytes a second of one process that reads the dump as ``muver kb`` does: 32 MiB of it."""
    options = check_settings({"part_bytes": PROBE_BYTES, "line_bytes": settings["line_bytes"]})
    part = plan_parts(dump, PROBE_BYTES)[0]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        read_part(dump, part, folder, options)
        took = time.perf_counter() - started
    size = (part.stop - part.start) / MEGABYTE
    return Rate(size / took, "MB/s", MEASURED, f"the first {size:.0f} MB of {dump}")


def exact_rate(dimension: int, settings: Mapping[str, Any]) -> Rate:
    """Products of a mention and a view a second of exact search, in parts of vectors on disk."""
    from muver.retrieval.ann.flat import search_exact
    from muver.vectors.shards import Shards, write_part

    rng = np.random.default_rng(0)
    dtype = np.float16 if settings["dtype"] == "fp16" else np.float32
    views = rng.standard_normal((SEARCHED, dimension), dtype=np.float32).astype(dtype)
    mentions = rng.standard_normal((4096, dimension), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        write_part(folder, 0, views, np.ones(SEARCHED, np.int64), "made", "made")
        shards = Shards(folder)

        def work(amount: int) -> None:
            with _quiet():
                search_exact(shards, mentions[:amount], 100, settings["search_memory_mb"])

        value = growing(work, settings["seconds"], len(mentions)) * SEARCHED
    of = f"{SEARCHED} made views of {dimension} dimensions"
    return Rate(value, "products/s", MEASURED, of)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep back the progress lines of runs that are only measured."""
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _made_views(model: Any, layout: Mapping[str, Any]) -> list[Ids]:
    marks, config = model.pieces.markers, model.entity_encoder.config
    inner = np.random.default_rng(0).integers(config.vocab_size, size=layout["max_tokens"] - 2)
    return [[marks.cls, *inner.tolist(), marks.sep]]


def _first_views(kb: Path, layout: dict[str, Any], model: Any) -> tuple[list[Ids], float]:
    """Views of a base's first entities, and the seconds that laying out one of them takes."""
    from muver.encoders.stages.kb_part import COLUMNS, ENTITIES, paragraph_views

    numbers = made_parts(kb)
    if not numbers:
        raise InputError(f"{kb}: has no parts. `muver kb all` makes them.")
    for number in numbers:  # a part may have no entity
        for batch in open_part(kb, number).batches(COLUMNS, ENTITIES):
            if batch.num_rows:
                started = time.perf_counter()
                laid_out = paragraph_views(batch, layout, model.pieces)
                took = time.perf_counter() - started
                views = [view.ids for some in laid_out for view in some]
                logger.info("%d views laid out in %.2f s", len(views), took)
                return views, took / len(views)
    raise InputError(f"{kb}: its parts have no entities.")
