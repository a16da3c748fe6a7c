"""What holds for every stage that adds views to a store."""

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.retriever.encoders.worlds import Encode, encode_global, encode_split, merge_store
from tests import tiny
from tests.retriever.encoders.stages.conftest import GLOBAL, MERGE


def test_views_longer_than_the_encoder_s_positions(folders, corpus, tmp_path):
    inputs, out = (folders / "model", folders / "store"), tmp_path / "out"
    merge, global_view = (replace(one, max_tokens=65) for one in (MERGE, GLOBAL))
    for setting, stage in (
        ("merge", lambda: merge_store(*inputs, out, merge)),
        ("global_view", lambda: encode_global(*inputs, corpus[0], out, global_view)),
    ):
        with pytest.raises(InputError, match=f"{setting}.max_tokens is 65, but .* 64 positions"):
            stage()
    assert not out.exists()


def test_a_repeat_gives_the_same_bytes(folders, corpus, tmp_path):
    encode_split(
        folders / "model", *corpus, tmp_path / "store", tiny.settings(Encode, split="train")
    )
    store = tmp_path / "store"
    merge_store(folders / "model", store, tmp_path / "merged", MERGE)
    encode_global(folders / "model", store, corpus[0], tmp_path / "globals", GLOBAL)
    for folder in ("store", "merged", "globals"):
        for path in (folders / folder).iterdir():
            assert (tmp_path / folder / path.name).read_bytes() == path.read_bytes(), path
