"""Qdrant's answers are those of the exact search in the index's own files."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from qdrant_client.http.exceptions import ResponseHandlingException

from muver.io.errors import InputError
from muver.kb.index import qdrant as package
from muver.kb.index.changes import Change
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.qdrant import QdrantIndex, collection
from muver.kb.index.snapshot import NoAnswer
from muver.retriever.answers import Mention
from tests import tiny
from tests.kb.index.qdrant.conftest import RANKED, in_process
from tests.kb.index.steps import MENTIONS, SOME, STEPS, answers, apply, entities

WHERE = "http://qdrant.test:6333/harbour"
KINDS = {
    "sentences": ("dot", {}),
    "merged": ("dot", {"merge": 2, "merged_tokens": 60}),
    "distances": ("l2", {}),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request, tmp_path_factory, encoder):
    """A model's directory and settings."""
    metric, own = KINDS[request.param]
    folder = tmp_path_factory.mktemp(metric)
    tiny.make_model(encoder, metric=metric).save_pretrained(folder)
    return folder, own


@settings(max_examples=5)
@given(first=SOME, steps=STEPS)
def test_after_any_changes(kind, first, steps, whole_numbers):
    """Products are whole numbers, so that many scores are equal."""
    there = dict(first)
    model, own = kind
    with TemporaryDirectory() as folder, in_process():
        index = Index.create(Path(folder, "index"), entities(there), model, weights=RANKED, **own)
        assert index.push(WHERE) == Change(added=len(there))
        before = dict(there)
        for step, given in steps:
            index = apply(index, there, step, given)
        done = index.push(WHERE)
        assert done.added == len(there.keys() - before.keys())
        assert done.removed == len(before.keys() - there.keys())
        same = before.items() & there.items()
        assert (done.unchanged, done.updated) == (len(same), len(there) - done.added - len(same))
        pushed = QdrantIndex.open(index.folder, WHERE)
        assert (pushed.generation, pushed.worlds, len(pushed)) == (
            index.generation, index.worlds, len(index),
        )  # fmt: skip
        for k in (1, 3, 100):
            assert answers(pushed, k) == answers(index, k)
        assert index.push(WHERE) == Change(unchanged=len(there))


@pytest.fixture
def index(tmp_path, model, entities, qdrant):
    """An index that has been pushed."""
    index = Index.create(tmp_path / "harbour", entities, model, weights=RANKED)
    index.push("http://qdrant.test:6333")
    return index


def test_nothing_is_found_where_no_entity_is_left(index):
    for world in index.worlds:
        index.remove([one.id for one in index.entities() if one.world == world], world)
    index.push(WHERE)
    pushed = QdrantIndex.open(index.folder, WHERE)
    assert pushed.worlds == []
    assert pushed.retrieve([Mention("anything")], 3) == [[]]


def test_a_real_model(index):
    pushed = QdrantIndex.open(index.folder, WHERE)
    assert answers(pushed, 12) == answers(index, 12)
    for mention in MENTIONS[:2]:
        [[best, *_]] = index.retrieve([mention], 3)
        asked = mention, best.document_id, best.world
        assert pushed.explain(*asked) == index.explain(*asked)


def test_more_equal_scores_than_are_asked_for(tmp_path, model, qdrant):
    """Of equals those come first whose ids do, though Qdrant gives any of them."""
    same = [Entity(id=f"{n:02}", title="king", description="The river.") for n in range(60)]
    index = Index.create(tmp_path / "harbour", same, model, weights=RANKED)
    index.push(WHERE)
    [found] = QdrantIndex.open(index.folder, WHERE).retrieve([Mention("river")], 3)
    assert [one.document_id for one in found] == ["00", "01", "02"]


def test_what_else_is_asked(index, entities):
    pushed = QdrantIndex.open(index.folder, WHERE)
    assert pushed.entity("e1") == index.entity("e1") == entities[1]
    assert pushed.has("e1", "birch") and not pushed.has("e1", "alder")
    ours, theirs = index.views("e1"), pushed.views("e1")
    assert ours.entity == theirs.entity
    for name in ("sentences", "views", "vectors"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert (mine == other).all() and mine.dtype == other.dtype


def test_a_machine_that_only_asks_has_no_segments(index):
    expected = answers(index, 3)
    for path in (index.folder / "segments").iterdir():
        path.unlink()
    assert answers(QdrantIndex.open(index.folder, WHERE), 3) == expected


def test_the_next_push_is_seen(index):
    pushed = QdrantIndex.open(index.folder, WHERE)
    assert pushed.refresh() is pushed
    index.remove([f"e{number}" for number in range(0, 12, 2)])
    index.push(WHERE)
    newest = pushed.refresh()
    assert (newest.generation, newest.worlds, len(newest)) == (2, ["birch"], 6)


def test_another_index_of_the_same_generation_is_seen(index, tmp_path, model, entities):
    pushed = QdrantIndex.open(index.folder, WHERE)
    assert pushed.worlds == ["alder", "birch"]
    new = [replace(one, world="cedar") for one in entities[:3]]
    Index.create(tmp_path / "new" / "harbour", new, model).push(WHERE)
    newest = pushed.refresh()
    assert (newest.generation, newest.worlds, len(newest)) == (1, ["cedar"], 3)


def test_what_was_stopped_is_finished_by_the_next(index, monkeypatch):
    put, done = collection.Points.put, []

    def stopped(self, some):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.extend(some)
        put(self, some)

    index.update([replace(index.entity(id), title="Another") for id in ("e1", "e2", "e3", "e4")])
    with monkeypatch.context() as patch:
        patch.setattr(package, "NUMBERS_AT_ONCE", 1)
        patch.setattr(collection.Points, "put", stopped)
        with pytest.raises(KeyboardInterrupt):
            index.push(WHERE)
    assert QdrantIndex.open(index.folder, WHERE).generation == 1
    assert index.push(WHERE) == Change(updated=2, unchanged=10)
    assert answers(QdrantIndex.open(index.folder, WHERE), 12) == answers(index, 12)


def test_a_server_that_stops_in_the_middle(tmp_path, model, entities, qdrant, monkeypatch):
    """What it took stays there and is not asked before a push came to its end."""
    index = Index.create(tmp_path / "harbour", entities[:4], model, weights=RANKED)
    real, taken = qdrant.upsert, []

    def upsert(name, points):
        if len(taken) == 3:
            raise ResponseHandlingException(ConnectionError("connection refused"))
        taken.extend(one.id for one in points)
        return real(name, points)

    with monkeypatch.context() as patch:
        patch.setattr(package, "NUMBERS_AT_ONCE", 1)
        patch.setattr(qdrant, "upsert", upsert)
        with pytest.raises(NoAnswer, match="connection refused.*index push` again, and it goes"):
            index.push(WHERE)
    with pytest.raises(InputError, match="harbour: no push has come to its end.*index push`"):
        QdrantIndex.open(index.folder, WHERE)
    assert index.push(WHERE) == Change(added=1, unchanged=3)
    assert answers(QdrantIndex.open(index.folder, WHERE), 4) == answers(index, 4)


def test_equal_names_come_first_however_far_their_views(index):
    index.add([Entity(id="far", title="Σπίτι", aliases=["the  RIVER king"], world="alder")])
    index.push(WHERE)
    pushed = QdrantIndex.open(index.folder, WHERE)
    for asked in ("the river king", "ΣΠΊΤΙ"):
        [[best]] = pushed.retrieve([Mention(asked)], 1, weights={"views": 0.01})
        assert (best.document_id, best.signals["exact"]) == ("far", 10)
    assert answers(pushed, 5) == answers(index, 5)
