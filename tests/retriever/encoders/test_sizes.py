"""Sizes of encoders that are not loaded, and that a model's fingerprint follows what moves its
vectors.
"""

import shutil

import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, write_json
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.encoders.sizes import BertConfig, is_packed, model_fingerprint
from tests import tiny


def test_sizes_by_the_names_of_other_encoders():
    distilbert = {"model_type": "distilbert", "dim": 48, "n_layers": 3, "n_heads": 4,
                  "hidden_dim": 96, "activation": "gelu", "vocab_size": 50}  # fmt: skip
    assert BertConfig.from_dict(distilbert) == BertConfig(50, 48, 3, 4, 96)
    assert BertConfig.from_dict(
        {"d_model": 32, "hidden_act": "silu", "vocab_size": None}
    ) == BertConfig(hidden_size=32)


@pytest.mark.parametrize(
    "config, packed",
    [
        ({"model_type": "bert", "position_embedding_type": "absolute"}, True),
        ({"model_type": "roberta"}, False),
        ({"model_type": "bert", "hidden_act": "silu"}, False),
        ({"model_type": "bert", "position_embedding_type": "relative_key"}, False),
        ({"model_type": "bert", "is_decoder": True}, False),
        ({"model_type": "bert", "dense": [{"out_features": 8}]}, False),
    ],
)
def test_which_encoders_ours_computes(config, packed):
    assert is_packed(config) is packed


@pytest.fixture
def folder(encoder, tmp_path):
    tiny.make_model(encoder).save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def test_it_is_of_the_files_not_of_their_place(folder, tmp_path):
    first = model_fingerprint(folder)
    assert len(first) == 64 and set(first) <= set("0123456789abcdef")
    shutil.copytree(folder, tmp_path / "copy")
    config = read_json(tmp_path / "copy" / "muver.json")
    write_json(tmp_path / "copy" / "muver.json", {**config, "provenance": {"seed": 1}})
    (tmp_path / "copy" / "README.md").write_text("other words")
    assert model_fingerprint(tmp_path / "copy") == first


@pytest.mark.parametrize("name", sorted({*MODEL_FILES} - {"README.md", "muver.json"}))
def test_every_file_takes_part(folder, name):
    first = model_fingerprint(folder)
    with open(folder / name, "ab") as file:
        file.write(b"\n")
    assert model_fingerprint(folder) != first
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"{name}: no such file"):
        model_fingerprint(folder)


def test_layouts_take_part(folder):
    first = model_fingerprint(folder)
    config = read_json(folder / "muver.json")
    for key, value in (
        ("views", {**config["views"], "max_tokens": 23}),
        ("context", {"max_tokens": 31}),
        ("pooling", "all"),
        ("scale", 20),
    ):
        write_json(folder / "muver.json", {**config, key: value})
        assert model_fingerprint(folder) != first, key
