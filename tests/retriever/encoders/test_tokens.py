"""Text to word pieces."""

import pytest

from muver.io.errors import InputError
from muver.retriever.encoders.tokens import Pieces


def test_markers_are_the_vocabulary_s(encoder):
    pieces = Pieces(encoder)
    markers = pieces.markers
    assert (markers.pad, markers.mention_start, markers.mention_end, markers.title_end) == (
        0,
        1,
        2,
        3,
    )
    assert (markers.bos, markers.eos) == ((5,), (6,))


def test_ids_have_no_special_pieces_and_no_limit(encoder):
    pieces = Pieces(encoder)
    one, many, none = pieces.ids(["The KING", "king " * 600, ""])
    assert len(many) == 600 and len(set(many)) == 1
    assert one[-1] == many[0]  # lower-cased
    assert none == []
    assert not {5, 6} & {*one, *many}


def test_a_folder_without_a_tokenizer(tmp_path):
    with pytest.raises(InputError, match="tokenizer.json: no such file"):
        Pieces(tmp_path)
