"""Inverse cloze: from a marked piece of a page's text, find the page that it is about.

After Lee et al. (2019), "Latent Retrieval for Weakly Supervised Open Domain Question Answering",
where the query is a sentence and the answer is the rest of its page. Here queries are laid out as
mentions' contexts are, and pages as entities' views are. A query that names a page is marked at the
name, as a mention is, and asks for that page.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.schema import read_entities, read_sentences
from muver.retriever.corpus.sources import SPLITS
from muver.retriever.views.build import Tokenizer
from muver.retriever.views.layout import Ids, Markers, context, prefix_view

LONGEST_SPAN = 3  # most pieces to mark if no page is named
SHORTEST_VIEW = 16  # least tokens of a batch's longest view
DISAMBIGUATION = re.compile(r" \([^()]*\)$")


@dataclass(frozen=True)
class Page:
    """One page: its whole title and its sentences."""

    title: Ids
    sentences: list[Ids]


class Wiki:
    """A world's pages; in texts their names are titles without a disambiguation in brackets."""

    def __init__(
        self, titles: Sequence[str], sentences: Sequence[Sequence[str]], tokenizer: Tokenizer
    ):
        flat = iter(tokenizer.ids([sentence for of_page in sentences for sentence in of_page]))
        split = ([next(flat) for _ in of_page] for of_page in sentences)
        self.pages = [
            Page(title, [ids for ids in page if ids])  # a sentence may have no pieces
            for title, page in zip(tokenizer.ids(titles), split, strict=True)
        ]
        self._names: dict[tuple[int, ...], list[int]] = {}
        for number, name in enumerate(tokenizer.ids([DISAMBIGUATION.sub("", t) for t in titles])):
            self._names.setdefault(tuple(name), []).append(number)
        self._longest = max(map(len, self._names), default=0)

    @property
    def with_text(self) -> list[int]:
        """Numbers of the pages with at least one sentence."""
        return [number for number, page in enumerate(self.pages) if page.sentences]

    def named_in(self, text: Ids) -> Iterator[tuple[int, int, list[int]]]:
        """Where names stand: first piece, the piece after the last, the pages with this name.

        Of names that begin at the same piece only the longest is found; names may overlap.
        """
        for start in range(len(text)):
            for end in range(min(start + self._longest, len(text)), start, -1):
                if pages := self._names.get(tuple(text[start:end])):
                    yield start, end, pages
                    break


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
        of_pages = read_sentences(sentences, [world])["sentences"].to_pylist()
        wikis[world] = Wiki(titles, of_pages, tokenizer)
    if not any(wiki.with_text for wiki in wikis.values()):
        raise InputError(f"{sentences}: no training world has a sentence to pre-train on.")
    return wikis


@dataclass(frozen=True)
class Layout:
    """How queries and views are drawn.

    A query has at most ``context_tokens``, a view ``view_tokens``. ``mask`` replaces each piece of
    a hidden name, ``hide`` is the share of named pages whose name is hidden, and ``keep`` how often
    a page keeps the text of a query that was taken from it and asks for it.
    """

    markers: Markers
    mask: int
    context_tokens: int
    view_tokens: int
    hide: float
    keep: float


def draw(
    wiki: Wiki, pages: Sequence[int], layout: Layout, random: np.random.Generator
) -> tuple[list[Ids], list[Ids], np.ndarray]:
    """Draw queries from pages of one world, views of the pages they ask for, and which view each
    asks for.

    The longest view of a batch is drawn evenly on a logarithmic scale, so that most batches are
    short and yet every position is trained.
    """
    least = min(SHORTEST_VIEW, layout.view_tokens)
    longest = round(least * (layout.view_tokens / least) ** random.random())
    contexts, asked = [], []
    left_out: dict[int, set[int]] = {}  # sentences, by page asked for
    for page in pages:
        ids, about, without = _query(wiki, page, layout, random)
        contexts.append(ids)
        asked.append(about)
        left_out.setdefault(about, set()).update(without)
    views = [
        _view(wiki.pages[about], without, longest, layout, random)
        for about, without in left_out.items()
    ]
    columns = {about: column for column, about in enumerate(left_out)}
    return contexts, views, np.array([columns[about] for about in asked])


def mean_longest_view(view_tokens: int) -> float:
    """Mean over batches of the length to which their views are cut.

    >>> round(mean_longest_view(512))
    143
    """
    least = min(SHORTEST_VIEW, view_tokens)
    return (view_tokens - least) / math.log(view_tokens / least) if view_tokens > least else least


def _query(
    wiki: Wiki, page: int, layout: Layout, random: np.random.Generator
) -> tuple[Ids, int, range]:
    """A query from a page, the page that it asks for, and the sentences to leave out of that page.

    A query is a sentence between its neighbours.
    """
    sentences = wiki.pages[page].sentences
    at = int(random.integers(len(sentences)))
    text = sentences[at]
    named = [
        (start, end, page if page in pages else pages[0])
        for start, end, pages in wiki.named_in(text)
        if page in pages or len(pages) == 1
    ]
    if named:
        start, end, about = named[int(random.integers(len(named)))]
        hidden = random.random() < layout.hide
    else:
        start = int(random.integers(len(text)))
        end, about = start + int(random.integers(LONGEST_SPAN)) + 1, page
        hidden = False
    span = [layout.mask] * (end - start) if hidden else text[start:end]
    before, after = sentences[max(at - 1, 0) : at], sentences[at + 1 : at + 2]
    left = [*(piece for sentence in before for piece in sentence), *text[:start]]
    right = [*text[end:], *(piece for sentence in after for piece in sentence)]
    ids = context(left, span, right, layout.markers, layout.context_tokens)
    kept = about != page or random.random() < layout.keep
    return ids, about, range(0) if kept else range(at - len(before), at + 1 + len(after))


def _view(
    page: Page, without: set[int], longest: int, layout: Layout, random: np.random.Generator
) -> Ids:
    """A page from one of its sentences on, without some; if none other are left, from all."""
    others = [sentence for number, sentence in enumerate(page.sentences) if number not in without]
    shown = others or page.sentences
    start = int(random.integers(len(shown))) if shown else 0
    text = [piece for sentence in shown[start:] for piece in sentence]
    return prefix_view(page.title, text, layout.markers, longest)
