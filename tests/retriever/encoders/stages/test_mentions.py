"""The mentions of a linked set to vectors, and their way into a search."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from muver.cli import main
from muver.io.errors import InputError
from muver.retriever.corpus.knowledge_base import made_parts
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.packing import pack
from muver.retriever.encoders.settings import Encoding
from muver.retriever.encoders.stages.kb import Part as PartSettings
from muver.retriever.encoders.stages.kb import encode_mentions, encode_part
from muver.retriever.vectors.part import Part
from muver.retriever.views.worlds import context_ids
from tests import tiny
from tests.retriever.encoders.stages.wikipedia import link, make_base

VIEWS = {"kind": "prefix", "max_tokens": 60}
LABEL = ["--label", "blink_wiki", "--settings", json.dumps(tiny.COMPUTE)]


@pytest.fixture(scope="module")
def root(tmp_path_factory, encoder):
    """Two models, a base with the vectors of the first, a set."""
    folder = tmp_path_factory.mktemp("linked")
    kb = make_base(folder, 20_000)
    link(folder, kb, "msnbc")
    for name, tokens in (("model", 60), ("other", 50)):
        views = {**VIEWS, "max_tokens": tokens}
        tiny.make_model(encoder, views=views).save_pretrained(folder / name)
    part = tiny.settings(PartSettings, dtype="fp16")
    for number in made_parts(kb):
        encode_part(folder / "model", kb, number, folder / "vectors", part)
    return folder


def encode(root, model, out):
    files = ["--model", root / model, "--mentions", root / "msnbc.parquet", "--out", out]
    return main(["stage", "encode-mentions", *LABEL, *map(str, files)])


def test_vectors_and_their_rows(root, encoder, tmp_path):
    assert encode(root, "model", tmp_path / "msnbc.npy") == 0
    vectors = np.load(tmp_path / "msnbc.npy")
    table = pq.read_table(root / "msnbc.parquet")
    assert vectors.shape == (9, 32) and vectors.dtype == np.float32
    model = tiny.make_model(encoder, views=VIEWS)
    contexts = context_ids(table, model.pieces, model.config.context)
    with torch.no_grad():
        for row, context in enumerate(contexts):
            alone = model.encode_mentions(pack([context]))[0].numpy()
            np.testing.assert_allclose(vectors[row], alone, rtol=0, atol=1e-5)
    rows = Part(tmp_path / "msnbc.npy")
    assert rows.rows()["mention_id"].equals(table["mention_id"])
    assert rows.model == model_fingerprint(root / "model")


def test_a_search_takes_those_of_its_model_only(root, tmp_path, capsys):
    settings = {
        "split": "msnbc", "match": "id", "k": 5, "rescore": True, "most_views": 100, "effort": None,
        "minimum": None, "threads": 1, "memory_mb": 64, "gpu": False,
    }  # fmt: skip
    search = ["stage", "retrieve", "--kind", "shards"]
    search += ["--vectors", root / "vectors", "--kb", root / "kb"]
    search += ["--mentions", root / "msnbc.parquet", "--run", tmp_path / "run.parquet"]
    search += ["--manifest", tmp_path / "run.json", "--settings", json.dumps(settings)]
    search = [*map(str, search), "--mention-vectors"]
    assert encode(root, "other", tmp_path / "other.npy") == 0
    assert main([*search, str(tmp_path / "other.npy")]) == 2
    assert "other.npy: vectors of another model than" in capsys.readouterr().err
    assert not (tmp_path / "run.parquet").exists()
    assert encode(root, "model", tmp_path / "msnbc.npy") == 0
    assert main([*search, str(tmp_path / "msnbc.npy")]) == 0
    run = pq.read_table(tmp_path / "run.parquet")
    assert run.num_rows == 9 * 5
    first = run.slice(0, 1).to_pylist()[0]
    views = np.concatenate(
        [np.load(path) for path in sorted((root / "vectors").glob("part-?????.npy"))]
    )
    scores = views.astype(np.float32) @ np.load(tmp_path / "msnbc.npy")[0]
    assert first["entity"] == scores.argmax()
    assert first["score"] == pytest.approx(scores.max(), rel=1e-5)


def test_tables_that_are_none(root, tmp_path):
    (tmp_path / "damaged.parquet").write_bytes(b"no table")
    pq.write_table(pq.read_table(root / "kb" / "part-00000.parquet"), tmp_path / "kb.parquet")
    settings = tiny.settings(Encoding)
    for name, words in {
        "damaged": "damaged.parquet: .*damaged",
        "kb": "kb.parquet: .*context_left",
        "none": "none.parquet: no such file",
    }.items():
        with pytest.raises(InputError, match=words):
            encode_mentions(
                root / "model", tmp_path / f"{name}.parquet", tmp_path / "o.npy", settings
            )
    assert not (tmp_path / "o.npy").exists()
