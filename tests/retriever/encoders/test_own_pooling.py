"""How an encoder's makers pool: what sentence-transformers' files say, and that towers do it."""

from pathlib import Path

import pytest
import torch
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import read_json, write_json, write_text
from muver.io.typed import read
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.library import find_file
from muver.retriever.encoders.own_pooling import own_pooling
from muver.retriever.encoders.start import take_encoder
from muver.retriever.training.start import config_of
from muver.retriever.training.training_settings import ModelTraining
from tests import tiny
from tests.retriever.training.test_loop import TRAINING

MODULES = ["models.Transformer", "models.Pooling", "models.Normalize"]
CLS = {"pooling": "cls", "normalised": False, "query": "", "passage": ""}
SETTINGS = {
    "views": tiny.SENTENCE_VIEWS,
    "context": {"max_tokens": 32},
    "score": "max",
    "pooling": "auto",
    "vectors": "unit",
    "seed": 3,
}
# The switches of all-MiniLM-L6-v2, as its directory has them.
MINILM = {
    "word_embedding_dimension": 384,
    "pooling_mode_cls_token": False,
    "pooling_mode_mean_tokens": True,
    "pooling_mode_max_tokens": False,
    "pooling_mode_mean_sqrt_len_tokens": False,
}
PROMPTS = {"query": "the king : ", "passage": "a tower : "}


def write(folder: Path, modules=MODULES, pooling=MINILM, prompts=None) -> Path:
    """Files of sentence-transformers; None leaves one out."""
    contents = {
        "modules.json": [{"idx": n, "type": f"sentence_transformers.{m}"} for n, m in
                         enumerate(modules)],
        "1_Pooling/config.json": pooling,
        "config_sentence_transformers.json": prompts and {"prompts": prompts},
    }  # fmt: skip
    for name, content in contents.items():
        if content is not None:
            write_json(folder / name, content)
    return folder


def found(folder: Path) -> dict:
    return own_pooling(lambda name: find_file(str(folder), name), "encoder e")


@pytest.mark.parametrize(
    "files, expected",
    [
        ({}, {"pooling": "all", "normalised": True}),
        ({"modules": MODULES[:2]}, {"pooling": "all", "normalised": False}),
        ({"pooling": {}}, {"pooling": "all", "normalised": True}),
        ({"pooling": {"pooling_mode_cls_token": True}}, {"pooling": "cls", "normalised": True}),
        ({"pooling": {"pooling_mode": "lasttoken"}}, {"pooling": "last", "normalised": True}),
        ({"pooling": {"pooling_mode": ["mean"]}}, {"pooling": "all", "normalised": True}),
        ({"prompts": PROMPTS}, {"pooling": "all", "normalised": True, **PROMPTS}),
        (
            {"prompts": {"query": None, "passage": "p: ", "document": "d: ", "corpus": "c: "}},
            {"pooling": "all", "normalised": True, "passage": "d: "},
        ),
    ],
)
def test_what_the_files_say(tmp_path, files, expected):
    assert found(write(tmp_path / "e", **files)) == {**CLS, **expected}


@pytest.mark.parametrize(
    "files, message",
    [
        ({"modules": [*MODULES, "models.Dense"]}, "Transformer, Pooling, Normalize, Dense; "),
        ({"modules": [*MODULES, "models.LSTM"]}, "Transformer, Pooling, Normalize, LSTM; "),
        ({"modules": MODULES[:1]}, "modules.json asks for Transformer; of this"),
        ({"pooling": None}, "no 1_Pooling/config.json in it"),
        ({"pooling": {"pooling_mode": "max"}}, "asks for max; of this there is cls, mean, last"),
        (
            {"pooling": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}},
            "asks for cls, mean; of this",
        ),
        (
            {"pooling": {**MINILM, "include_prompt": False}, "prompts": PROMPTS},
            "asks for include_prompt: false; ",
        ),
        ({"pooling": [1]}, "config.json: not what sentence-transformers writes"),
    ],
)
def test_what_towers_cannot_do_is_refused(tmp_path, files, message):
    with pytest.raises(InputError, match=message):
        found(write(tmp_path / "e", **files))


def test_modules_that_are_none(tmp_path):
    for content, message in (("{}", "not what"), ("[1]", "not what"), ("[", "line 1")):
        (tmp_path / "modules.json").write_text(content)
        with pytest.raises(InputError, match=f"modules.json.*{message}"):
            found(tmp_path)


def test_the_files_of_a_hub_s_encoder_without_the_network(tmp_path, monkeypatch):
    """In the cache; known to be missing; or neither, and then nothing is taken for granted."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    repository, commit = tmp_path / "models--someone--encoder", "0" * 40
    for name, content in (
        ("refs/main", commit),
        (f"snapshots/{commit}/modules.json", "[]"),
        (f".no_exist/{commit}/config_sentence_transformers.json", ""),
    ):
        write_text(repository / name, content)
    modules = find_file("someone/encoder", "modules.json")
    assert modules == repository / "snapshots" / commit / "modules.json"
    assert find_file("someone/encoder", "config_sentence_transformers.json") is None
    with pytest.raises(InputError, match="someone/encoder: pooling auto .* 1_Pooling/config.json"):
        find_file("someone/encoder", "1_Pooling/config.json")


@pytest.fixture
def start(copied, tmp_path) -> Path:
    """An encoder with mean pooling, normalised, and prompts, as the encoder stage leaves it."""
    take_encoder(write(copied, prompts=PROMPTS), tmp_path / "start", with_pooling=True)
    return tmp_path / "start"


def test_it_is_of_the_encoder_s_identity_where_asked_for(start, copied, tmp_path):
    assert read_json(start / "manifest.json")["identity"]["vectors"] == {
        "pooling": "all", "normalised": True, **PROMPTS,
    }  # fmt: skip
    take_encoder(copied, tmp_path / "plain")
    assert "vectors" not in read_json(tmp_path / "plain" / "manifest.json")["identity"]


def begun(folder, scale=20, **own):
    """The configuration with which a training begins in a folder."""
    training = {**TRAINING, "initial_scale": scale}
    return config_of(read(ModelTraining, {**SETTINGS, "training": training, **own}), folder)


def test_the_prompts_join_the_layouts(start):
    config = begun(start)
    assert config.context.as_dict() == {"max_tokens": 32, "prompt": PROMPTS["query"]}
    assert config.views.as_dict() == {**tiny.SENTENCE_VIEWS, "prompt": PROMPTS["passage"]}
    assert (config.pooling, config.scale) == ("all", 20)


def test_any_other_pooling_stays(start):
    for pooling in ("cls", "span"):
        config = begun(start, pooling=pooling)
        assert (config.pooling, config.scale) == (pooling, 20)
        assert not (config.context.prompt or config.views.prompt)


def test_the_form_of_vectors_is_apart_from_pooling(start):
    tokens = {"score": "sum_max", "views": tiny.TOKEN_VIEWS, "pooling": "cls"}
    for own in ({"pooling": "auto"}, {"pooling": "cls"}, tokens):
        raw, unit = (begun(start, vectors=form, **own) for form in ("raw", "unit"))
        assert (raw.scale, unit.scale) == (None, 20)
        assert replace(raw, scale=20, provenance=unit.provenance) == unit


def test_a_model_is_gone_on_with_as_it_is(start, tmp_path):
    first = begun(start)
    model = BiEncoder.from_encoder(start, first)
    with torch.no_grad():
        model.log_scale += 0.5
    model.save_pretrained(tmp_path / "model")
    again = begun(tmp_path / "model", 7)
    assert again.scale == pytest.approx(20 * 2.718281828**0.5)
    assert (again.views, again.context, again.pooling) == (first.views, first.context, "all")
    tiny.make_model(start).save_pretrained(tmp_path / "plain")
    plain = begun(tmp_path / "plain", 7)
    assert (plain.pooling, plain.scale, plain.views) == ("cls", 7, tiny.config().views)


def test_an_encoder_whose_pooling_was_not_read(encoder):
    with pytest.raises(InputError, match="manifest.json does not say how the encoder pools"):
        begun(encoder)
