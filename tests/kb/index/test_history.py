"""Answers do not depend on how the entities came into an index."""

import contextlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.kb.index import changes, segments
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.retriever.answers import Mention
from muver.retriever.encoders.biencoder import BiEncoder
from tests import tiny

KINDS = {
    "names and texts": {"context_tokens": 60, "view_tokens": 60, "global_tokens": 60},
    "views": {"views": "both", "merge": 2, "merged_tokens": 60, "global_tokens": 60},
    "mean": {"aggregate": {"kind": "log_mean_exp", "temperature": 3.0}},
}
MENTIONS = [
    Mention("the river king", "In spring", "saw the bell."),
    Mention("tower", world="birch"),
    Mention("nothing", world="alder"),
    Mention("a lantern of the crown", right="and the sword"),
]
TEXTS = ["", *(" ".join(sentences) for sentences in tiny.texts(4))]
CONTENTS = st.tuples(st.sampled_from(["river tower", "king", "bell"]), st.sampled_from(TEXTS))
KEYS = st.tuples(st.sampled_from(["alder", "birch"]), st.sampled_from("abcdef"))
SOME = st.dictionaries(KEYS, CONTENTS, min_size=1, max_size=8)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), SOME),
        st.tuples(st.just("update"), SOME),
        st.tuples(st.just("remove"), st.sets(KEYS, max_size=4)),
        st.tuples(st.just("compact"), st.none()),
    ),
    max_size=5,
)


def entities(contents) -> list[Entity]:
    return [
        Entity(id=id, title=title, description=text, world=world)
        for (world, id), (title, text) in contents.items()
    ]


def apply(index: Index, there: dict, step: str, given) -> Index:
    """Do a step on an index and on a dictionary."""
    if step == "compact":
        index.compact()
    elif step == "remove":
        for world, id in given & there.keys():
            assert index.remove([id], world).removed == 1
            del there[world, id]
    else:
        if step == "add":
            given = {key: content for key, content in given.items() if key not in there}
        change = getattr(index, step)(entities(given))
        assert change.added == len(given.keys() - there.keys())
        same = sum(there.get(key) == content for key, content in given.items())
        assert (change.unchanged, change.updated) == (same, len(given) - same - change.added)
        there |= given
    return index


def answers(index, k: int):
    asked = [one for one in MENTIONS if one.world is None or one.world in index.worlds]
    return [[replace(best, entity=0) for best in own] for own in index.retrieve(asked, k)]


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    """Parts of three entities, and segments that are soon joined."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "ENTITIES_A_PART", 3)
        patch.setattr(changes, "SMALL", 4)
        patch.setattr(changes, "MOST_SMALL", 2)
        yield


@contextlib.contextmanager
def whole_numbers():
    """Towers whose vectors are sums of small whole numbers, the same in any batch.

    All products are exact, and many are equal.
    """
    table = torch.randint(-2, 3, (1000, 32), generator=torch.Generator().manual_seed(5)).float()

    def encode(self, batch):
        vectors = torch.zeros((len(batch), 32))
        return vectors.index_add(0, batch.rows, table[batch.ids])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BiEncoder, "encode_views", encode)
        patch.setattr(BiEncoder, "encode_mentions", encode)
        yield


@settings(max_examples=12)
@given(first=SOME, steps=STEPS)
def test_words_give_the_same_answers_as_an_index_made_afresh(first, steps):
    check(first, steps, None)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=3)
@given(first=SOME, steps=STEPS)
def test_so_do_vectors(kind, first, steps, model, plain):
    with whole_numbers():
        check(first, steps, plain if kind == "names and texts" else model, **KINDS[kind])


def check(first, steps, model, **own):
    there = dict(first)
    with TemporaryDirectory() as folder:
        index = Index.create(Path(folder, "changed"), entities(there), model, **own)
        for step, given in steps:
            index = apply(index, there, step, given)
        assert {(one.world, one.id): (one.title, one.description) for one in index.entities()} == (
            there
        )
        backwards = dict(reversed(there.items()))
        index = Index.open(index.folder)
        fresh = Index.create(Path(folder, "fresh"), entities(backwards), model, **own)
        assert index.worlds == fresh.worlds
        for k in (1, 3, 100):
            assert answers(index, k) == answers(fresh, k)
        assert changes.verify(index.folder) == []


def test_a_real_model_s_answers_to_the_last_digits(model, tmp_path):
    contents = {("alder", f"{n:02}"): ("king", " ".join(own)) for n, own in enumerate(tiny.texts())}
    changed = Index.create(tmp_path / "changed", entities(contents)[:5], model)
    changed.add(entities(contents)[5:6])
    changed.add(entities(contents)[4:])
    changed.remove(["03", "07"])
    changed.compact()
    changed.add(entities(contents)[7:8])
    changed.add(entities(contents)[3:4])
    fresh = Index.create(tmp_path / "fresh", entities(contents), model)
    for ours, theirs in zip(answers(changed, 24), answers(fresh, 24), strict=True):
        scores = {one.document_id: one.score for one in theirs}
        assert len(ours) == 24
        assert {one.document_id: one.score for one in ours} == pytest.approx(scores, rel=1e-5)
