"""Runs and gold entities as TREC files, for information retrieval tools.

Those tools' Success@k is our recall@k. A document id is ``<world>/<line number of the candidate>``;
when matching by title, entities with equal titles are one candidate with the first one's line
number. TREC tools split lines at white space, so ids percent-encode it and the per cent sign;
``urllib.parse.unquote`` restores the id. Files that we read may be anybody's.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
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
    :func:`muver.retriever.evaluation.recall.gold_ranks`, which checks them; titles are not needed
    if ``match`` is "id".
    """
    first: dict[tuple[str, str], int] = {}
    for world, names in titles.items():
        for number, title in enumerate(names):
            first.setdefault((world, title), number)

    def document(world: str, entity: int) -> str:
        number = entity if match == "id" else first[world, titles[world][entity]]
        return f"{field(world)}/{number}"

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
        f"{field(mention)} Q0 {document(world, entity)} {rank} {score!r} {field(system)}\n"
        for mention, world, entity, rank, score in ranked
    )
    columns = (mentions[name].to_pylist() for name in ("mention_id", "world", "gold"))
    gold_lines = (
        f"{field(mention)} 0 {document(world, entity)} 1\n"
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
    scores do not change.

    Parameters
    ----------
    scores, ranks : (rows,)
        The rows of a mention are adjacent, ranked 1, 2, 3, ...

    Returns
    -------
    (rows,) float32, strictly decreasing within a mention; as Python floats they print and parse
    without loss.
    """
    lowered = np.array(scores, dtype=np.float32)
    for rank in range(2, ranks.max(initial=1) + 1):
        rows = np.flatnonzero(ranks == rank)
        below = np.nextafter(lowered[rows - 1], np.float32(-np.inf))
        lowered[rows] = np.minimum(lowered[rows], below)
    return lowered


@dataclass(frozen=True)
class TrecRun:
    """A run file's lines; those of a mention are adjacent and sorted by score."""

    mentions: list[str]
    candidates: list[str]
    scores: np.ndarray
    reordered: int  # how many mentions have ranks that contradict their scores
    tied: int  # how many have equal scores, which tools order differently


def read_trec_run(path: Path) -> TrecRun:
    """Read a run; sort a mention's candidates by descending score, then by rank."""
    by_mention: dict[str, dict[str, tuple[float, int]]] = {}  # minus the score, and the rank
    for where, fields in _lines(path, "mention Q0 candidate rank score name"):
        mention, _, candidate, rank, score, _ = fields
        own = by_mention.setdefault(mention, {})
        if candidate in own:
            raise InputError(f"{where}: mention {mention} has candidate {candidate} twice.")
        try:
            own[candidate] = -float(score), int(rank)
        except ValueError:
            own[candidate] = math.nan, 0
        if not math.isfinite(own[candidate][0]):
            raise InputError(
                f"{where}: rank {rank!r} and score {score!r}, expected a whole number and a finite "
                "number."
            )
    if not by_mention:
        raise InputError(f"{path}: no lines, so there is nothing to compare.")
    mentions, candidates, scores, reordered, tied = [], [], [], 0, 0
    for mention, own in by_mention.items():
        ordered = dict(sorted(own.items(), key=itemgetter(1)))
        lowered, ranks = zip(*ordered.values(), strict=True)
        reordered += list(ranks) != sorted(ranks)
        tied += len(set(lowered)) < len(lowered)
        mentions += [mention] * len(ordered)
        candidates += ordered
        scores += lowered
    return TrecRun(mentions, candidates, -np.array(scores), reordered, tied)


def read_qrels(path: Path) -> dict[str, set[str]]:
    """The relevant candidates of each mention."""
    found: dict[str, set[str]] = {}
    for where, (mention, _, candidate, relevance) in _lines(path, "mention 0 candidate relevance"):
        if not relevance.lstrip("-").isdecimal():
            raise InputError(f"{where}: relevance {relevance!r}, expected a whole number.")
        if int(relevance) > 0:
            found.setdefault(mention, set()).add(candidate)
    return found


def _lines(path: Path, form: str) -> Iterator[tuple[str, list[str]]]:
    """The place and the fields of each line."""
    expected = len(form.split())
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as TREC text ({error}).") from None
    for number, line in enumerate(lines, start=1):
        where, fields = f"{path}, line {number}", line.split()
        if len(fields) != expected:
            raise InputError(f"{where}: {len(fields)} fields, expected {expected} ({form}).")
        yield where, fields
