"""A model's fingerprint follows what moves its vectors."""

import shutil

import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, write_json
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.encoders.fingerprint import model_fingerprint
from tests import tiny


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
