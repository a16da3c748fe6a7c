"""Rows of the workflow as indexes: what the retrieve stage ranks, asked mention by mention."""

import json
import subprocess
import sys

import numpy as np
import pytest

import muver
from muver import Index, Mention
from muver.cli import main
from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_entities, read_mentions, read_sentences
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.worlds import (
    Encode,
    GlobalViews,
    Merge,
    encode_global,
    encode_split,
    merge_store,
)
from muver.retriever.retrieval import kinds
from muver.retriever.runs.run import read_run
from tests import tiny

SETTINGS = {
    "split": "test",
    "aggregate": "max",
    "merge_layers": 2,
    "k": 5,
    "match": "id",
    "memory_mb": 1,
    "metric": "dot",
    "search": "distant",
    "global_view": False,
}
SUM = {"aggregate": "softmax_sum", "softmax_candidates": 6}
SYSTEMS = {
    "muver": {**SETTINGS, **SUM},
    "l2": {**SETTINGS, **SUM, "metric": "l2"},
    "everything": {**SETTINGS, "metric": "l2", "global_view": True},
    "log_mean_exp": {**SETTINGS, "aggregate": "log_mean_exp", "temperature": 0.5},
}
MERGE = {
    "layers": 2, "top_k": 0.4, "pairs": "distant", "among": "neighbours", "max_tokens": 60,
}  # fmt: skip


@pytest.fixture(scope="module")
def built(encoder, corpus, tmp_path_factory):
    """A model, its store, further views of each kind and indexes over them."""
    root = tmp_path_factory.mktemp("built")
    tiny.make_model(encoder).save_pretrained(root / "model")
    encode_split(root / "model", *corpus, root / "store", tiny.settings(Encode, split="test"))
    merge_store(root / "model", root / "store", root / "merged", tiny.settings(Merge, **MERGE))
    settings = tiny.settings(GlobalViews, max_tokens=60)
    encode_global(root / "model", root / "store", corpus[0], root / "global-views", settings)
    (root / "entities").write_bytes(corpus[0].read_bytes())
    (root / "sentences").write_bytes(corpus[2].read_bytes())
    for name, settings in SYSTEMS.items():
        assert index(root, root / "indexes" / name, settings) == 0
    return root


def index(root, out, settings, *more) -> int:
    command = ["stage", "index-row", "--settings", json.dumps(settings), "--out", str(out), *more]
    for name in ("model", "store", "merged", "global-views", "entities", "sentences"):
        command += [f"--{name}", str(root / name)]
    return main(command)


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


def test_a_row_takes_other_signals_and_no_changes(built, corpus):
    row = Index.open(built / "indexes" / "muver")
    mention = Mention(next(iter(row.entities())).title.upper())
    (plain,), (named,) = (
        row.retrieve([mention], 3),
        row.retrieve([mention], 3, weights={"exact": 1}),
    )
    assert "exact" not in plain[0].signals and named[0].signals["exact"] == 10
    with pytest.raises(InputError, match="a row of the workflow, not to be changed"):
        row.remove(plain[0].document_id)


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
