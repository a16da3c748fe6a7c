"""What answers take grows with what is stored, wherever it stands."""

import numpy as np
import pytest
from torch import nn

from muver.kb.index.costs import BYTES, PIECES_BY_LETTERS, Costs
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.retriever.answers import Mention
from muver.retriever.encoders import device
from tests import tiny

SHORT = [Entity(id=f"e{n}", title="tower", world="alder") for n in range(3)]


def entity(**given):
    return Entity(**{"id": "long", "title": "tower", "world": "alder", **given})


@pytest.fixture(scope="module")
def towers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("towers")
    model = tiny.make_model(tiny.make_encoder(folder / "encoder"))
    model.save_pretrained(folder / "model")
    return folder / "model"


@pytest.mark.parametrize(
    "given, more",
    [
        ({"title": "t" * BYTES}, 2),
        ({"aliases": ["a" * 250] * 400}, 1),
        ({"description": "The king. " * 20_000}, 2),
        ({"further": {f"column {n}": "" for n in range(3_000)}}, 20),
    ],
)
def test_a_candidate_takes_what_is_read_of_it(tmp_path, given, more):
    index = Index.create(tmp_path / "index", [*SHORT, entity(**given)])
    assert index.costs.candidates(1) == pytest.approx(1 + more, abs=1)
    assert index.costs.candidates(100) == pytest.approx(index.costs.candidates(1) + 3, abs=0.1)
    index.remove(["long"])
    assert index.costs.candidates(1) == pytest.approx(1, abs=0.1)


def test_an_index_of_nothing_takes_nothing(tmp_path):
    index = Index.create(tmp_path / "index", [])
    assert (index.costs.comparing(128), index.costs.candidates(10)) == (0, 0)


def test_what_is_compared_is_names_by_pieces_and_all_vectors(tmp_path, towers):
    words = Index.create(tmp_path / "words", [entity(aliases=["a" * 250] * 1_000)])
    assert words.costs.comparing(128) == pytest.approx(128 * 250_005 / PIECES_BY_LETTERS)
    assert words.costs.narrowing == pytest.approx(25, abs=1)
    many = entity(description="The king saw the old tower by the river. " * 2_000)
    index = Index.create(tmp_path / "index", [*SHORT, many], towers)
    vectors = len(index.views("long").vectors) * index.views("long").vectors.shape[1]
    assert index.costs.comparing(0) > vectors / 1_000_000
    assert index.costs.candidates(1) > vectors / 40_000


def test_of_many_equal_views_the_texts_of_few_are_read(tmp_path, towers, monkeypatch):
    many = entity(description="The king saw the old tower by the river. " * 500)
    index = Index.create(tmp_path / "index", [*SHORT, many], towers)
    views, read = index.views("long"), []
    monkeypatch.setattr(type(views), "_letters", lambda _, view: read.append(view) or -view)
    (found,), alike = index.retrieve([Mention("tower", world="alder")], 1), len(views.vectors)
    assert found and alike > 100 and len(read) <= 17


# A hundred thousand entities, and a model of twice the usual size that merges a layer.
LARGE = Costs(100_000, np.arange(100_001), 0, 200_000, 0, piece=2.0, piece_of_entity=4.0)
ASKED, LONG = Mention("a" * 40), Mention("a", left="a" * 9_000)


def test_a_model_weighs_what_each_word_piece_is_multiplied_with(monkeypatch):
    monkeypatch.setattr(device, "MINILM", 100)
    tower = nn.Sequential(nn.Embedding(50, 10), nn.Linear(10, 20, bias=False))
    assert device.weight_of(tower) == 2
    assert device.weight_of(nn.Linear(1, 1)) == device.LEAST


def test_a_mention_costs_what_is_read_and_found():
    assert LARGE.answer(ASKED, 10) == 16 * (2 + 1) + 1 + 10  # 14 pieces of three letters
    assert LARGE.answer(LONG) == 128 * (2 + 1)
    told = Entity(id="a", title="a", description="a" * 2_000, aliases=["b"] * 80)
    assert LARGE.explanation(ASKED, told) == 50 + 2 * (10 + 10)
    marks = Mention("." * 30, right="\N{GREEK SMALL LETTER ALPHA}" * 20)
    assert LARGE.answer(marks) == (2 + 30 + 20) * 3 + 3


def test_further_worlds_and_other_columns_cost_once():
    mentions = [Mention("a", world=world) for world in "abab"]
    one = LARGE.answer(mentions[0])
    assert LARGE.answers(mentions, 0, narrowed=False) == [one + 30 + 20, one, one, one]
    assert LARGE.answers(mentions[:1], 0, narrowed=True) == [one + 1_667 + 20]


@pytest.mark.parametrize(
    "given, tokens",
    [
        ({"title": "abc" * 3, "aliases": ["abc", "abcd"]}, 3 + 1 + 2),
        ({"title": "abc", "description": "One two. " * 8}, 1 + 24 + 8 * (4 + 1)),
        ({"title": "abc" * 100, "description": "One two. " * 8}, 100 + 24 + 8 * 40),
    ],
)
def test_an_entity_costs_its_texts_and_a_title_a_view(given, tokens):
    assert LARGE.change(entity(**given)) == 4 * tokens
