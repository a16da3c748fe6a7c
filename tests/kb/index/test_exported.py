"""Rows of the workflow as indexes: what the retrieve stage ranks, asked mention by mention."""

import json
import subprocess
import sys

import numpy as np
import pytest

import muver
from muver import Entity, Index, Mention
from muver.cli import main
from muver.io.errors import InputError
from muver.kb.index.state import read_state
from muver.retriever.corpus.schema import read_entities, read_mentions, read_sentences
from muver.retriever.encoders.bulk import pack
from muver.retriever.retrieval import kinds
from muver.retriever.runs.run import read_run
from tests import tiny
from tests.kb.rows import SETTINGS, index, write_row

SUM = {"aggregate": "softmax_sum", "softmax_candidates": 6}
SYSTEMS = {
    "muver": {**SETTINGS, **SUM},
    "l2": {**SETTINGS, **SUM, "metric": "l2"},
    "everything": {**SETTINGS, "metric": "l2", "global_view": True},
    "log_mean_exp": {**SETTINGS, "aggregate": "log_mean_exp", "temperature": 0.5},
}


@pytest.fixture(scope="module")
def built(encoder, corpus, tmp_path_factory):
    """A row, and indexes of it by each of the systems."""
    root = write_row(encoder, corpus, tmp_path_factory.mktemp("built"))
    for name, settings in SYSTEMS.items():
        assert index(root, root / "indexes" / name, settings) == 0
    return root


def asked(corpus) -> list[Mention]:
    rows = read_mentions(corpus[1], "test").to_pylist()
    return [
        Mention(row["mention"], row["context_left"], row["context_right"], row["world"])
        for row in rows
    ]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_same_candidates_as_the_stage_s_run(built, corpus, tmp_path, system, monkeypatch):
    monkeypatch.setattr("muver.kb.index.views.ALIKE", 0)  # a run has the view that won
    run = tmp_path / "run.parquet"
    inputs = {name: built / name.replace("_", "-") for name in ("store", "merged", "global_views")}
    inputs |= {"entities": corpus[0], "mentions": corpus[1]}
    kinds.retrieve("views", SYSTEMS[system], run, tmp_path / "run.json", **inputs)
    expected = read_run(run).to_pylist()
    assert {row["layer"] for row in expected} >= ({-2} if system == "everything" else {0})
    index = Index.open(built / "indexes" / system)
    alone = [candidate for one in asked(corpus) for candidate in index.retrieve([one], k=5)[0]]
    flat = [one for found in index.retrieve(asked(corpus), k=5) for one in found]
    ids = read_entities(corpus[0], ["cedar"])["document_id"].to_pylist()
    assert [one.document_id for one in flat] == [ids[row["entity"]] for row in expected]
    # Of everything, two views have the same text, and rounding decides.
    for name in ("title", "first", "last", *(["layer"] if system != "everything" else ())):
        assert [getattr(one, name) for one in flat] == [row[name] for row in expected]
    scores = [row["score"] for row in expected]
    for own in (flat, alone):
        np.testing.assert_allclose([one.score for one in own], scores, rtol=1e-4, atol=1e-5)
    sentences = read_sentences(corpus[2], ["cedar"])["sentences"].to_pylist()
    for one in flat:
        own = sentences[ids.index(one.document_id)]
        assert one.text == " ".join(own[one.first : one.last + 1]) != ""


@pytest.mark.parametrize("weight", [None, 0.5])
def test_an_index_of_one_s_own_gives_the_same_answers(built, corpus, tmp_path, weight, monkeypatch):
    """A trained model's index has the vectors of its view store, merged ones among them, and adds
    its global views to them.
    """
    monkeypatch.setattr("muver.kb.index.views.ALIKE", 0)  # a row shows the view that won
    row = {**SETTINGS, "k": 12, "global_view": weight or False}
    assert index(built, tmp_path / "row", row) == 0
    texts = read_entities(corpus[0], ["cedar"]).to_pylist()
    entities = [
        Entity(id=one["document_id"], title=one["title"], description=one["text"], world="cedar")
        for one in texts
    ]
    settings = {"merge": 2, "merged_tokens": 60, "global_tokens": 60}
    settings |= {"views": "both"} if weight else {}
    weights = {"exact": 0, "words": 0, "characters": 0, "views": 1} | (
        {"whole": weight} if weight else {}
    )
    model = built / "model"
    own = Index.create(tmp_path / "index", entities, model, weights=weights, **settings)
    mentions = [Mention(one["title"], "The king saw", "twice.", "cedar") for one in texts]
    scale = read_state(own.folder).model.scale
    theirs = Index.open(tmp_path / "row").retrieve(mentions, k=12)
    for mention, ours, row in zip(mentions, own.retrieve(mentions, k=12), theirs, strict=True):
        by_id = {one.document_id: one for one in row}
        assert len(ours) == 12
        for one in ours:
            other = by_id[one.document_id]
            assert one.score == pytest.approx(other.score / scale, rel=1e-5)
            same = ("title", "layer", "first", "last", "text", "world")
            assert all(getattr(one, name) == getattr(other, name) for name in same)
        told = own.explain(mention, ours[0].document_id)
        assert told.signals == pytest.approx(ours[0].signals)
        assert told.views[0].similarity == pytest.approx(told.signals["views"] * scale)
        assert (told.views[0].share, told.views[0].text) == (1, ours[0].text)


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_each_view_adds(built, corpus, system):
    index, mention = Index.open(built / "indexes" / system), asked(corpus)[3]
    for candidate in index.retrieve([mention], k=3)[0]:
        told = index.explain(mention, candidate.document_id)
        similarities = np.array([part.similarity for part in told.views])
        assert sum(part.share for part in told.views) == pytest.approx(1)
        if system != "muver" and system != "l2":  # explained, all entities are walked to
            assert told.signals["views"] == pytest.approx(candidate.score, rel=1e-4)
        if system == "everything":
            assert candidate.score == pytest.approx(similarities.max(), rel=1e-4)
            assert [part.share for part in told.views] == [1] + [0] * (len(told.views) - 1)
        if system == "log_mean_exp":
            powers = np.exp(similarities / 0.5)
            assert candidate.score == pytest.approx(0.5 * np.log(powers.mean()), rel=1e-4)
            shares = powers / powers.sum()
            np.testing.assert_allclose([part.share for part in told.views], shares, rtol=1e-4)


def test_an_index_with_what_validation_chose(built, corpus, tmp_path, capsys):
    several = {**SYSTEMS["log_mean_exp"], "temperature": [2, 0.5], "validation_cutoff": 3}
    assert index(built, tmp_path / "i", several) == 2
    assert "--chosen is needed, as temperature has several values" in capsys.readouterr().err
    made = tmp_path / "run.json"
    made.write_text(json.dumps({"settings": several, "chosen": {"temperature": 0.5}}))
    assert index(built, built / "indexes/chosen", several, "--chosen", str(made)) == 0
    found, fixed = (
        Index.open(built / f"indexes/{name}").retrieve(asked(corpus))
        for name in ("chosen", "log_mean_exp")
    )
    assert found == fixed
    assert index(built, built / "indexes/chosen", several, "--chosen", str(made)) == 2
    assert "indexes/chosen: is there already" in capsys.readouterr().err


def test_a_row_takes_other_signals_and_no_changes(built, corpus, capsys):
    row = Index.open(built / "indexes" / "muver")
    mention = Mention(next(iter(row.entities())).title.upper())
    (plain,), (named,) = (
        row.retrieve([mention], 3),
        row.retrieve([mention], 3, weights={"exact": 1}),
    )
    assert "exact" not in plain[0].signals and named[0].signals["exact"] == 10
    with pytest.raises(InputError, match="a row of the workflow, not to be changed"):
        row.remove(plain[0].document_id)
    before = (row.folder / "index.json").read_bytes()
    for words in (["add", row.folder, "none"], ["tune", row.folder, "none"], ["set", row.folder]):
        assert main(["index", *map(str, words)]) == 2
        assert "not to be changed. Make an index of its model" in capsys.readouterr().err
    assert (row.folder / "index.json").read_bytes() == before


def test_importing_the_package_brings_no_torch():
    code = "import sys, muver; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    with pytest.raises(AttributeError, match="no attribute 'Retreiver'"):
        _ = muver.Retreiver


def test_mentions_are_encoded_in_their_contexts_by_a_model_or_its_folder(encoder, tmp_path):
    model = tiny.make_model(encoder)
    model.save_pretrained(tmp_path)
    mentions = [Mention("King", "The", "of the tower."), Mention("raven")]
    found = muver.encode(mentions, tmp_path)
    assert found.shape == (2, 32) and found.dtype == np.float32
    np.testing.assert_array_equal(found, muver.encode(mentions, model))
    marks, (raven,) = model.pieces.markers, model.pieces.ids(["raven"], True)
    context = [*marks.bos, marks.mention_start, *raven, marks.mention_end, *marks.eos]
    expected = model.encode_mentions(pack([context])).detach()[0]
    np.testing.assert_allclose(found[1], expected, rtol=0, atol=1e-5)
    with pytest.raises(InputError, match="compares token vectors"):
        muver.encode(mentions, tiny.make_model(encoder, "sum_max"))
