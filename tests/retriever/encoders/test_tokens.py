"""Text to word pieces."""

import pytest

from muver.io.errors import InputError
from muver.io.typed import read
from muver.retriever.encoders.hub import place
from muver.retriever.encoders.start import take_encoder
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.views.build import entity_views, mention_contexts
from muver.retriever.views.views_settings import Context, Views
from tests import families


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


NAMES = "[SEP] [CLS] [PAD] [MASK] [unused0] [unused1] [unused2] [Ms] [Me] [ENT] <s> </s> <pad>"
MORE = "<mask> <bos> <eos> <|endoftext|> <extra_id_0> <extra_id_99>"


@pytest.mark.parametrize("family", families.FAMILIES)
def test_names_of_special_pieces_are_text(family, tmp_path):
    """Of all families, by themselves and among words."""
    take_encoder(families.make(family, tmp_path / "encoder"), tmp_path / "start", True)
    pieces = Pieces(tmp_path / "start")
    special = {*pieces.markers.ids}
    for name in f"{NAMES} {MORE}".split():
        for text in (name, f"king {name} river", f"king{name}", f"{name}{name} किला"):
            (ids,) = pieces.ids([text], within=True)
            assert ids and not special & {*ids}, (name, text)
            places = pieces.offsets(text)
            assert len(places) == len(ids)
            assert all(0 <= start <= end <= len(text) for start, end in places)


def test_a_context_and_a_view_have_one_separator_each(tmp_path):
    pieces = Pieces(place("miniwikia-bert"))
    said = "the [SEP] of [unused1] and [unused2] किला"
    context = read(Context, {"max_tokens": 64})
    (ids,) = mention_contexts([said], [said], [said], context, pieces)
    markers = pieces.markers
    for number in (markers.eos[0], markers.mention_start, markers.mention_end):
        assert ids.count(number) == 1
    settings = Views(kind="sentences", max_tokens=64, min_pieces=6, title_room=6,
                     training_views=None)  # fmt: skip
    ((view,),) = entity_views([said], [said], [[said]], settings, pieces)
    assert view.ids.count(markers.title_end) == view.ids.count(markers.eos[0]) == 1
