"""Link the mentions of a benchmark file to the entities of a knowledge base."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest
from muver.io.parquet import table_of, write_table
from muver.io.progress import logger
from muver.retriever.corpus.archive import find_root
from muver.retriever.corpus.kilt.lookup import KnowledgeBase
from muver.retriever.corpus.linking.benchmark import Benchmark, LinkedMention
from muver.retriever.corpus.linking.blink import read_blink
from muver.retriever.corpus.linking.conll import read_conll
from muver.retriever.corpus.linking.match import Match, match, report
from muver.retriever.corpus.schema import LINKED_MENTIONS, WIKIPEDIA
from muver.retriever.corpus.settings import Link
from muver.retriever.corpus.sources import find_source

READERS = {"blink": read_blink, "conll": read_conll}
FORMATS = {".jsonl": "blink", ".conll": "conll", ".tsv": "conll"}


def link_set(
    name: str,
    path: str | Path,
    kb: str | Path,
    mentions_path: str | Path,
    report_path: str | Path,
    settings: Link,
    below: str | Path | None = None,
) -> dict[str, Any]:
    """Write a benchmark's mentions (`LINKED_MENTIONS`) with their entities, and a report.

    Nothing is written if the file is malformed, has another number of mentions than expected, or
    has no gold entity in the knowledge base at all. If ``below``, an unpacked archive, is given,
    ``path`` names a file in any of its folders.

    Returns
    -------
    The report's counts.
    """
    path = _locate(name, path, below)
    mentions, left_out = _read(name, path, settings.format, settings.part)
    _check_number(name, path, len(mentions), settings.expected)
    base = KnowledgeBase(kb)
    matches = match(mentions, base, settings.match)
    counts = {**report(mentions, matches, settings.shown), "left_out": left_out}
    if not counts["in_kb"]:
        raise InputError(
            f"{path}: none of the {len(mentions)} mentions has its gold entity in {kb}, looked up "
            f"by {settings.match.replace('_', ' ')}. Is it the knowledge base of this benchmark?"
        )
    write_table(mentions_path, _table(name, mentions, matches, settings.context_tokens))
    inputs = {"mentions": sha256_of(path), "kb": base.manifest["fingerprint"]}
    write_manifest(Path(report_path), "link", settings.as_dict(), inputs, set=name, **counts)
    _log(name, counts)
    return counts


def published_mentions(source: str) -> dict[str, int]:
    """The published number of mentions of each set."""
    published = find_source(source).published
    return published.mentions if published else {}


def _locate(name: str, file: str | Path, below: str | Path | None) -> Path:
    try:
        path = Path(file) if below is None else find_root(below, [str(file)]) / file
        if not path.is_file():
            raise InputError(f"{path}: no such file.")
    except InputError as error:
        licence = " AIDA's text needs a licence: docs/wikipedia.md." if "aida" in name else ""
        raise InputError(
            f"{error} Name the file of {name} with --file, or in params.yaml: "
            f"linking.sets.{name}.file.{licence}"
        ) from None
    return path


def _read(name: str, path: Path, form: str | None, part: str | None) -> Benchmark:
    form = form or FORMATS.get(path.suffix)
    if form is None:
        raise InputError(
            f"{path}: the ending says nothing of the format ({', '.join(FORMATS)} do). Set "
            f"linking.sets.{name}.format (--settings: format) to {' or '.join(READERS)}."
        )
    benchmark = READERS[form](name, path, part)
    if not benchmark.mentions:
        raise InputError(f"{path}: holds no mentions of {name}.")
    return benchmark


def _check_number(name: str, path: Path, found: int, source: str | None) -> None:
    if source is None:
        return
    published = published_mentions(source)
    if name not in published:
        raise InputError(
            f"--name {name}: {source} has no published number of mentions for it, only for "
            f"{', '.join(published) or 'none'}."
        )
    if found != published[name]:
        raise InputError(
            f"{path}: {found} mentions, but {name} has {published[name]}. Is it another release, "
            "or cut short? Accept the number with --settings '{\"expected\": null}' (params.yaml: "
            "linking.published_counts)."
        )


def _table(
    name: str, mentions: Sequence[LinkedMention], matches: Sequence[Match], tokens: int
) -> pa.Table:
    rows = []
    for mention, found in zip(mentions, matches, strict=True):
        left, right = mention.left.lower().split(), mention.right.lower().split()
        left = " ".join(left[max(0, len(left) - tokens) :])
        rows.append((
            mention.mention_id, name, WIKIPEDIA, mention.document, left, mention.text.lower(),
            " ".join(right[:tokens]), found.entity, "", found.kind,
        ))  # fmt: skip
    return table_of(LINKED_MENTIONS, list(zip(*rows, strict=True)))


def _log(name: str, counts: Mapping[str, Any]) -> None:
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
