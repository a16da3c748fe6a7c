"""Released checkpoints become model directories; anything else is refused by name."""

import json
import os
import shutil

import pytest
import torch

from muver.cli import main
from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.io.typed import read
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.encoders.convert import convert
from muver.retriever.encoders.encoders_settings import Layouts
from tests import tiny

GIVEN = {"views": tiny.SENTENCE_VIEWS, "context": tiny.CONTEXT, "score": "max"}
SETTINGS = read(Layouts, GIVEN)


@pytest.fixture(scope="module")
def model(encoder):
    """Towers that differ from each other and from the encoder's weights."""
    torch.manual_seed(5)
    model = tiny.make_model(encoder)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.1)
    return model


def released(model, mention="ctx_encoder.", entity="ent_encoder.", outer=""):
    """A state dict with the released system's names and what it holds beside the towers."""
    state = {}
    for prefix, tower in ((mention, model.mention_encoder), (entity, model.entity_encoder)):
        state |= {f"{outer}{prefix}{n}": w.clone() for n, w in tower.state_dict().items()}
        state[f"{outer}{prefix}embeddings.position_ids"] = torch.arange(64)[None]
        state[f"{outer}{prefix}pooler.dense.weight"] = torch.zeros(32, 32)
    return state


def save(state, folder):
    path = folder / "best.bin"
    torch.save(state, path)
    return path


def vectors(model):
    ids = [[5, 20, 30, 6], [5, 40, 6]]
    encoders = (model.encode_mentions, model.encode_views)
    return [encode_vectors(encode, ids, 32, 100).tobytes() for encode in encoders]


@pytest.mark.parametrize(
    "names, layout",
    [
        ({}, "muver"),
        ({"outer": "module."}, "muver"),
        ({"mention": "ctx_encoder.bert.", "entity": "ent_encoder.bert."}, "muver"),
        ({"mention": "ctx_encoder.module.", "entity": "ent_encoder.module.bert."}, "muver"),
        ({"mention": "context_encoder.bert_model.", "entity": "cand_encoder.bert_model."}, "blink"),
    ],
)
def test_vectors_survive_the_way_there_and_back(model, encoder, tmp_path, names, layout):
    checkpoint = save(released(model, **names), tmp_path)
    convert(checkpoint, str(encoder), SETTINGS, tmp_path / "out", tmp_path / "log.jsonl")
    loaded = BiEncoder.from_pretrained(tmp_path / "out").eval()
    assert vectors(loaded) == vectors(model)
    sha256 = sha256_of(checkpoint)
    manifest = (tmp_path / "out" / "manifest.json").read_text()
    assert json.loads(manifest)["identity"].items() >= {
        "checkpoint_sha256": sha256, "layout": layout,
    }.items()  # fmt: skip
    assert str(tmp_path) not in manifest  # where it lay is nothing that a row knows
    origin = {"sha256": sha256, "layout": layout}
    assert loaded.config.provenance == {"converted_from": origin}
    assert loaded.config.views == SETTINGS.views
    assert json.loads((tmp_path / "log.jsonl").read_text()) == {"converted_from": sha256}


def test_the_command_and_the_settings_of_pooling_and_metric(model, encoder, tmp_path):
    settings = {**GIVEN, "pooling": "all", "metric": "l2"}
    checkpoint = save(released(model), tmp_path)
    parts = ["--checkpoint", checkpoint, "--encoder", encoder, "--out", tmp_path / "out"]
    assert main(["stage", "convert", *map(str, parts), "--settings", json.dumps(settings)]) == 0
    config = BiEncoder.from_pretrained(tmp_path / "out").config
    assert (config.pooling, config.metric) == ("all", "l2")


def test_an_encoder_without_our_names_will_do(model, encoder, tmp_path):
    folder = tmp_path / "bert"
    shutil.copytree(encoder, folder)
    os.remove(folder / "manifest.json")
    convert(save(released(model), tmp_path), str(folder), SETTINGS, tmp_path / "out")
    assert vectors(BiEncoder.from_pretrained(tmp_path / "out").eval()) == vectors(model)


@pytest.mark.parametrize(
    "dropped, added, message",
    [
        ("ctx_encoder.embeddings.LayerNorm.weight", {}, "mention_.*Missing .*LayerNorm.weight"),
        (None, {"ent_encoder.linear.weight": torch.zeros(2)}, "entity_.*Unexpected .*linear"),
        (None, {"cross_encoder.weight": torch.zeros(2)}, "no others; found cross_encoder.weight"),
        (
            None,
            {"ent_encoder.embeddings.word_embeddings.weight": torch.zeros(9, 32)},
            "entity_encoder.*word_embeddings.weight.*9, 32",
        ),
        ("ctx_encoder.encoder.layer.1.", {}, "mention_encoder.*Missing .*encoder.layer.1"),
        ("ent_encoder.", {}, "not those of two towers.*found ctx_encoder"),
        (None, {"epoch": 3}, "not a state dict"),
    ],
)
def test_other_weights_are_named(model, encoder, tmp_path, dropped, added, message):
    state = {
        name: weight
        for name, weight in released(model).items()
        if dropped is None or not name.startswith(dropped)
    }
    state |= added
    with pytest.raises(InputError, match=message):
        convert(save(state, tmp_path), str(encoder), SETTINGS, tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Code:
    def __reduce__(self):
        return (os.mkdir, ("ran-code",))


def test_a_pickle_with_code_is_not_run(encoder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoint = save({"ctx_encoder.x": Code()}, tmp_path)
    with pytest.raises(InputError, match="could run code"):
        convert(checkpoint, str(encoder), SETTINGS, tmp_path / "out")
    assert not (tmp_path / "ran-code").exists()


@pytest.mark.parametrize("kept", [0, 1, 40, 1000, 50_000])
def test_a_cut_file(model, encoder, tmp_path, kept):
    checkpoint = save(released(model), tmp_path)
    checkpoint.write_bytes(checkpoint.read_bytes()[:kept])
    with pytest.raises(InputError, match="best.bin"):
        convert(checkpoint, str(encoder), SETTINGS, tmp_path / "out")


def test_a_file_that_is_not_there_or_holds_a_tensor_alone(encoder, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        convert(tmp_path / "none.bin", str(encoder), SETTINGS, tmp_path / "out")
    with pytest.raises(InputError, match="not a state dict"):
        convert(save(torch.zeros(2), tmp_path), str(encoder), SETTINGS, tmp_path / "out")
