"""The two towers: what they compute and pool, what they save, what they refuse."""

import shutil

import pytest
import torch

from muver.io.errors import InputError
from muver.retriever.encoders.biencoder import BiEncoder, pool
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.views.layout import Markers
from tests import tiny

IDS = [[5, 40, 41, 6], [5, 50, 6]]


def test_round_trip(encoder, tmp_path):
    model = tiny.make_model(encoder, pooling="span", metric="l2")
    with torch.no_grad():
        for weight in model.entity_encoder.parameters():
            weight.add_(0.01)
    model.save_pretrained(tmp_path / "one")
    loaded = BiEncoder.from_pretrained(tmp_path / "one")
    assert loaded.config == model.config
    for (name, old), new in zip(model.named_parameters(), loaded.parameters(), strict=True):
        assert torch.equal(old, new), name
    loaded.save_pretrained(tmp_path / "two")
    written = sorted(
        path.relative_to(tmp_path / "one").as_posix()
        for path in (tmp_path / "one").rglob("*")
        if path.is_file()
    )
    assert written == sorted(MODEL_FILES)
    for file in MODEL_FILES:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_scale_brings_vectors_to_one_length_and_is_trained_and_saved(encoder, tmp_path):
    model = tiny.make_model(encoder, scale=20)
    plain = tiny.make_model(encoder).encode_views(pack(IDS))
    expected = torch.nn.functional.cosine_similarity(plain[0], plain[1], dim=0)
    vectors = model.encode_views(pack(IDS))
    torch.testing.assert_close(vectors[0] @ vectors[1], 20 * expected)
    (vectors[0] @ vectors[1]).backward()  # d of s cos / d of log s
    torch.testing.assert_close(model.log_scale.grad, 20 * expected.detach())
    with torch.no_grad():
        model.log_scale += 0.5
    model.save_pretrained(tmp_path)
    loaded = BiEncoder.from_pretrained(tmp_path)
    assert loaded.config.scale == pytest.approx(20 * 2.718281828**0.5)
    assert torch.equal(loaded.log_scale, model.log_scale)


def test_token_vectors_may_be_of_one_length_too(encoder, tmp_path):
    """A score of up to 32 products: each is the cosine times the scale over the root of 32."""
    model = tiny.make_model(encoder, "sum_max", scale=20)
    plain = tiny.make_model(encoder, "sum_max").encode_views(pack(IDS))
    vectors = model.encode_views(pack(IDS))
    cosines = torch.nn.functional.cosine_similarity(plain[0, :, None], plain[1, None], dim=2)
    torch.testing.assert_close(vectors[0] @ vectors[1].T, 20 / 32**0.5 * cosines)
    (vectors[0, 0] @ vectors[1, 0]).backward()  # d of s cos / d of log s
    torch.testing.assert_close(model.log_scale.grad, 20 / 32**0.5 * cosines[0, 0].detach())
    model.save_pretrained(tmp_path)
    assert BiEncoder.from_pretrained(tmp_path).config.scale == pytest.approx(20)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"metric": "cosine"}, "metric is 'cosine'"),
        ({"score": "mean"}, "score is 'mean'"),
        ({"score": "sum_max"}, "sum_max .* views.kind"),
        ({"score": "sum_max", "views": tiny.TOKEN_VIEWS, "metric": "l2"}, "sum_max .* metric"),
        ({"score": "sum_max", "views": tiny.TOKEN_VIEWS, "pooling": "all"}, "sum_max .* pooling"),
        ({"decay": 8}, "a cross-encoder sums over, and score is max. Set score to cross"),
    ],
)
def test_settings_that_do_not_exist_or_do_not_go_together(wrong, message):
    with pytest.raises(InputError, match=message):
        tiny.config(**wrong)


def test_lengths_that_padding_fills():
    assert tiny.config(views=tiny.TOKEN_VIEWS, score="sum_max").pad_to == (None, None)
    padded = {**tiny.TOKEN_VIEWS, "padding": True}
    assert tiny.config(views=padded, score="sum_max").pad_to == (32, 24)


@pytest.mark.parametrize("section", ["views", "context"])
def test_layouts_longer_than_the_encoder_s_positions(encoder, section):
    layouts = {"views": dict(tiny.SENTENCE_VIEWS), "context": {"max_tokens": 32}}
    layouts[section]["max_tokens"] = 65
    with pytest.raises(InputError, match=f"{section}.max_tokens .* is 65, .* 64"):
        BiEncoder.from_encoder(encoder, tiny.config(**layouts))


@pytest.fixture(scope="module")
def saved(encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    tiny.make_model(encoder).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("file", MODEL_FILES)
def test_a_model_without_one_of_its_files(saved, tmp_path, file):
    folder = shutil.copytree(saved, tmp_path / "model")
    (folder / file).unlink()
    if file == "README.md":
        BiEncoder.from_pretrained(folder)
        return
    with pytest.raises(InputError, match=file):
        BiEncoder.from_pretrained(folder)


def test_a_configuration_of_something_else(saved, tmp_path):
    folder = shutil.copytree(saved, tmp_path / "model")
    (folder / "muver.json").write_text('{"vews": {}}')
    with pytest.raises(InputError, match="muver.json.*vews"):
        BiEncoder.from_pretrained(folder)


CLS, SEP, OPENING, CLOSING = 5, 6, 1, 2
CONTEXT = [CLS, 20, OPENING, 30, 31, CLOSING, 21, SEP]
NO_MENTION = [CLS, 20, 21, SEP]


def positions(sequences, pooling, opening=OPENING, closing=CLOSING) -> list[list[float]]:
    """Pooled states of one-hot positions: the weight of each position."""
    batch = pack(sequences)
    states = torch.eye(batch.longest)[batch.positions]
    markers = Markers(0, (CLS,), (SEP,), OPENING, CLOSING, 3)
    pooled = pool(states, batch, pooling, markers, (opening, closing))
    return [row[: len(own)].tolist() for row, own in zip(pooled, sequences, strict=True)]


def means(length, chosen):
    return [pytest.approx(1 / len(chosen) if n in chosen else 0) for n in range(length)]


@pytest.mark.parametrize(
    "pooling, of_context, of_none",
    [
        ("cls", [0], [0]),
        ("last", [7], [3]),
        ("special", [0, 2, 5, 7], [0, 3]),
        ("span", [3, 4], [0]),  # no mention: [CLS]
        ("all", range(8), range(4)),  # and not the padding
    ],
)
def test_contexts(pooling, of_context, of_none):
    found = positions([CONTEXT, NO_MENTION], pooling)
    assert found == [means(8, of_context), means(4, of_none)]


@pytest.mark.parametrize(
    "view, chosen",
    [
        ([CLS, 20, 21, 3, 22, SEP], [1, 2]),
        ([CLS, 20, CLS, 3, 22, 3, SEP], [1, 2]),  # [CLS] in a title, [ENT] in a text
        ([CLS, 3, 22, SEP], [0]),  # an empty title
        ([CLS, 20, 21, SEP], [0]),  # [ENT] did not fit
        ([0, 0, 0], [0]),  # an empty view
    ],
)
def test_titles(view, chosen):
    assert positions([view], "span", CLS, 3) == [means(len(view), chosen)]


def test_the_other_poolings_of_an_empty_view():
    assert positions([[0, 0]], "special", CLS, 3) == [means(2, [0])]
    assert positions([[0, 0]], "all", CLS, 3) == [means(2, [0, 1])]


@pytest.mark.parametrize("pooling", ["cls", "last", "special", "span", "all"])
def test_both_towers_pool_by_their_own_markers(encoder, pooling):
    config = tiny.config(pooling=pooling)
    model = BiEncoder.from_encoder(encoder, config).eval()
    sides = (
        (model.encode_mentions, CONTEXT, {"special": [0, 2, 5, 7], "span": [3, 4]}),
        (model.encode_views, [CLS, 20, 3, 22, SEP], {"special": [0, 2, 4], "span": [1]}),
    )
    for encode, sequence, chosen in sides:
        ends = {"cls": [0], "last": [len(sequence) - 1]}
        chosen = {**chosen, **ends, "all": range(len(sequence))}[pooling]
        vectors = encode(pack([sequence, [*sequence, 40, 41]]))  # the first one is the shorter
        states = model.mention_encoder.states(pack([sequence]))
        expected = states[list(chosen)].mean(dim=0)
        assert vectors.shape == (2, 32)
        torch.testing.assert_close(vectors[0], expected, rtol=0, atol=1e-5)
