"""Write runs and gold entities as TREC files, for information retrieval tools.

Those tools' Success@k is our recall@k. A document id is ``<world>/<line number of the candidate>``;
when matching by title, entities with equal titles are one candidate with the first one's line
number. TREC tools split lines at white space, so ids percent-encode it and the per cent sign;
``urllib.parse.unquote`` restores the id.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import write_text


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
    :func:`muver.retriever.evaluation.recall.gold_ranks`; titles are not needed if
    ``match`` is "id". A score that is not finite is refused, and so is a mention that has a
    candidate twice.
    """
    document = _by_number if match == "id" else _by_title(titles)
    queries = {mention: field(mention) for mention in mentions["mention_id"].to_pylist()}
    ranks, scores = run["rank"].to_numpy(), run["score"].to_numpy()
    found = [queries[mention] for mention in run["mention_id"].to_pylist()]
    candidates = [
        document(world, entity)
        for world, entity in zip(run["world"].to_pylist(), run["entity"].to_pylist(), strict=True)
    ]
    _check_finite(system, scores)
    _check_distinct(system, found, candidates)
    lowered = decreasing(scores, ranks).tolist()
    tag = field(system)
    write_text(
        f"{out}.run",
        "".join(
            f"{query} Q0 {candidate} {rank} {score!r} {tag}\n"
            for query, candidate, rank, score in zip(
                found, candidates, ranks.tolist(), lowered, strict=True
            )
        ),
    )
    gold = zip(
        queries.values(), mentions["world"].to_pylist(), mentions["gold"].to_pylist(), strict=True
    )
    write_text(
        f"{out}.qrels",
        "".join(f"{query} 0 {document(world, entity)} 1\n" for query, world, entity in gold),
    )


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
    scores do not change.

    Parameters
    ----------
    scores, ranks : (rows,)
        The rows of a mention are adjacent, ranked 1, 2, 3, ...

    Returns ------- (rows,) float32, strictly decreasing within a mention; as Python floats they
    print and parse without loss.
    """
    lowered = np.array(scores, dtype=np.float32)
    for rank in range(2, ranks.max(initial=1) + 1):
        rows = np.flatnonzero(ranks == rank)
        below = np.nextafter(lowered[rows - 1], np.float32(-np.inf))
        lowered[rows] = np.minimum(lowered[rows], below)
    return lowered


def _by_number(world: str, entity: int) -> str:
    """The document id of an entity."""
    return f"{field(world)}/{entity}"


def _by_title(titles: Mapping[str, Sequence[str]]) -> Callable[[str, int], str]:
    """A function that maps an entity to the document id of the first entity with its title."""
    first: dict[tuple[str, str], int] = {}
    for world, names in titles.items():
        for number, title in enumerate(names):
            first.setdefault((world, title), number)
    return lambda world, entity: _by_number(world, first[world, titles[world][entity]])


def _check_finite(system: str, scores: np.ndarray) -> None:
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InputError(
            f"run of {system}, row {row}: score {scores[row]}, expected a finite number. Run the "
            "retrieve stage again."
        )


def _check_distinct(system: str, queries: Sequence[str], candidates: Sequence[str]) -> None:
    if len(set(zip(queries, candidates, strict=True))) < len(queries):
        pairs = Counter(zip(queries, candidates, strict=True))
        query, candidate = next(pair for pair, times in pairs.items() if times > 1)
        raise InputError(
            f"run of {system}: mention {query} has candidate {candidate} twice. Run the retrieve "
            "stage again."
        )
