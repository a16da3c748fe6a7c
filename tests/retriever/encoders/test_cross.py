"""A cross-encoder: what it reads, what it saves, what it refuses."""

import numpy as np
import pytest
import torch

from muver.io.errors import InputError
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.files import CROSS_FILES
from muver.retriever.encoders.packing import pack
from tests import tiny

VIEWS = {"kind": "prefix", "max_tokens": 24}
PAIRS = [[5, 40, 41, 6, 50, 2, 60, 6], [5, 50, 6, 44, 6], [5, 9, 10, 6, 12, 6]]
CPU = torch.device("cpu")


def make_cross(encoder, **own) -> CrossEncoder:
    torch.manual_seed(1)
    return CrossEncoder.from_encoder(encoder, tiny.config(score="cross", views=VIEWS, **own)).eval()


def test_a_pair_is_the_context_and_then_the_view(encoder):
    markers = make_cross(encoder).pieces.markers
    (cls,), (sep,) = markers.bos, markers.eos
    laid_out = make_cross(encoder).pairs([cls, 40, sep], [[cls, 50, 60, sep], [cls, 51, sep]])
    assert laid_out == [[cls, 40, sep, 50, 60, sep], [cls, 40, sep, 51, sep]]


def test_scores_are_a_linear_layer_over_the_first_state(encoder):
    model = make_cross(encoder)
    batch = pack(PAIRS)
    first = batch.unpack(model.encoder.states(batch))[:, 0]
    expected = first @ model.head.weight[0] + model.head.bias
    scores = model.scores([PAIRS[:2], [], PAIRS[2:]], 6, CPU)
    assert [len(own) for own in scores] == [2, 0, 1]
    np.testing.assert_allclose(np.concatenate(scores), expected.detach(), rtol=0, atol=1e-6)
    assert len(set(np.concatenate(scores).tolist())) == 3


def test_round_trip(encoder, tmp_path):
    model = make_cross(encoder)
    model.save_pretrained(tmp_path)
    loaded = CrossEncoder.from_pretrained(tmp_path)
    assert loaded.config == model.config
    for (name, old), new in zip(model.named_parameters(), loaded.parameters(), strict=True):
        assert torch.equal(old, new), name
    written = {one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*.*")}
    assert written == set(CROSS_FILES)
    assert "muver query INDEX --rerank this/folder" in (tmp_path / "README.md").read_text()


def test_what_is_no_cross_encoder_is_refused(encoder, tmp_path):
    tiny.make_model(encoder).save_pretrained(tmp_path / "towers")
    with pytest.raises(InputError, match="not a cross-encoder, as it has no head.safetensors"):
        CrossEncoder.from_pretrained(tmp_path / "towers")
    make_cross(encoder).save_pretrained(tmp_path / "cross")
    (tmp_path / "cross/head.safetensors").write_bytes(b"damaged")
    with pytest.raises(InputError, match="head.safetensors: its weights cannot be loaded"):
        CrossEncoder.from_pretrained(tmp_path / "cross")


def test_a_pair_longer_than_the_positions_is_refused(encoder):
    with pytest.raises(InputError, match="are 72 together, but the encoder has 64 positions"):
        make_cross(encoder, context={"max_tokens": 48})
    with pytest.raises(InputError, match="score cross reads one view an entity together with"):
        tiny.config(score="cross")
