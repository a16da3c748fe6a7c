"""The library's face: what the workflow's retrieve stage ranks, asked mention by mention."""

import json
import subprocess
import sys

import numpy as np
import pytest

import muver
from muver import Mention, Retriever
from muver.cli import main
from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_entities, read_mentions, read_sentences
from muver.retriever.encoders.packing import pack
from muver.retriever.encoders.stages.encode import Encode, encode_split
from muver.retriever.encoders.stages.further import GlobalViews, Merge, encode_global, merge_store
from muver.retriever.retrieval import kinds
from muver.retriever.retrieval.layers import PLACES
from muver.retriever.runs.run import read_run
from tests import tiny

SETTINGS = {
    "split": "test",
    "aggregate": "max",
    "merge_layers": 2,
    "k": 5,
    "match": "title",
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
        assert index(root, root / "indexes" / f"{name}.json", settings) == 0
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
def test_the_same_candidates_as_the_stage_s_run(built, corpus, tmp_path, system):
    run = tmp_path / "run.parquet"
    inputs = {name: built / name.replace("_", "-") for name in PLACES}
    inputs |= {"entities": corpus[0], "mentions": corpus[1]}
    kinds.retrieve("views", SYSTEMS[system], run, tmp_path / "run.json", **inputs)
    expected = read_run(run).to_pylist()
    assert {row["layer"] for row in expected} >= ({-2} if system == "everything" else {0})
    index = built / "indexes" / f"{system}.json"
    retriever = Retriever.from_index(index)
    alone = [candidate for one in asked(corpus) for candidate in retriever.retrieve([one], k=5)[0]]
    found = retriever.retrieve(asked(corpus), k=5)
    flat = [candidate for candidates in found for candidate in candidates]
    for name in ("entity", "title", "layer", "first", "last"):
        assert [getattr(c, name) for c in flat] == [row[name] for row in expected]
    scores = [row["score"] for row in expected]
    for own in (flat, alone):
        np.testing.assert_allclose([c.score for c in own], scores, rtol=1e-4, atol=1e-5)
    ids = read_entities(corpus[0], ["cedar"])["document_id"].to_pylist()
    assert all(candidate.document_id == ids[candidate.entity] for candidate in flat)
    sentences = read_sentences(corpus[2], ["cedar"])["sentences"].to_pylist()
    for one in flat:
        assert one.text == " ".join(sentences[one.entity][one.first : one.last + 1]) != ""


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_each_view_adds(built, corpus, system):
    retriever = Retriever.from_index(built / "indexes" / f"{system}.json")
    mention = asked(corpus)[3]
    for candidate in retriever.retrieve([mention], k=3)[0]:
        parts = retriever.parts(mention, candidate)
        assert sum(part.share for part in parts) == pytest.approx(1)
        similarities = np.array([part.similarity for part in parts])
        near = similarities >= similarities.max() - 1e-5  # two views may have the same text
        best = [parts[n] for n in np.flatnonzero(near)]
        won = (candidate.layer, candidate.first, candidate.last, candidate.text)
        assert won in [(part.layer, part.first, part.last, part.text) for part in best]
        if system == "everything":
            assert candidate.score == pytest.approx(similarities.max(), rel=1e-4)
            assert [part.share for part in parts] == [1] + [0] * (len(parts) - 1)
        if system == "log_mean_exp":
            powers = np.exp(similarities / 0.5)
            assert candidate.score == pytest.approx(0.5 * np.log(powers.mean()), rel=1e-4)
            shares = powers / powers.sum()
            np.testing.assert_allclose([part.share for part in parts], shares, rtol=1e-4)


def test_an_index_with_what_validation_chose(built, corpus, tmp_path, capsys):
    several = {**SYSTEMS["log_mean_exp"], "temperature": [2, 0.5], "validation_cutoff": 3}
    assert index(built, tmp_path / "i.json", several) == 2
    assert "--chosen is needed, as temperature has several values" in capsys.readouterr().err
    made = tmp_path / "run.json"
    made.write_text(json.dumps({"settings": several, "chosen": {"temperature": 0.5}}))
    assert index(built, built / "indexes/chosen.json", several, "--chosen", str(made)) == 0
    found, fixed = (
        Retriever.from_index(built / f"indexes/{name}.json").retrieve(asked(corpus))
        for name in ("chosen", "log_mean_exp")
    )
    assert found == fixed


def test_an_index_moves_with_its_folder(built, corpus, tmp_path):
    moved = tmp_path / "moved"
    built.rename(moved)
    try:
        found = Retriever.from_index(moved / "indexes" / "muver.json").retrieve(
            asked(corpus)[:1], k=3
        )
        assert len(found[0]) == 3
    finally:
        moved.rename(built)


def test_case_does_not_matter_and_one_world_need_not_be_named(built, corpus):
    retriever = Retriever.from_index(built / "indexes" / "muver.json")
    first = asked(corpus)[0]
    shouted = Mention(first.text.upper(), first.left.upper(), first.right.upper())
    assert retriever.worlds == ["cedar"]
    assert retriever.retrieve([shouted], k=3) == retriever.retrieve([first], k=3)
    assert retriever.retrieve([]) == []


def test_more_candidates_than_entities(built, corpus):
    retriever = Retriever.from_index(built / "indexes" / "muver.json")
    titles = read_entities(corpus[0], ["cedar"])["title"].to_pylist()
    (found,) = retriever.retrieve(asked(corpus)[:1], k=1000)
    assert sorted(candidate.title for candidate in found) == sorted(set(titles))


def test_what_is_wrong_is_said(built, corpus, tmp_path, monkeypatch):
    retriever = Retriever.from_index(built / "indexes" / "muver.json")
    with monkeypatch.context() as patch:
        patch.setattr(Retriever, "worlds", ["cedar", "elm"])
        with pytest.raises(InputError, match="'king': names no world, and there are several. The"):
            retriever.retrieve([Mention("king")])
    with pytest.raises(InputError, match="Did you mean 'cedar'"):
        retriever.retrieve([Mention("king", world="ceder")])
    with pytest.raises(InputError, match="mention 1: its text is not"):
        retriever.retrieve([*asked(corpus)[:1], Mention(None, world="cedar")])
    with pytest.raises(InputError, match="mention 0: its left is not"):
        retriever.retrieve([Mention("king", left=3, world="cedar")])
    with pytest.raises(InputError, match="at least 1"):
        retriever.retrieve(asked(corpus), k=0)
    other = tmp_path / "other.json"
    other.write_text('{"stage": "merge"}')
    with pytest.raises(InputError, match="not an index"):
        Retriever.from_index(other)
    older = json.loads((built / "indexes" / "muver.json").read_text())
    del older["sentences"]
    other.write_text(json.dumps(older))
    with pytest.raises(InputError, match="other.json: not an index"):
        Retriever.from_index(other)
    with pytest.raises(InputError, match="no such file"):
        Retriever.from_index(tmp_path / "none.json")


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
