"""Encoders of all families against the library's own forward, and what is refused by name."""

import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from muver.io.errors import InputError
from muver.io.files import WRITTEN, read_json, write_json
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.files import TOWER_FILES
from muver.retriever.encoders.library import Library
from muver.retriever.encoders.model import empty_tower, load_tower
from muver.retriever.encoders.start import take_encoder
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.training.data import Batch
from muver.retriever.training.objective import InBatch
from muver.retriever.training.optimiser import build_optimiser
from muver.retriever.training.start import as_the_makers
from muver.retriever.training.step import backward_through_batch
from muver.retriever.views.build import entity_views, mention_contexts
from muver.retriever.views.views_settings import Context
from tests import families, tiny

TEXTS = ["The king saw it.", "raven of the valley, twice; tower and bell", "a"]


@pytest.fixture(scope="session")
def directory(tmp_path_factory):
    """Maps a family to an encoder's directory, and to the same as it was taken."""
    made: dict[str, tuple[Path, Path]] = {}

    def of(family: str) -> tuple[Path, Path]:
        if family not in made:
            source = families.make(family, tmp_path_factory.mktemp("source"))
            made[family] = source, tmp_path_factory.mktemp("taken")
            take_encoder(source, made[family][1], with_pooling=True)
        return made[family]

    return of


@pytest.fixture(params=families.FAMILIES)
def family(request) -> str:
    return request.param


@pytest.fixture
def source(directory, family) -> Path:
    return directory(family)[0]


@pytest.fixture
def taken(directory, family) -> Path:
    return directory(family)[1]


def changed(source: Path, tmp_path: Path, **values) -> Path:
    """A copy with another configuration."""
    folder = Path(shutil.copytree(source, tmp_path / "changed"))
    write_json(folder / "config.json", {**read_json(folder / "config.json"), **values})
    return folder


def plain(taken: Path, texts=TEXTS) -> list[list[int]]:
    """Contexts without a mention."""
    nothing = [""] * len(texts)
    return mention_contexts(texts, nothing, nothing, Context(max_tokens=64), Pieces(taken))


def states(source: Path, ids: list[int]) -> torch.Tensor:
    """The library's own states of one sequence: (length, size)."""
    model = AutoModel.from_pretrained(source).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).last_hidden_state[0]


def model_of(taken: Path, **more) -> BiEncoder:
    return BiEncoder.from_encoder(taken, tiny.config(**more)).eval()


def test_ids_are_those_of_the_library(source, taken):
    assert plain(taken) == AutoTokenizer.from_pretrained(source)(TEXTS)["input_ids"]


def test_texts_side_by_side_have_the_pieces_of_running_text(taken):
    pieces = Pieces(taken)
    left, right, whole = pieces.ids(["The king saw", "the raven", "The king saw the raven"])
    assert left + pieces.ids(["the raven"], within=True)[0] == whole
    assert (left + right == whole) is not pieces._spaces


def test_states_are_those_of_the_library(family, source, taken):
    tower, ids = load_tower(taken).eval(), plain(taken)
    assert isinstance(tower, Bert if family == "BERT" else Library) and tower.dimension == 16
    batch = pack(ids)
    with torch.no_grad():
        found = batch.unpack(tower.states(batch))
        first = tower.first_states(batch)
    for row, own in enumerate(ids):
        expected = states(source, own)
        torch.testing.assert_close(found[row, : len(own)], expected, rtol=0, atol=1e-5)
        torch.testing.assert_close(first[row], expected[0], rtol=0, atol=1e-5)


def test_a_marker_is_the_mean_of_its_words(family, source, taken):
    pieces = Pieces(taken)
    (words,) = pieces.ids(["start of mention"])
    if family == "BERT":
        table = load_tower(taken).embeddings.word_embeddings.weight
    else:
        table = load_tower(taken).model.get_input_embeddings().weight
    torch.testing.assert_close(table[pieces.markers.mention_start], table[words].mean(dim=0))
    old = AutoModel.from_pretrained(source).get_input_embeddings().weight
    assert torch.equal(table[: len(old)], old)


@pytest.mark.parametrize("family", ["BERT", "MPNet", "DeBERTa-v3", "T5", "Gemma"])
def test_the_loss_falls_in_two_steps(taken):
    model = model_of(taken, **pooling_of(taken))
    titles, texts = tiny.WORDS[:4], tiny.texts(4)
    views = [
        [view.ids for view in own]
        for own in entity_views(titles, [""] * 4, texts, tiny.config().views, model.pieces)
    ]
    sides = ([own[0] for own in texts], titles, [own[-1] for own in texts])
    contexts = mention_contexts(*sides, tiny.config().context, model.pieces)
    optimiser = build_optimiser(model, 1e-4, 0.01, 1e-6)
    losses = []
    for _ in range(3):
        optimiser.zero_grad()
        batch, process = Batch(contexts, views, np.arange(4)), Accelerator(cpu=True)
        losses.append(backward_through_batch(model, InBatch(), batch, process, 200, 10_000))
        without = [name for name, one in model.named_parameters() if one.grad is None]
        assert not without
        optimiser.step()
    assert losses[0] > losses[1] > losses[2]


def pooling_of(taken: Path) -> dict:
    own = as_the_makers(tiny.config(), taken, 20)
    return {"pooling": own.pooling, "scale": own.scale}


@pytest.mark.parametrize("family", ["RoBERTa"])
def test_its_files_are_written_whole_or_not_at_all(taken, tmp_path):
    """A limit on the size of files stands for the full disk."""
    tower = load_tower(taken)
    limit, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, hard))  # enough for config.json
    try:
        with pytest.raises(InputError, match="model.safetensors: cannot be written .*too large"):
            tower.save(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    assert not [*tmp_path.iterdir()]
    tower.save(tmp_path)
    assert WRITTEN[-2:] == [tmp_path / file for file in TOWER_FILES]  # gets into the .sha256 list


@pytest.mark.parametrize("family", ["RoBERTa", "T5"])
def test_padding_on_purpose_is_not_attended(taken):
    tower, ids = load_tower(taken).eval(), plain(taken)
    pad = Pieces(taken).markers.pad
    with torch.no_grad():
        padded = pack(ids, pad_to=64).padded_with(pad)
        states = padded.unpack(tower.states(padded))
        free = pack(ids)
        expected = free.unpack(tower.states(free))
    for row, own in enumerate(ids):
        torch.testing.assert_close(states[row, : len(own)], expected[row, : len(own)])


# As sentence-transformers has them: weights of the states at the positions of a sequence.
POOLINGS = {
    "cls": lambda n: torch.eye(n)[0],
    "mean": lambda n: torch.ones(n) / n,
    "lasttoken": lambda n: torch.eye(n)[-1],
    "weightedmean": lambda n: torch.arange(1, n + 1) / sum(range(1, n + 1)),
}


@pytest.mark.parametrize(
    "family, pooling, dense",
    [
        ("BERT", "mean", 0),
        ("BERT", "cls", 6),  # which the library computes
        ("RoBERTa", "mean", 6),
        ("T5", "weightedmean", 6),
        ("Qwen3", "lasttoken", 0),
    ],
)
def test_vectors_of_the_makers(source, tmp_path, pooling, dense):
    """Pooling, a linear layer and the normalisation, by hand."""
    folder = Path(shutil.copytree(source, tmp_path / "source"))
    families.with_modules(folder, pooling, dense, query="the king: ", document="tower: ")
    take_encoder(folder, tmp_path / "taken", with_pooling=True)
    config = as_the_makers(tiny.config(), tmp_path / "taken", 20)
    model = BiEncoder.from_encoder(tmp_path / "taken", config)
    assert config.context.prompt == "the king: "
    assert model.dimension == (dense or 16)
    ids = plain(tmp_path / "taken")
    with torch.no_grad():
        found = model.eval().encode_views(pack(ids)) / 20**0.5
    for vector, own in zip(found, ids, strict=True):
        expected = POOLINGS[pooling](len(own)) @ states(folder, own)
        if dense:
            layer = torch.load(folder / "2_Dense" / "pytorch_model.bin")
            expected = (layer["linear.weight"] @ expected + layer["linear.bias"]).tanh()
        torch.testing.assert_close(vector, F.normalize(expected, dim=0), rtol=0, atol=1e-5)
    model.save_pretrained(tmp_path / "model")
    loaded = BiEncoder.from_pretrained(tmp_path / "model").eval()
    with torch.no_grad():
        torch.testing.assert_close(loaded.encode_views(pack(ids)) / 20**0.5, found)


@pytest.mark.parametrize(
    "family, pooling", [("DeBERTa-v3", "cls"), ("T5", "all"), ("Qwen3", "last"), ("Gemma", "last")]
)
def test_the_pooling_of_an_encoder_whose_makers_do_not_say(taken, pooling):
    assert read_json(taken / "manifest.json")["identity"]["vectors"]["pooling"] == pooling


@pytest.mark.parametrize(
    "family, positions", [("BERT", 66), ("XLM-R", 64), ("T5", None), ("Qwen3", 66)]
)
def test_positions(taken, positions):
    assert load_tower(taken).positions == positions
    model = model_of(taken)
    if positions is not None:
        with pytest.raises(InputError, match=f"merge.max_tokens is 70, .* {positions} positions"):
            model.require_positions("merge.max_tokens", 70)


def test_a_tower_without_weights_has_their_number(taken):
    weights = load_file(taken / "model.safetensors").values()
    counted = sum(one.numel() for one in empty_tower(taken).parameters())
    assert counted == sum(one.numel() for one in weights)


@pytest.mark.parametrize(
    "values, message",
    [
        ({"model_type": "bart"}, "'bart', which has a decoder"),
        ({"model_type": "clip"}, "'clip', which does not read tokens alone"),
        ({"model_type": "fnet"}, "'fnet', which takes no attention_mask"),
        ({"model_type": "new-thing"}, "new-thing"),
        ({"auto_map": {"AutoModel": "own.Model"}}, "'roberta', which needs program code"),
        ({"hidden_act": "gdlu"}, "gdlu"),
        ({"hidden_act": 3}, "hidden_act"),
        ({"position_embedding_type": "alibi"}, "position_embedding_type 'alibi'"),
    ],
)
def test_types_that_no_tower_can_be(directory, tmp_path, values, message):
    folder = changed(directory("RoBERTa")[0], tmp_path, **values)
    (folder / "model.safetensors").write_bytes(b"never read")
    with pytest.raises(InputError, match=message):
        take_encoder(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_bert_that_ours_does_not_compute(directory, tmp_path):
    source = changed(directory("BERT")[0], tmp_path, hidden_act="silu")
    take_encoder(source, tmp_path / "out")
    tower, (ids, *_) = load_tower(tmp_path / "out").eval(), plain(tmp_path / "out")
    assert isinstance(tower, Library)
    with torch.no_grad():
        torch.testing.assert_close(tower.states(pack([ids])), states(source, ids))


def test_a_missing_weight_and_a_missing_tokenizer(directory, tmp_path):
    folder = changed(directory("RoBERTa")[0], tmp_path, num_hidden_layers=3)
    with pytest.raises(InputError, match="weights are missing, .*encoder.layer.2"):
        take_encoder(folder, tmp_path / "out")
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(InputError, match="tokenizer"):
        take_encoder(folder, tmp_path / "out")


def test_a_layer_with_other_weights(directory, tmp_path):
    folder = Path(shutil.copytree(directory("RoBERTa")[0], tmp_path / "source"))
    families.with_modules(folder, "mean", 6)
    (folder / "2_Dense" / "pytorch_model.bin").write_bytes(b"cut")
    with pytest.raises(InputError, match="2_Dense/pytorch_model.bin"):
        take_encoder(folder, tmp_path / "out", with_pooling=True)
    write_json(folder / "2_Dense" / "config.json", {"activation_function": "own.Swish"})
    with pytest.raises(InputError, match="2_Dense/config.json asks for Swish"):
        take_encoder(folder, tmp_path / "out", with_pooling=True)
