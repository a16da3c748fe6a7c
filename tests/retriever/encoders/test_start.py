"""The checkpoint that training starts from, from everywhere it may come."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.retriever.encoders.bert import BertConfig
from muver.retriever.encoders.files import START_FILES
from muver.retriever.encoders.hub import SHIPPED
from muver.retriever.encoders.start import take_encoder
from muver.retriever.encoders.tokens import Pieces
from tests import tiny


def contents(folder: Path) -> dict[str, bytes]:
    return {file: (folder / file).read_bytes() for file in START_FILES}


def change_config(folder: Path, **values) -> None:
    config = read_json(folder / "config.json")
    config.update(values)
    (folder / "config.json").write_text(json.dumps(config))


def test_from_scratch_has_the_size_asked_for(encoder):
    config = BertConfig.from_file(encoder / "config.json")
    assert (config.num_hidden_layers, config.hidden_size, config.intermediate_size) == (2, 32, 64)
    assert (config.num_attention_heads, config.max_position_embeddings) == (2, 64)
    assert config.hidden_dropout_prob == config.attention_probs_dropout_prob == 0.1
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    assert config.vocab_size == tokenizer.get_vocab_size() <= 220
    assert tokenizer.token_to_id("[PAD]") == 0
    manifest = read_json(encoder / "manifest.json")
    assert manifest["name"] == "scratch"
    assert manifest["identity"] == {"scratch": tiny.SCRATCH, "seed": 7}


def test_from_scratch_gives_the_same_bytes_in_every_process(encoder, tmp_path):
    """Hash maps are seeded afresh in every process, Python's and those of the tokenizers."""
    command = "import sys; from tests import tiny; tiny.make_encoder(tiny.Path(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", command, str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": "1", "RAYON_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[3],
        check=True,
    )
    assert contents(tmp_path) == contents(encoder)


def test_the_letters_inside_words_are_no_special_pieces(encoder):
    pieces = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    assert "##a" not in pieces.encode("king ##a", add_special_tokens=False).tokens
    special = [piece.content for piece in pieces.get_added_tokens_decoder().values()]
    assert special == [
        "[PAD]", "[unused0]", "[unused1]", "[unused2]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
    ]  # fmt: skip


def test_from_a_directory(encoder, tmp_path):
    take_encoder(encoder, tmp_path / "out")
    old, new = contents(encoder), contents(tmp_path / "out")
    assert old["model.safetensors"] == new["model.safetensors"]
    assert old["tokenizer.json"] == new["tokenizer.json"]
    manifest = read_json(tmp_path / "out" / "manifest.json")
    assert manifest["name"] == encoder.name
    # Weights and vocabulary are the encoder's identity: where it lay says nothing.
    assert manifest["identity"] == {
        "weights_sha256": sha256_of(encoder / "model.safetensors"),
        "tokenizer_sha256": sha256_of(encoder / "tokenizer.json"),
    }
    take_encoder(encoder, tmp_path / "again")
    assert contents(tmp_path / "again") == new


def test_the_encoder_that_comes_along(tmp_path):
    take_encoder("miniwikia-bert", tmp_path / "out", with_pooling=True)
    own = SHIPPED["miniwikia-bert"]
    assert (
        contents(tmp_path / "out")["model.safetensors"] == (own / "model.safetensors").read_bytes()
    )
    made, ours = (read_json(folder / "manifest.json") for folder in (tmp_path / "out", own))
    assert (made["name"], made["identity"]) == ("miniwikia-bert", ours["identity"])
    assert made["identity"]["vectors"]["pooling"] == "all"
    assert BertConfig.from_file(own / "config.json").intermediate_size == 256
    take_encoder(tmp_path / "out", tmp_path / "cls")
    assert "vectors" not in read_json(tmp_path / "cls" / "manifest.json")["identity"]


def test_an_encoder_of_ours_that_is_damaged(tmp_path):
    take_encoder("miniwikia-bert", tmp_path / "out")
    weights = tmp_path / "out" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\xff")
    with pytest.raises(InputError, match="model.safetensors: damaged, its SHA-256"):
        take_encoder(tmp_path / "out", tmp_path / "again")


def as_pretrained(folder: Path) -> None:
    """Weights as a checkpoint of the masked language model has them: prefix, pooler and head."""
    weights = {
        f"bert.{name}": value for name, value in load_file(folder / "model.safetensors").items()
    }
    weights["bert.pooler.dense.weight"] = torch.zeros(32, 32)
    weights["bert.pooler.dense.bias"] = torch.zeros(32)
    weights["cls.predictions.bias"] = torch.zeros(220)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def with_torch_weights(folder: Path) -> None:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize(
    "change",
    [
        as_pretrained,  # with weights that a tower has no use for
        with_torch_weights,
        lambda folder: (folder / "manifest.json").write_text('["files"]'),  # another project's
    ],
)
def test_other_directories_of_the_same_weights(copied, encoder, tmp_path, capfd, change):
    change(copied)
    take_encoder(copied, tmp_path / "out")
    said = capfd.readouterr()
    assert said.out == said.err == ""
    old, new = contents(encoder), contents(tmp_path / "out")
    assert old["model.safetensors"] == new["model.safetensors"]


def test_from_a_directory_with_a_vocabulary_file_only(copied, encoder, tmp_path):
    vocabulary = Tokenizer.from_file(str(copied / "tokenizer.json")).get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.get)
    (copied / "tokenizer.json").unlink()
    (copied / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces))
    (copied / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    take_encoder(copied, tmp_path / "out")
    texts = ["The King of the River saw it.", "a tower"]
    assert Pieces(tmp_path / "out").ids(texts) == Pieces(encoder).ids(texts)


def drop(file: str):
    return lambda folder: (folder / file).unlink()


def without_weight(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def cut_short(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    "spoil, message",
    [
        (drop("model.safetensors"), "no weights .*model.safetensors"),
        (drop("config.json"), "no configuration in it"),
        (drop("tokenizer.json"), "no vocabulary in it"),
        (lambda f: change_config(f, model_type="new-thing"), "new-thing"),
        (lambda f: (f / "config.json").write_text("{}"), "model_type"),
        (without_weight, "1 weights .*'encoder.layer.1.output.dense"),
        (cut_short, "its weights cannot be loaded"),
        (lambda f: change_config(f, hidden_size=16), "its weights cannot be loaded"),
        (lambda f: (f / "tokenizer.json").write_text("{"), "tokenizer.json: not a tokenizer"),
    ],
)  # fmt: skip
def test_directories_that_cannot_be_used(copied, tmp_path, spoil, message):
    spoil(copied)
    with pytest.raises(InputError, match=message):
        take_encoder(copied, tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_a_name_from_the_hub_by_a_local_cache(copied, encoder, tmp_path, monkeypatch):
    """The layout in which the hub's client keeps what it has downloaded."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    as_pretrained(copied)
    repository = tmp_path / "cache" / "models--someone--small-bert"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    (repository / "snapshots").mkdir()
    copied.rename(repository / "snapshots" / ("0" * 40))
    texts = ["The King of the River saw it."]
    for name in ("someone/small-bert", f"someone/small-bert@{'0' * 40}"):
        out = tmp_path / name
        take_encoder(name, out)
        assert contents(out)["model.safetensors"] == contents(encoder)["model.safetensors"]
        assert Pieces(out).ids(texts) == Pieces(encoder).ids(texts)
        assert read_json(out / "manifest.json")["name"] == f"someone/small-bert@{'0' * 40}"
