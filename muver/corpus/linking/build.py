"""A benchmark file to a table of mentions over a knowledge base."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from muver.corpus.kilt.lookup import KnowledgeBase
from muver.corpus.linking.benchmark import Benchmark, LinkedMention, locate
from muver.corpus.linking.blink import read_blink
from muver.corpus.linking.conll import read_conll
from muver.corpus.linking.match import BY, Match, match, report
from muver.corpus.schema import LINKED_MENTIONS, WIKIPEDIA
from muver.corpus.sources import find_source
from muver.io.checking import with_defaults
from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest
from muver.io.parquet import table_writer
from muver.io.progress import logger

DEFAULTS: dict[str, Any] = {
    "context_tokens": 128,  # words kept on each side
    "expected": None,  # a declared source whose published number of mentions must be met
    "match": "id",  # how a gold entity is found in the base: id or id_or_title
    "shown": 100,  # examples of each kind in the report
}
READERS = {".jsonl": read_blink, ".conll": read_conll, ".tsv": read_conll}


def link_set(
    name: str,
    path: str | Path,
    kb: str | Path,
    mentions_path: str | Path,
    report_path: str | Path,
    given: Mapping[str, Any],
    below: str | Path | None = None,
) -> dict[str, Any]:
    """Write a benchmark's mentions (`LINKED_MENTIONS`) with their entities, and a report.

    Parameters
    ----------
    name
        The set: aida-train, aida-testa, aida-testb, msnbc, wnedwiki or another.
    path
        JSON lines (``.jsonl``, :mod:`muver.corpus.linking.blink`), or a token a line (``.conll``
        and ``.tsv``, :mod:`muver.corpus.linking.conll`).
    kb
        A finished knowledge base.
    given
        Settings (`DEFAULTS` has the others).
    below
        A folder; ``path`` is that of a file in some folder of it.

    Returns
    -------
    The report's counts.

    Raises
    ------
    InputError
        For anything wrong in the file, for a number of mentions that is not the expected one, and
        if no gold entity at all is in the base. Nothing is written then.
    """
    settings = with_defaults(given, DEFAULTS)
    if settings["match"] not in BY:
        raise InputError(
            f"--settings: match is {settings['match']!r}, expected one of {', '.join(BY)}."
        )
    path = locate(name, path, below)
    mentions, left_out = _read(name, path)
    _check_number(name, path, len(mentions), settings["expected"])
    base = KnowledgeBase(kb)
    matches = match(mentions, base, settings["match"])
    counts = {**report(mentions, matches, settings["shown"]), "left_out": left_out}
    if not counts["in_kb"]:
        raise InputError(
            f"{path}: of {len(mentions)} mentions none has its gold entity in {kb}, found by "
            f"{settings['match'].replace('_', ' ')}. Is it the knowledge base of this benchmark?"
        )
    with table_writer(mentions_path, LINKED_MENTIONS) as writer:
        writer.write_table(_table(name, mentions, matches, settings["context_tokens"]))
    inputs = {"mentions": sha256_of(path), "kb": base.manifest["fingerprint"]}
    write_manifest(Path(report_path), "link", settings, inputs, set=name, **counts)
    _tell(name, counts)
    return counts


def expected_mentions(source: str) -> dict[str, int]:
    """The published number of mentions by set."""
    published = find_source(source).published
    return published.mentions if published else {}


def _read(name: str, path: Path) -> Benchmark:
    if path.suffix not in READERS:
        raise InputError(
            f"{path}: its ending tells the format, and is none of {', '.join(READERS)}. Rename it."
        )
    benchmark = READERS[path.suffix](name, path)
    if not benchmark.mentions:
        raise InputError(f"{path}: holds no mentions of {name}.")
    return benchmark


def _check_number(name: str, path: str | Path, found: int, source: str | None) -> None:
    if source is None:
        return
    expected = expected_mentions(source)
    if name not in expected:
        raise InputError(
            f"--set {name}: {source} says no number of mentions for it, only for "
            f"{', '.join(expected) or 'none'}."
        )
    if found != expected[name]:
        raise InputError(
            f"{path}: {found} mentions, but {name} has {expected[name]}. Another release, or cut "
            "short? Accept the number with --settings '{\"expected\": null}' (params.yaml: "
            "linking.published_counts)."
        )


def _table(
    name: str, mentions: Sequence[LinkedMention], matches: Sequence[Match], tokens: int
) -> pa.Table:
    rows = [
        (
            mention.mention_id, name, WIKIPEDIA, mention.document,
            " ".join(_last(mention.left.lower().split(), tokens)), mention.text.lower(),
            " ".join(mention.right.lower().split()[:tokens]), found.entity, "", found.kind,
        )
        for mention, found in zip(mentions, matches, strict=True)
    ]  # fmt: skip
    columns = [
        pa.array(values, field.type)
        for values, field in zip(zip(*rows, strict=True), LINKED_MENTIONS, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=LINKED_MENTIONS)


def _last(words: list[str], count: int) -> list[str]:
    return words[max(0, len(words) - count) :]


def _tell(name: str, counts: Mapping[str, Any]) -> None:
    matched = counts["matched"]
    logger.info(
        "%s: %d mentions; gold found by id: %d, by title only: %d, outside the base: %d",
        name, counts["mentions"], matched["id"], matched["title"], matched["none"],
    )  # fmt: skip
    for kind, text in (("title_only", "by title only"), ("outside", "outside the base")):
        for one in counts[kind][:3]:
            logger.info(
                "%s: %s: %r (%s, id %s)",
                name, text, one["mention"], one["gold_title"], one["gold_id"],
            )  # fmt: skip
    if counts["other_title"]:
        logger.info("%s: %d ids have another title in the base", name, counts["other_title"])
    for reason, number in counts["left_out"].items():
        logger.info("%s: %d more mentions left out: %s", name, number, reason)
