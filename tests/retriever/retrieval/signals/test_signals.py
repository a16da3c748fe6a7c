"""Signals of small worlds, against values computed by hand."""

import math

import numpy as np
import pyarrow as pa
import pytest

from muver.retriever.retrieval.signals.catalog import Characters, Ranked, Words
from muver.retriever.retrieval.signals.texts import Texts


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


def test_texts_are_compared_by_cosines():
    asked = {"one": np.array([1, 0]), "two": np.array([0.6, 0.8])}
    told = np.array([[0, 1], [0.8, 0.6], [-1, 0]])
    found = Texts(asked, told).scores([{"mention_id": "two"}, {"mention_id": "one"}])
    assert found == pytest.approx(np.array([[0.8, 0.96, -0.6], [0, 0.8, -1]]))


def test_a_run_is_scaled_from_0_to_1():
    run = {"m": pa.table({"entity": [2, 0, 1], "score": [5.0, 3.0, 1.0]}),
           "n": pa.table({"entity": [3], "score": [-7.0]})}  # fmt: skip
    found = Ranked(run, 4).scores([{"mention_id": one} for one in ("n", "m", "away")])
    assert found.tolist() == [[0, 0, 0, 1], [0.5, 0, 1, 0], [0, 0, 0, 0]]
