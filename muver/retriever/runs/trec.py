"""Runs and gold entities as TREC files, for information retrieval tools.

Those tools' Success@k is our recall@k. A document id is ``<world>/<line number of the candidate>``;
when matching by title, entities with equal titles are one candidate with the first one's line
number. TREC tools split lines at white space, so ids percent-encode it and the per cent sign;
``urllib.parse.unquote`` restores the id.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.retriever.vectors.block import first_with_same


def write_trec(
    out: Path,
    system: str,
    run: pa.Table,
    mentions: pa.Table,
    titles: Mapping[str, Sequence[str]],
    match: str,
) -> None:
    """Write a system's run and the gold entities to ``out`` with ``.run`` and ``.qrels``.

    ``run``, ``mentions``, ``titles`` and ``match`` are as for
    :func:`muver.retriever.evaluation.recall.gold_ranks`, which checks them; titles are not needed
    if ``match`` is "id".
    """
    first = {world: first_with_same(names).tolist() for world, names in titles.items()}
    encoded = cache(field)  # a mention and a world have many lines

    def document(world: str, entity: int) -> str:
        number = entity if match == "id" else first[world][entity]
        return f"{encoded(world)}/{number}"

    ranks, scores = run["rank"].to_numpy(), run["score"].to_numpy()
    if not np.isfinite(scores).all():
        raise InputError(
            f"run of {system}: has scores that are no finite numbers. Run the retrieve stage "
            "again, with another precision if the model's vectors overflow."
        )
    columns = (run[name].to_pylist() for name in ("mention_id", "world", "entity"))
    lowered = decreasing(scores, ranks).tolist()
    ranked = zip(*columns, ranks.tolist(), lowered, strict=True)
    run_lines = (
        f"{encoded(mention)} Q0 {document(world, entity)} {rank} {score!r} {encoded(system)}\n"
        for mention, world, entity, rank, score in ranked
    )
    columns = (mentions[name].to_pylist() for name in ("mention_id", "world", "gold"))
    gold_lines = (
        f"{encoded(mention)} 0 {document(world, entity)} 1\n"
        for mention, world, entity in zip(*columns, strict=True)
    )
    write_text(f"{out}.run", "".join(run_lines))
    write_text(f"{out}.qrels", "".join(gold_lines))


def field(name: str) -> str:
    """Percent-encode a name's white space and per cent signs.

    >>> field("star wars"), field("100% sure")
    ('star%20wars', '100%25%20sure')
    """
    return re.sub(r"[\s%]", lambda found: quote(found[0]), name)


def decreasing(scores: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Lower scores as little as possible so that they sort as the ranks do.

    trec_eval ignores ranks, sorts by score as float32 and breaks ties by document id. A score that
    is not below the one ranked before it is therefore lowered to the next smaller float32; other
    scores do not change. The rows of a mention, (rows,), are adjacent, ranked 1, 2, 3, ... Returns
    (rows,) float32, strictly decreasing within a mention; as Python floats they print and parse
    without loss.
    """
    lowered = np.array(scores, dtype=np.float32)
    for rank in range(2, ranks.max(initial=1) + 1):
        rows = np.flatnonzero(ranks == rank)
        below = np.nextafter(lowered[rows - 1], np.float32(-np.inf))
        lowered[rows] = np.minimum(lowered[rows], below)
    return lowered
