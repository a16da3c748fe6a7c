"""Signals of small worlds, against values computed by hand."""

import math

import numpy as np
import pytest

from muver.retriever.retrieval.signals import weighted
from muver.retriever.retrieval.signals.catalog import signals_of
from muver.retriever.retrieval.signals.characters import Characters
from muver.retriever.retrieval.signals.words import Words


def entities(**texts):
    return [{"title": name, "text": text} for name, text in texts.items()]


def mentions(*texts):
    return [{"mention": text, "context_left": "", "context_right": ""} for text in texts]


def test_words_are_shares_of_the_best():
    world = entities(Brig="ship ship ship", Dock="ship", Barn="cow")
    found = Words(world, k1=1.2, b=0).scores(mentions("ship", "sloop"))
    # Without regard to length (b = 0) a word found n times gives n / (n + 1.2): 3 / 4.2 and 1 / 2.2
    assert found[0] == pytest.approx([1, (1 / 2.2) / (3 / 4.2), 0])
    assert found[1].tolist() == [0, 0, 0]


def test_words_of_a_world_without_any():
    assert Words(entities(**{"-": ""})).scores(mentions("ship")).tolist() == [[0]]


def test_characters():
    found = Characters(entities(ab="", b="")).scores(mentions("AB", "b", "zz"))
    # Runs of " ab ": " a", "ab", "b ", " ab", "ab ", " ab "; of " b ": " b", "b ", " b ".
    # Only "b " is in both titles: it weighs 1 (ln(3/3) + 1), the others ln(3/2) + 1.
    rare = math.log(3 / 2) + 1
    long, short = math.sqrt(5 * rare**2 + 1), math.sqrt(2 * rare**2 + 1)
    assert found == pytest.approx(
        np.array([[1, 1 / (long * short)], [1 / (long * short), 1], [0, 0]]), abs=1e-6
    )


def test_characters_of_a_world_without_titles():
    assert Characters(entities(**{" ": "text"})).scores(mentions("ab")).tolist() == [[0]]
    assert Characters(entities(ab="")).scores([]).shape == (0, 1)


VECTORS = {"m": [2, 0], "l m r": [0, 3], "Brig": [1, 1], "Brig a ship": [0, 0], "Dock": [-5, 0],
           "Dock of ships": [3, 4]}  # fmt: skip


def encode(texts):
    return np.array([VECTORS[text] for text in texts], dtype=np.float32)


def test_texts_are_compared_by_cosines():
    world = entities(Brig="a ship", Dock="of ships")
    mention = {"mention": "m", "context_left": "l", "context_right": "r"}
    names = ["context", "names", "names_text"]
    found = [one.scores([mention])[0].tolist() for one in signals_of(names, world, encode)]
    assert found == [pytest.approx(own) for own in ([0, 0.8], [math.sqrt(0.5), -1], [0, 0.6])]


def test_a_text_of_an_entity_is_encoded_once():
    asked = []

    def counting(texts):
        asked.extend(texts)
        return np.zeros((len(texts), 2), dtype=np.float32)

    found = signals_of(["words", "context", "names_text"], entities(Brig="a ship"), counting)
    assert len(found) == 3 and asked == ["Brig a ship"]


def test_a_weighted_sum():
    class Constant:
        def __init__(self, *values):
            self.values = np.array([values], dtype=np.float32)

        def scores(self, mentions):
            return np.repeat(self.values, len(mentions), axis=0)

    found = weighted([Constant(1, 0), Constant(0.5, 2)], [2, 0.5], mentions("a", "b"))
    assert found.tolist() == [[2.25, 1], [2.25, 1]]
