"""Links as labelled mentions: a dataset in ZESHEL's format, as ZESHEL itself was made.

The text that a link shows is a mention, and the page that it leads to is its gold entity. Mentions
that equal their entity's title are the easy ones and most of a wiki's, so they are capped.
"""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from muver.io.errors import InputError, choices
from muver.kb.importing.importing_settings import Mentions
from muver.kb.importing.ledger import Ledger
from muver.kb.importing.schema import Link
from muver.retriever.corpus.sources import SPLITS
from muver.retriever.corpus.texts import category

Place = Callable[[str, str], tuple[str, str]]  # world and id of a page: its split and world there


class Spaces(dict):
    """For `str.translate`: puts spaces around punctuation and symbols."""

    def __missing__(self, code: int) -> str | int:
        letter = chr(code)
        apart = unicodedata.category(letter)[0] in "PS"
        self[code] = f" {letter} " if apart else code
        return self[code]


SPACES = Spaces()


def tokens_of(text: str) -> list[str]:
    """Words and, each for itself, punctuation marks.

    >>> tokens_of("Ann's bridge, 3.5 km"), tokens_of("दिल्ली है।")
    (['Ann', "'", 's', 'bridge', ',', '3', '.', '5', 'km'], ['दिल्ली', 'है', '।'])
    """
    return text.translate(SPACES).split()


def tokenised(text: str, links: Sequence[Link]) -> tuple[list[str], list[tuple[int, int]]]:
    """The tokens of a text, and the first and last one of each link.

    A link begins and ends a token, so that part of a word may be one.

    >>> tokenised("the cats3 of St. John's", [Link(4, 8, "a"), Link(13, 21, "b")])
    (['the', 'cats', '3', 'of', 'St', '.', 'John', "'", 's'], [(1, 1), (4, 6)])
    """
    tokens: list[str] = []
    spans: list[tuple[int, int]] = []
    done = 0
    for link in links:
        tokens += tokens_of(text[done : link.start])
        first = len(tokens)
        tokens += tokens_of(text[link.start : link.end])
        spans.append((first, len(tokens) - 1))
        done = link.end
    tokens += tokens_of(text[done:])
    return tokens, spans


def write_dataset(
    folder: Path, ledger: Ledger, worlds: Sequence[str], settings: Mentions
) -> dict[str, Any]:
    """Write ``documents/<world>.json`` and ``mentions/{train,val,test}.json`` into an empty folder;
    return their counts.
    """
    place = _places(worlds, settings)
    for name in ("documents", "mentions"):
        (folder / name).mkdir()
    lost = _write_documents(folder / "documents", ledger, settings, place)
    counts = _write_mentions(folder / "mentions", ledger, settings)
    for split in SPLITS:
        if not counts["mentions"][split]:
            raise InputError(
                f"--mentions: no link of {split} leads to a page of the same wiki under another "
                'name than its title. Set {"mentions": {"val": ..., "test": ...}} in --settings.'
            )
    return {**counts, "links_to_no_entity": lost}


def _places(worlds: Sequence[str], settings: Mentions) -> Place:
    """Tells the split, and the world's name in the dataset, of a page."""
    names = {world: re.sub(r"[^\w.-]", "_", world).lstrip(".") or "world" for world in worlds}
    if len(set(names.values())) < len(names):
        raise InputError(f"--mentions: worlds whose names are too alike: {', '.join(worlds)}.")
    val, test = settings.val, settings.test
    if not isinstance(val, list):

        def by_chance(world: str, identity: str) -> tuple[str, str]:
            at = _chance(settings.seed, "split", world, identity) / 2**63
            split = "val" if at < val else "test" if at < val + test else "train"
            return split, f"{names[world]}_{split}"

        return by_chance
    splits = (
        dict.fromkeys(worlds, "train") | dict.fromkeys(val, "val") | dict.fromkeys(test, "test")
    )
    if unknown := next((world for world in splits if world not in names), None):
        raise InputError(f"--settings: mentions: no world {unknown!r}.{choices(unknown, worlds)}")
    return lambda world, _: (splits[world], names[world])


def _chance(*of: Any) -> int:
    """A number below 2**63, by chance but the same each time."""
    digest = hashlib.blake2b("\0".join(map(str, of)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _write_documents(folder: Path, ledger: Ledger, settings: Mentions, place: Place) -> int:
    """Write the documents and keep their mentions; returns how many links lead to no entity."""
    by_page = not isinstance(settings.val, list)
    lost = 0
    with ExitStack() as files:
        opened = cache(lambda name: files.enter_context((folder / f"{name}.json").open("wb")))
        for page in ledger.entities():
            split, name = place(page.world, page.id)
            tokens, spans = tokenised(page.description, page.links)
            line = {"document_id": page.id, "title": page.title, "text": " ".join(tokens)}
            copies = [name.removesuffix(split) + s for s in SPLITS] if by_page else [name]
            for copy in copies:
                opened(copy).write(_json_line(line))
            for link, (first, last) in zip(page.links, spans, strict=True):
                gold = ledger.find(page.world, link.target)
                lost += gold is None
                if gold is None or gold[0] == page.id or last < first:
                    continue
                mention = {
                    "mention_id": f"{_chance(settings.seed, page.world, page.id, first):016X}",
                    "context_document_id": page.id,
                    "label_document_id": gold[0],
                    "text": " ".join(tokens[first : last + 1]),
                    "start_index": first,
                    "end_index": last,
                    "corpus": name,
                    "category": category(page.description[link.start : link.end], gold[1]),
                }
                ledger.base.execute(
                    "INSERT INTO mention VALUES (:split, :corpus, :context_document_id, :category,"
                    " :label_document_id, :mention_id, :line)",
                    {**mention, "split": split, "line": _json_line(mention)},
                )
    return lost


def _write_mentions(folder: Path, ledger: Ledger, settings: Mentions) -> dict[str, Any]:
    """Write those that the caps leave, chosen by their ids, which are by chance; count."""
    base = ledger.base
    (all_mentions,) = base.execute("SELECT count(*) FROM mention").fetchone()
    for column, most in (("page", settings.per_page), ("gold", settings.per_target)):
        if most is not None:
            base.execute(
                "DELETE FROM mention WHERE rowid IN (SELECT row FROM (SELECT rowid AS row,"
                f" row_number() OVER (PARTITION BY split, world, {column} ORDER BY key) AS place"
                " FROM mention) WHERE place > ?)",
                (most,),
            )
    base.execute("CREATE INDEX by_world ON mention (split, world)")
    by_world = base.execute(
        "SELECT split, world, sum(category = 'HIGH_OVERLAP'), count(*) FROM mention"
        " GROUP BY split, world"
    ).fetchall()
    kept: dict[str, Counter[str]] = {split: Counter() for split in SPLITS}
    with ExitStack() as stack:
        files = {
            split: stack.enter_context((folder / f"{split}.json").open("wb")) for split in SPLITS
        }
        for split, world, all_high, count in by_world:
            high, others = allowed(all_high, count - all_high, settings)
            for kind, line in base.execute(
                "SELECT category, line FROM (SELECT rowid AS row, category, line, row_number() OVER"
                " (PARTITION BY category = 'HIGH_OVERLAP' ORDER BY key) AS place"
                " FROM mention WHERE split = ? AND world = ?)"
                " WHERE place <= iif(category = 'HIGH_OVERLAP', ?, ?) ORDER BY row",
                (split, world, high, others),
            ):
                kept[split][kind] += 1
                files[split].write(line)
    mentions = {split: ids.total() for split, ids in kept.items()}
    left_out = all_mentions - sum(mentions.values())
    return {"mentions": mentions, "categories": kept, "mentions_left_out": left_out}


def allowed(high: int, others: int, settings: Mentions) -> tuple[int, int]:
    """How many mentions of a world to keep: those that equal their title, and others.

    >>> [allowed(100, 10, Mentions(high_overlap=share)) for share in (0, 0.2, 0.5, 1)]
    [(0, 10), (2, 10), (10, 10), (100, 10)]
    >>> allowed(100, 10, Mentions(high_overlap=0.2, per_world=5))
    (1, 4)
    """
    share, most = settings.high_overlap, settings.per_world
    if share < 1:
        high = min(high, int(others * share / (1 - share)))
    if most is not None and high + others > most:
        high = min(high, int(most * share))
        others = min(others, most - high)
    return high, others


def _json_line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
