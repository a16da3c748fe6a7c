"""A cross-encoder: what it reads, what it saves, what it refuses."""

import math

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.files import CROSS_FILES
from tests import tiny

VIEWS = {"kind": "prefix", "max_tokens": 24}
PAIRS = [[5, 1, 41, 2, 40, 6, 50, 3, 60, 6], [5, 50, 1, 44, 2, 6, 44, 6], [5, 1, 2, 6, 12, 6]]
FAR = [[1, 0, 0, 0, 1, 2], [2, 1, 0, 0, 0, 1], [1, 0, 0, 1]]  # pieces from the mention


def make_cross(encoder, **own) -> CrossEncoder:
    torch.manual_seed(1)
    config = tiny.config(score="cross", views=VIEWS, scale=10, **own)
    return CrossEncoder.from_encoder(encoder, config).eval()


def test_a_pair_is_the_context_and_then_the_view(encoder):
    markers = make_cross(encoder).pieces.markers
    (cls,), (sep,) = markers.bos, markers.eos
    laid_out = make_cross(encoder).pairs([cls, 40, sep], [[cls, 50, 60, sep], [cls, 51, sep]])
    assert laid_out == [[cls, 40, sep, 50, 60, sep], [cls, 40, sep, 51, sep]]


@pytest.mark.parametrize("own, base", [({}, 1.0), ({"decay": 1 / math.log(2)}, 0.5)])
def test_scores_sum_the_best_cosines_of_the_context_s_pieces(encoder, own, base):
    """The context ends with its [SEP]; of 32 pieces at most, with a scale of 10. That decay halves
    a piece's weight with each step that it is from the mention's markers.
    """
    model = make_cross(encoder, **own)
    (sep,) = model.pieces.markers.eos
    batch, expected = pack(PAIRS), []
    states = batch.unpack(model.cross_encoder.states(batch))
    for each, ids, far in zip(states, PAIRS, FAR, strict=True):
        end = ids.index(sep) + 1
        best = [
            max(torch.cosine_similarity(one, other, dim=0) for other in each[end : len(ids)])
            * base**away
            for one, away in zip(each[:end], far, strict=True)
        ]
        expected.append(10 * sum(best) / 32**0.5)
    expected = torch.stack(expected)
    scores = model.scores([PAIRS[:2], [], PAIRS[2:]], 6)
    assert [len(own) for own in scores] == [2, 0, 1]
    np.testing.assert_allclose(np.concatenate(scores), expected.detach(), rtol=1e-6)
    assert len(set(np.concatenate(scores).tolist())) == 3


def test_round_trip(encoder, tmp_path):
    model = make_cross(encoder)
    model.save_pretrained(tmp_path)
    loaded = CrossEncoder.from_pretrained(tmp_path)
    assert replace(loaded.config, scale=10) == model.config
    assert loaded.config.scale == pytest.approx(10)
    for (name, old), new in zip(model.named_parameters(), loaded.parameters(), strict=True):
        torch.testing.assert_close(old, new, msg=name)
    written = {one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*.*")}
    assert written == set(CROSS_FILES)
    assert "muver query INDEX --rerank this/folder" in (tmp_path / "README.md").read_text()


def test_what_is_no_cross_encoder_is_refused(encoder, tmp_path):
    tiny.make_model(encoder).save_pretrained(tmp_path / "towers")
    with pytest.raises(InputError, match="not a cross-encoder, as its score is max"):
        CrossEncoder.from_pretrained(tmp_path / "towers")


def test_a_pair_longer_than_the_positions_is_refused(encoder):
    with pytest.raises(InputError, match="together is 72, but the encoder has 64 positions"):
        make_cross(encoder, context={"max_tokens": 48})
    with pytest.raises(InputError, match="score cross reads one view an entity together with"):
        tiny.config(score="cross")
