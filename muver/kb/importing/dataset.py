"""Links as labelled mentions: a dataset in ZESHEL's format, as ZESHEL itself was made.

The text that a link shows is a mention, and the page that it leads to is its gold entity. Mentions
that equal their entity's title are the easy ones and most of a wiki's, so they are capped.
"""

import hashlib
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.files import atomic_path
from muver.kb.importing.candidates import Candidates, json_line
from muver.kb.importing.items import Link
from muver.kb.importing.ledger import Ledger
from muver.kb.importing.settings import Mentions
from muver.retriever.corpus.categories import category
from muver.retriever.corpus.splits import SPLITS

LINKS = pa.schema(
    [("starts", pa.list_(pa.int32())), ("ends", pa.list_(pa.int32())),
     ("targets", pa.list_(pa.string()))]
)  # fmt: skip
REMEMBERED = 10_000  # titles that were looked up
ROWS = 1000
Place = Callable[[str, str], tuple[str, str]]


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

    >>> tokens_of("Ann's bridge, 3.5 km")
    ['Ann', "'", 's', 'bridge', ',', '3', '.', '5', 'km']
    """
    return text.translate(SPACES).split()


def tokenised(text: str, links: Sequence[Link]) -> tuple[str, list[tuple[int, int]]]:
    """A text as tokens with single spaces, and the first and last token of each link.

    A link begins and ends a token, so that part of a word may be one.
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
    return " ".join(tokens), spans


def write_dataset(
    folder: Path,
    entities: Path,
    links: Path,
    ledger: Ledger,
    worlds: Sequence[str],
    settings: Mentions,
    temporary: Path,
) -> dict[str, Any]:
    """Write ``documents/<world>.json`` and ``mentions/{train,val,test}.json``.

    Parameters
    ----------
    folder
        Must not exist yet; it appears when all is written.
    entities, links
        Parquet files with a row an entity, in the same order (`muver.kb.importing.schema.ENTITIES`,
        `LINKS`).
    ledger
        Finds the entity that a title means.
    worlds
        Names of all.
    temporary
        A folder on the same disk.

    Returns
    -------
    Counts: mentions by split and category, links that lead to no entity, mentions left out.

    Raises
    ------
    InputError
        If a split has no mentions, or for a world that is not there.
    """
    place = _splits(worlds, settings)
    made = temporary / "dataset"
    for name in ("documents", "mentions"):
        (made / name).mkdir(parents=True)
    with closing(Candidates(temporary / "mentions.sqlite")) as candidates:
        lost = _read(entities, links, ledger, settings, place, made / "documents", candidates)
        counts = candidates.write(made / "mentions", settings)
    for split in SPLITS:
        if not counts["mentions"][split]:
            raise InputError(
                f"--mentions: no mentions for {split}. Every split needs some: their links have to "
                'lead to pages of the same wiki under another name than the title. Set {"mentions":'
                ' {"val": ..., "test": ...}} in --settings to other worlds or larger shares.'
            )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(folder) as final:
        shutil.move(made, final)
    return {**counts, "links_to_no_entity": lost}


def check_free(folder: Path) -> None:
    """Refuse a folder that is there: files of another import would stay among ours."""
    if folder.exists():
        raise InputError(f"{folder}: is there already. Remove it, or name another folder.")


def _splits(worlds: Sequence[str], settings: Mentions) -> Place:
    """Tells the split, and the world's name in the dataset, of a page's world and id."""
    named = {
        split: given
        for split, given in (("val", settings.val), ("test", settings.test))
        if isinstance(given, list)
    }
    names = {world: _file_name(world) for world in worlds}
    if len(set(names.values())) < len(names):
        raise InputError(f"--mentions: worlds whose names are too alike: {', '.join(worlds)}.")
    if not named:
        shares = {"val": settings.val, "test": settings.test}
        return lambda world, identity: _by_share(world, identity, names, shares, settings.seed)
    if len(named) == 1:
        raise InputError(
            "--settings: mentions: val and test are both lists of worlds, or both shares of pages."
        )
    by_world = dict.fromkeys(worlds, "train")
    for split, given in named.items():
        for world in given:
            if world not in by_world:
                raise InputError(
                    f"--settings: mentions.{split}: no world {world!r}."
                    f"{did_you_mean(world, worlds)} There are: {', '.join(worlds)}."
                )
            by_world[world] = split
    return lambda world, identity: (by_world[world], names[world])


def _by_share(
    world: str, identity: str, names: Mapping[str, str], shares: Mapping[str, float], seed: int
) -> tuple[str, str]:
    at = _chance(seed, "split", world, identity) / 2**63
    split = "val" if at < shares["val"] else "test" if at < sum(shares.values()) else "train"
    return split, f"{names[world]}_{split}"


def _file_name(world: str) -> str:
    return re.sub(r"[^\w.-]", "_", world).lstrip(".") or "world"


def _chance(*of: Any) -> int:
    """A number below 2**63, by chance but the same each time."""
    digest = hashlib.blake2b("\0".join(map(str, of)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _read(
    entities: Path,
    links: Path,
    ledger: Ledger,
    settings: Mentions,
    place: Place,
    folder: Path,
    candidates: Candidates,
) -> int:
    """Write the documents and collect mentions; returns how many links lead to no entity."""
    find = lru_cache(REMEMBERED)(ledger.find)
    by_page = not isinstance(settings.val, list)
    lost = 0
    with ExitStack() as files:
        open_files: dict[str, Any] = {}
        for world, identity, title, text, found in _rows(entities, links):
            split, name = place(world, identity)
            document, spans = tokenised(text, found)
            copies = [name.removesuffix(split) + one for one in SPLITS] if by_page else [name]
            line = json_line({"document_id": identity, "title": title, "text": document})
            for copy in copies:
                if copy not in open_files:
                    path = folder / f"{copy}.json"
                    open_files[copy] = files.enter_context(path.open("wb"))
                open_files[copy].write(line)
            mentions = []
            for link, (first, last) in zip(found, spans, strict=True):
                gold = find(world, link.target)
                lost += gold is None
                if gold is None or gold[0] == identity or last < first:
                    continue
                key = f"{_chance(settings.seed, world, identity, first):016X}"
                mention = {
                    "mention_id": key,
                    "context_document_id": identity,
                    "label_document_id": gold[0],
                    "text": " ".join(document.split(" ")[first : last + 1]),
                    "start_index": first,
                    "end_index": last,
                    "corpus": name,
                    "category": category(text[link.start : link.end], gold[1]),
                }
                mentions.append((key, mention))
            chosen = sorted(key for key, _ in mentions)[: settings.per_page]
            candidates.add(split, name, [pair for pair in mentions if pair[0] in set(chosen)])
    return lost


def _rows(entities: Path, links: Path) -> Iterator[tuple[str, str, str, str, list[Link]]]:
    columns = ["world", "id", "title", "description"]
    with pq.ParquetFile(entities) as file, pq.ParquetFile(links) as others:
        for rows, found in zip(
            file.iter_batches(ROWS, columns=columns), others.iter_batches(ROWS), strict=True
        ):
            for row, own in zip(rows.to_pylist(), found.to_pylist(), strict=True):
                spans = zip(own["starts"], own["ends"], own["targets"], strict=True)
                yield *(row[name] for name in columns), [Link(*one) for one in spans]
