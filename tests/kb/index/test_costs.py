"""What answers take grows with what is stored, wherever it stands."""

import pytest

from muver.kb.index.costs import BYTES, PIECES_BY_LETTERS
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.retriever.answers import Mention
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
    assert index.candidates_take(1) == pytest.approx(1 + more, abs=1)
    assert index.candidates_take(100) == pytest.approx(index.candidates_take(1) + 3, abs=0.1)
    index.remove(["long"])
    assert index.candidates_take(1) == pytest.approx(1, abs=0.1)


def test_an_index_of_nothing_takes_nothing(tmp_path):
    index = Index.create(tmp_path / "index", [])
    assert (index.costs.comparing(128), index.candidates_take(10)) == (0, 0)


def test_what_is_compared_is_names_by_pieces_and_all_vectors(tmp_path, towers):
    words = Index.create(tmp_path / "words", [entity(aliases=["a" * 250] * 1_000)])
    assert words.costs.comparing(128) == pytest.approx(128 * 250_005 / PIECES_BY_LETTERS)
    assert words.costs.narrowing == pytest.approx(25, abs=1)
    many = entity(description="The king saw the old tower by the river. " * 2_000)
    index = Index.create(tmp_path / "index", [*SHORT, many], towers)
    vectors = len(index.views("long").vectors) * index.views("long").vectors.shape[1]
    assert index.costs.comparing(0) > vectors / 1_000_000
    assert index.candidates_take(1) > vectors / 40_000


def test_of_many_equal_views_the_texts_of_few_are_read(tmp_path, towers, monkeypatch):
    many = entity(description="The king saw the old tower by the river. " * 500)
    index = Index.create(tmp_path / "index", [*SHORT, many], towers)
    views, read = index.views("long"), []
    monkeypatch.setattr(type(views), "_letters", lambda _, view: read.append(view) or -view)
    (found,), alike = index.retrieve([Mention("tower", world="alder")], 1), len(views.vectors)
    assert found and alike > 100 and len(read) <= 17
