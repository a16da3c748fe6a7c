"""The pages of worlds as word pieces, and where a text names a page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.schema import read_entities, read_sentences
from muver.retriever.corpus.sources import SPLITS
from muver.retriever.views.build import Tokenizer
from muver.retriever.views.layout import Ids

DISAMBIGUATION = re.compile(r" \([^()]*\)$")
END = -1  # marks the end of a name in the tree of names


@dataclass(frozen=True)
class Page:
    """One page: its whole title and its sentences."""

    title: Ids
    sentences: list[Ids]


class Wiki:
    """The pages of one world.

    In texts, a page's name is its title without a disambiguation in brackets.
    """

    def __init__(
        self, titles: Sequence[str], sentences: Sequence[Sequence[str]], tokenizer: Tokenizer
    ):
        flat = iter(tokenizer.ids([one for some in sentences for one in some]))
        split = ([next(flat) for _ in some] for some in sentences)
        self.pages = [
            Page(title, [one for one in own if one])  # a sentence may have no pieces
            for title, own in zip(tokenizer.ids(titles), split, strict=True)
        ]
        self._names: dict[int, Any] = {}
        for number, name in enumerate(tokenizer.ids([DISAMBIGUATION.sub("", t) for t in titles])):
            node = self._names
            for piece in name:
                node = node.setdefault(piece, {})
            node.setdefault(END, []).append(number)

    @property
    def with_text(self) -> list[int]:
        """Numbers of the pages with at least one sentence."""
        return [number for number, page in enumerate(self.pages) if page.sentences]

    def named_in(self, text: Ids) -> Iterator[tuple[int, int, list[int]]]:
        """Where names stand: first piece, the piece after the last, the pages with this name.

        Of names that begin at the same piece only the longest is found; names may overlap.
        """
        for start in range(len(text)):
            node, found = self._names, None
            for end in range(start, len(text)):
                node = node.get(text[end])
                if node is None:
                    break
                if END in node:
                    found = start, end + 1, node[END]
            if found:
                yield found


def training_wikis(
    entities: Path, counts: Path, sentences: Path, tokenizer: Tokenizer
) -> dict[str, Wiki]:
    """The training worlds that have a page with text, by name; no other world is read.

    ``counts`` is the corpus' ``counts.json``, which tells each world's split.
    """
    worlds = read_json(counts)["worlds"]
    training = sorted(world for world, count in worlds.items() if count["split"] == SPLITS[0])
    wikis = {}
    for world in training:
        titles = read_entities(entities, [world])["title"].to_pylist()
        own = read_sentences(sentences, [world])["sentences"].to_pylist()
        wikis[world] = Wiki(titles, own, tokenizer)
    if not any(wiki.with_text for wiki in wikis.values()):
        raise InputError(f"{sentences}: no training world has a sentence to pre-train on.")
    return wikis
