"""Answers do not depend on how the entities came into an index."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from muver.kb.index import changes, segments
from muver.kb.index.index import Index
from muver.retriever.encoders.start import take_encoder
from tests import tiny
from tests.kb.index.steps import SOME, STEPS, answers, apply, entities

KINDS = {
    "views": {"views": "both", "merge": 2, "merged_tokens": 60, "global_tokens": 60},
    "mean": {"aggregate": {"kind": "log_mean_exp", "temperature": 3.0}},
}


@pytest.fixture(autouse=True, scope="module")
def _small_parts():
    """Parts of three entities, and segments that are soon joined."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "ENTITIES_A_PART", 3)
        patch.setattr(changes, "SMALL", 4)
        patch.setattr(changes, "MOST_SMALL", 2)
        yield


@settings(max_examples=12)
@given(first=SOME, steps=STEPS)
def test_words_give_the_same_answers_as_an_index_made_afresh(first, steps):
    check(first, steps, None)


@settings(max_examples=3)
@given(first=SOME, steps=STEPS)
def test_so_do_names_and_texts(first, steps, encoder, whole_numbers):
    with TemporaryDirectory() as folder:
        take_encoder(encoder, Path(folder, "encoder"))
        check(
            first,
            steps,
            Path(folder, "encoder"),
            context_tokens=60,
            view_tokens=60,
            global_tokens=60,
        )


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=3)
@given(first=SOME, steps=STEPS)
def test_so_do_views(kind, first, steps, model, whole_numbers):
    check(first, steps, model, **KINDS[kind])


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
