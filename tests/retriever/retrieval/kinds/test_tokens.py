"""From a model straight to a run file."""

import json

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from muver.cli import main
from muver.io.files import read_json
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.retrieval import kinds
from muver.retriever.runs.run import read_run
from muver.retriever.vectors.pooled import pool
from muver.retriever.views.worlds import load_worlds
from tests import tiny


@pytest.mark.parametrize("own", [{}, {"pool": 3}])
def test_from_a_model_to_a_run(encoder, corpus, tmp_path, own):
    model = tiny.make_model(encoder, "sum_max")
    model.save_pretrained(tmp_path / "model")
    settings = {"split": "test", "k": 3, "match": "id", "memory_mb": 256, **own}
    command = ["stage", "retrieve", "--kind", "tokens", "--settings", json.dumps(settings)]
    command += ["--compute", json.dumps(tiny.COMPUTE), "--model", str(tmp_path / "model")]
    command += ["--entities", str(corpus[0]), "--mentions", str(corpus[1])]
    command += ["--sentences", str(corpus[2]), "--run", str(tmp_path / "run.parquet")]
    command += ["--manifest", str(tmp_path / "run.json")]
    assert main(command) == 0
    rows = read_run(tmp_path / "run.parquet").to_pylist()
    assert len(rows) == 12 * 3
    assert {row["layer"] for row in rows} == {0}
    assert {row["first"] for row in rows} == {0}
    (world,) = load_worlds(*corpus, "test", model.config, model.pieces)
    with torch.no_grad():
        mention = model.encode_mentions(pack(world.contexts[:1]))[0].numpy()
        each = [model.encode_views(pack([view.ids]))[0].numpy() for (view,) in world.views]
    kept = [pool(vectors, own.get("pool", 99))[0] for vectors in each]
    tokens = sum(map(len, kept))
    assert read_json(tmp_path / "run.json")["counts"] == {
        "entities": 12, "views": tokens, "bytes": 4 * 32 * tokens,
    }  # fmt: skip
    scores = np.array([(mention @ vectors.T).max(axis=1).sum() for vectors in kept])
    best = np.argsort(-scores)[:3]
    assert [row["entity"] for row in rows[:3]] == best.tolist()
    assert [row["score"] for row in rows[:3]] == pytest.approx(scores[best], rel=1e-5)


def test_padding_positions_are_views_where_they_are_scored(encoder, corpus, tmp_path):
    model = tiny.make_model(encoder, "sum_max")
    padded = replace(model.config, views=replace(model.config.views, padding=True))
    BiEncoder([model.mention_encoder, model.entity_encoder], model.pieces, padded).save_pretrained(
        tmp_path / "model"
    )
    inputs = dict(zip(("entities", "mentions", "sentences"), corpus, strict=True))
    inputs |= {"model": tmp_path / "model", "compute": tiny.settings(Machine)}
    settings = {"split": "test", "k": 3, "match": "title", "memory_mb": 1}
    kinds.retrieve("tokens", settings, tmp_path / "run.parquet", tmp_path / "run.json", **inputs)
    assert read_json(tmp_path / "run.json")["counts"]["views"] == 12 * 24
