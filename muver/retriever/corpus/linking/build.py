"""Link the mentions of a benchmark file to the entities of a knowledge base."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest
from muver.io.parquet import table_of, write_table
from muver.io.progress import logger
from muver.io.text import counted
from muver.retriever.corpus.archive import find_root
from muver.retriever.corpus.corpus_settings import Link
from muver.retriever.corpus.knowledge_base import NONE, KnowledgeBase, normal_title
from muver.retriever.corpus.linking.benchmark import Benchmark, LinkedMention, read_blink
from muver.retriever.corpus.linking.conll import read_conll
from muver.retriever.corpus.schema import LINKED_MENTIONS, WIKIPEDIA
from muver.retriever.corpus.sources import Sizes
from muver.retriever.corpus.statistics import check_published
from muver.retriever.corpus.texts import nearest

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
) -> None:
    """Match the mentions of an entity-linking benchmark to the knowledge base.

    Writes them (`LINKED_MENTIONS`) with their entities, and a report.

    Nothing is written if the file is malformed, has another number of mentions than expected, or
    has no gold entity in the knowledge base at all. If ``below``, an unpacked archive, is given,
    ``path`` names a file in any of its folders.
    """
    path, (mentions, left_out) = _read(name, Path(path), below, settings)
    base = KnowledgeBase(kb)
    gold, kinds = match(mentions, base, settings.match)
    by_kind = Counter(kinds)
    counts = {
        "mentions": len(mentions),
        "in_kb": by_kind["id"] + by_kind["title"],
        "matched": {kind: by_kind[kind] for kind in ("id", "title", "none")},
        "other_title": other_titles(mentions, gold, base),
        "left_out": left_out,
    }
    if not counts["in_kb"]:
        raise InputError(
            f"{path}: of {counted(len(mentions), 'mention')} none has its gold entity in {kb}, "
            f"looked up by {settings.match.replace('_', ' ')}. Is it the knowledge base of this "
            "benchmark?"
        )
    write_table(mentions_path, _table(name, mentions, gold, kinds, settings.context_tokens))
    inputs = {"mentions": sha256_of(path), "kb": base.manifest["fingerprint"]}
    write_manifest(Path(report_path), "link", settings.as_dict(), inputs, set=name, **counts)
    logger.info(
        "%s: %s; gold found by id: %d, by title only: %d, outside the base: %d, with another title "
        "in the base: %d; left out: %s", name, counted(len(mentions), "mention"), by_kind["id"],
        by_kind["title"], by_kind["none"], counts["other_title"], left_out or "none",
    )  # fmt: skip


def match(
    mentions: Sequence[LinkedMention], base: KnowledgeBase, by: str
) -> tuple[NDArray[np.int64], list[str]]:
    """Each mention's entity, (mentions,), -1 if outside the base, and how it was found.

    Entities are found by Wikipedia id and, for ``id_or_title``, by title (`normal_title`): the base
    may lack an id because the page was merged, moved or written after the dump. The paper's BLINK
    numbers are matched by id alone.
    """
    gold = base.by_id([mention.gold_id for mention in mentions])
    kinds = np.where(gold == NONE, "none", "id")
    if by == "id_or_title":
        rest = [at for at in np.flatnonzero(gold == NONE) if normal_title(mentions[at].gold_title)]
        gold[rest] = base.by_title([mentions[at].gold_title for at in rest])
        kinds = np.where((kinds == "none") & (gold != NONE), "title", kinds)
    return gold, kinds.tolist()


def other_titles(
    mentions: Sequence[LinkedMention], gold: NDArray[np.int64], base: KnowledgeBase
) -> int:
    """How many mentions' entities, found by id, have another title in the base."""
    golds = [
        (mention.gold_title, entity)
        for mention, entity in zip(mentions, gold, strict=True)
        if mention.gold_title and entity != NONE
    ]
    titles = base.titles([entity for _, entity in golds])
    return sum(
        normal_title(link) != normal_title(title)
        for (link, _), title in zip(golds, titles, strict=True)
    )


def _read(
    name: str, path: Path, below: str | Path | None, settings: Link
) -> tuple[Path, Benchmark]:
    if below is not None:
        path = find_root(below, [str(path)]) / path
    form = settings.format or FORMATS.get(path.suffix)
    if form is None or not path.is_file():
        licence = " AIDA's text needs a licence: docs/data.md." if "aida" in name else ""
        wrong = "no such file" if form else f"the ending tells no format ({', '.join(FORMATS)} do)"
        raise InputError(
            f"{path}: {wrong}. Name file and format ({' or '.join(READERS)}) in params.yaml: "
            f"linking.sets.{name}.{licence}"
        )
    benchmark = READERS[form](name, path, settings.part)
    if not benchmark.mentions:
        raise InputError(f"{path}: holds no mentions of {name}.")
    check_published(path, Sizes(mentions={name: len(benchmark.mentions)}), settings.expected)
    return path, benchmark


def _table(
    name: str,
    mentions: Sequence[LinkedMention],
    gold: NDArray[np.int64],
    kinds: Sequence[str],
    tokens: int,
) -> pa.Table:
    rows = []
    for mention, entity, kind in zip(mentions, gold.tolist(), kinds, strict=True):
        left, right = nearest(mention.left.split(), mention.right.split(), tokens)
        rows.append((
            mention.mention_id, name, WIKIPEDIA, mention.document, left, mention.text.lower(),
            right, None if entity == NONE else entity, "", kind,
        ))  # fmt: skip
    return table_of(LINKED_MENTIONS, list(zip(*rows, strict=True)))
