"""What training starts from: an encoder for both towers, or a model's two towers."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from torch import nn

from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import TOWERS, is_model
from muver.retriever.encoders.model import load_tower
from muver.retriever.training.start import start_files
from tests import tiny
from tests.retriever.training.test_loop import SETTINGS, TRAINING, run, train

PREFIX = {"views": {"kind": "prefix", "max_tokens": 30}, "context": {"max_tokens": 20}}
ONWARD = {**SETTINGS, "start": {"blink": {"seed": 3}}}


@pytest.fixture(scope="module")
def model(encoder, corpus, tmp_path_factory) -> Path:
    """Two towers that differ, trained for a few steps on views of one prefix."""
    folder = tmp_path_factory.mktemp("start")
    train(
        {**SETTINGS, **PREFIX, "pooling": "special", "training": {**TRAINING, "epochs": 1}},
        tiny.COMPUTE, encoder, *corpus, folder / "checkpoints", folder / "log.jsonl",
        folder / "model",
    )  # fmt: skip
    return folder / "model"


def weights(model: nn.Module) -> list[torch.Tensor]:
    return list(model.state_dict().values())


def same(one: nn.Module, other: nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))


def test_a_model_gives_its_towers_and_nothing_else(model):
    found, old = BiEncoder.from_encoder(model, tiny.config()), BiEncoder.from_pretrained(model)
    assert same(found, old)
    assert found.config == tiny.config() and old.config.pooling == "special"
    assert found.pieces.path.read_bytes() == (model / "tokenizer.json").read_bytes()
    mention, entity = (getattr(found, name) for name in TOWERS)
    assert not torch.equal(*(t.embeddings.word_embeddings.weight for t in (mention, entity)))
    assert found.mention_encoder.config.hidden_size == 32


def test_a_bert_gives_both_towers(encoder):
    assert not is_model(encoder)
    found, tower = BiEncoder.from_encoder(encoder, tiny.config()), load_tower(encoder)
    mention, entity = (getattr(found, name) for name in TOWERS)
    assert same(mention, tower) and same(entity, tower)
    assert not set(mention.parameters()) & set(entity.parameters())
    assert start_files(encoder) == ["config.json", "model.safetensors", "tokenizer.json"]


def go_on(folder: Path, start: Path, corpus, settings=ONWARD, **training) -> BiEncoder:
    train(
        {**settings, "training": {**TRAINING, **training}},
        tiny.COMPUTE, start, *corpus, folder / "checkpoints", folder / "log.jsonl",
        folder / "model",
    )  # fmt: skip
    return BiEncoder.from_pretrained(folder / "model")


def test_training_goes_on_from_a_model_with_a_new_optimiser(model, corpus, tmp_path):
    """At a rate near 0 the towers stay; the schedule is from step 1; the settings are its own."""
    tiny_steps = go_on(tmp_path / "still", model, corpus, learning_rate=1e-30)
    assert same(tiny_steps, BiEncoder.from_pretrained(model))
    trained = go_on(tmp_path / "one", model, corpus)
    assert not same(trained, BiEncoder.from_pretrained(model))
    assert trained.config.views == tiny.config().views and trained.config.pooling == "cls"
    assert trained.config.context.as_dict() == {"max_tokens": 32}
    assert trained.config.provenance["start"] == {"blink": {"seed": 3}}
    log = map(json.loads, (tmp_path / "one" / "log.jsonl").read_text().splitlines())
    steps = [(line["step"], line["learning_rate"]) for line in log if "loss" in line]
    assert steps[:2] == [(1, 1e-3), (2, pytest.approx(1e-3 * 8 / 9))]


def test_another_model_is_another_run(model, encoder, corpus, tmp_path, killed):
    """A checkpoint knows both towers that it began with."""
    killed(5, go_on, tmp_path / "one", model, corpus, epochs=1)
    run(tmp_path / "other", encoder, corpus, epochs=1)
    for tower in TOWERS:
        shutil.copytree(model, tmp_path / tower)
        shutil.copytree(tmp_path / "other" / "model" / tower, tmp_path / tower / tower,
                        dirs_exist_ok=True)  # fmt: skip
        shutil.copytree(tmp_path / "one" / "checkpoints", tmp_path / f"{tower}-again/checkpoints")
        again, new = (
            go_on(tmp_path / f"{tower}-{way}", tmp_path / tower, corpus, epochs=1)
            for way in ("again", "new")
        )
        assert same(again, new)
