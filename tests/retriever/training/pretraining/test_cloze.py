"""Queries and views of pages whose pieces tell where they are from, and the names in texts."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_entities, read_sentences
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.training.cloze import (
    Layout,
    Wiki,
    draw,
    training_wikis,
)
from muver.retriever.views.layout import Markers

MARKERS = Markers(pad=0, bos=(1,), eos=(2,), mention_start=3, mention_end=4, title_end=5)
MASK = 6
LAYOUT = Layout(MARKERS, MASK, context_tokens=64, view_tokens=64, hide=0.5, keep=0.0)


class Numbers:
    """A tokenizer of texts that are written as numbers."""

    def ids(self, texts):
        return [[int(number) for number in text.split()] for text in texts]


def wiki(names_in_text: bool) -> Wiki:
    """Pages 1 to 5: titles 10 to 50, six sentences of three pieces; page 1's may name page 2."""
    sentences = [[f"{p}{s}1 {p}{s}2 {p}{s}3" for s in range(6)] for p in range(1, 6)]
    if names_in_text:
        sentences[0] = [f"{one} 20 7" for one in sentences[0]]
    return Wiki([f"{p}0" for p in range(1, 6)], sentences, Numbers())


def sentences_of(ids):
    """Page and sentence of each piece of a page's text."""
    return {piece // 10 for piece in ids if piece >= 100}


@given(st.integers(0, 10_000), st.integers(16, 64))
def test_a_page_is_asked_for_by_what_its_view_does_not_have(seed, tokens):
    random = np.random.default_rng(seed)
    layout = replace(LAYOUT, view_tokens=tokens)
    contexts, views, gold = draw(wiki(False), range(5), layout, random)
    assert gold.tolist() == list(range(5)) and len(views) == 5
    for number, (context, view) in enumerate(zip(contexts, views, strict=True), start=1):
        asked, shown = sentences_of(context), sentences_of(view)
        assert 2 <= len(asked) <= 3 and shown and not asked & shown
        assert {one // 10 for one in asked | shown} == {number}
        assert [context[0], context[-1]] == [view[0], view[-1]] == [1, 2]
        assert view[1:3] == [10 * number, MARKERS.title_end] and len(view) <= tokens
        start, end = context.index(MARKERS.mention_start), context.index(MARKERS.mention_end)
        assert 1 <= end - start - 1 <= 3 and MASK not in context


def test_text_may_stay_and_a_page_without_other_text_is_shown_whole():
    kept = [
        draw(wiki(False), [0], replace(LAYOUT, keep=1.0), np.random.default_rng(seed))
        for seed in range(20)
    ]
    assert any(sentences_of(contexts[0]) & sentences_of(views[0]) for contexts, views, _ in kept)
    short = Wiki(["10"], [["101 102"]], Numbers())
    ((context,), (view,), _) = draw(short, [0], LAYOUT, np.random.default_rng(0))
    assert sentences_of(context) == sentences_of(view) == {10}


def test_a_page_that_is_named_is_asked_for_and_marked():
    contexts, views, gold = draw(wiki(True), [0, 0, 1], LAYOUT, np.random.default_rng(0))
    assert gold.tolist() == [0, 0, 0] and len(views) == 1 and views[0][1] == 20
    for context in contexts[:2]:
        start = context.index(MARKERS.mention_start)
        assert context[start + 1] in (20, MASK) and context[start + 2] == MARKERS.mention_end
        assert 7 in context[start + 3 :] and context[start - 1] // 100 == 1
    assert sentences_of(contexts[2]).isdisjoint(sentences_of(views[0]))


def test_names_are_hidden_in_their_share_of_queries():
    random = np.random.default_rng(0)
    hidden = [
        MASK in draw(wiki(True), [0], replace(LAYOUT, hide=0.3), random)[0][0] for _ in range(1000)
    ]
    assert np.mean(hidden) == pytest.approx(0.3, abs=0.05)


def test_a_name_of_several_pages_asks_for_none_but_the_own_one():
    wiki = Wiki(["10", "20", "20"], [["101 20"], ["201 20"], ["301"]], Numbers())
    contexts, _, gold = draw(wiki, [0, 1], LAYOUT, np.random.default_rng(3))
    assert gold.tolist() == [0, 1]
    start = contexts[1].index(MARKERS.mention_start)
    assert contexts[1][start - 1 : start] == [201]


class Letters:
    """A tokenizer whose pieces are the letters of a text."""

    def ids(self, texts):
        return [[ord(letter) for letter in text if letter.isalpha()] for text in texts]


def letters(text):
    return [ord(letter) for letter in text]


def test_names_are_found_where_they_stand():
    wiki = Wiki(["ab", "abc (x)", "abc (y)", "ca"], [["ab"], [], ["", "!"], ["c", "d"]], Letters())
    assert [page.sentences for page in wiki.pages] == [
        [letters("ab")], [], [], [letters("c"), letters("d")],
    ]  # fmt: skip
    assert wiki.pages[1].title == letters("abcx")
    assert wiki.with_text == [0, 3]
    # The longest at each place; "abc" is the name of two pages; a name that is cut is none.
    assert list(wiki.named_in(letters("zabcab"))) == [
        (1, 4, [1, 2]), (3, 5, [3]), (4, 6, [0]),
    ]  # fmt: skip
    assert list(wiki.named_in(letters("zza"))) == []


def test_the_training_worlds_alone_are_read(encoder, corpus, counts, tmp_path):
    """Without the others' rows, which would be missed, all is the same."""
    entities, _, sentences = corpus
    pieces = Pieces(encoder)
    found = training_wikis(entities, counts, sentences, pieces)
    kept = tmp_path / "entities.parquet", tmp_path / "sentences.parquet"
    pq.write_table(read_entities(entities, ["alder", "birch"]), kept[0])
    pq.write_table(read_sentences(sentences, ["alder", "birch"]), kept[1])
    again = training_wikis(kept[0], counts, kept[1], pieces)
    assert list(found) == list(again) == ["alder", "birch"]
    assert [one.pages for one in found.values()] == [one.pages for one in again.values()]
    none = tmp_path / "counts.json"
    none.write_text(json.dumps({"worlds": {"cedar": {"split": "val"}}}))
    with pytest.raises(InputError, match="no training world has a sentence"):
        training_wikis(entities, none, sentences, pieces)
