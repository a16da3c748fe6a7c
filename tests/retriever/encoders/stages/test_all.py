"""What holds for every stage that adds views to a store."""

import json

import pytest
from msgspec.structs import replace

from muver.cli import main
from muver.io.errors import InputError
from muver.retriever.encoders.stages.encode import Encode, encode_split
from muver.retriever.encoders.stages.further import encode_global, encode_spans, merge_store
from tests import tiny
from tests.retriever.encoders.stages.conftest import GLOBAL, MERGE, SPANS


def test_views_longer_than_the_encoder_s_positions(folders, corpus, tmp_path):
    inputs, out = (folders / "model", folders / "store"), tmp_path / "out"
    merge, global_view, spans = (replace(one, max_tokens=65) for one in (MERGE, GLOBAL, SPANS))
    for setting, stage in (
        ("merge", lambda: merge_store(*inputs, out, merge)),
        ("global_view", lambda: encode_global(*inputs, corpus[0], out, global_view)),
        ("spans", lambda: encode_spans(*inputs, out, spans)),
    ):
        with pytest.raises(InputError, match=f"{setting}.max_tokens is 65, but .* 64 positions"):
            stage()
    assert not out.exists()


def test_the_commands_are_the_functions(folders, corpus, tmp_path):
    for command, stage, settings, more in (
        ("globals", "encode-global", GLOBAL, ["--entities", str(corpus[0])]),
        ("spans", "encode-spans", SPANS, []),
    ):
        options = ["--settings", json.dumps(settings.as_dict()), "--model", str(folders / "model")]
        options += ["--store", str(folders / "store"), "--out", str(tmp_path / command)]
        assert main(["stage", stage, *options, *more]) == 0
        for path in (folders / command).iterdir():
            assert (tmp_path / command / path.name).read_bytes() == path.read_bytes(), path


def test_a_repeat_gives_the_same_bytes(folders, corpus, tmp_path):
    encode_split(
        folders / "model", *corpus, tmp_path / "store", tiny.settings(Encode, split="train")
    )
    store = tmp_path / "store"
    merge_store(folders / "model", store, tmp_path / "merged", MERGE)
    encode_global(folders / "model", store, corpus[0], tmp_path / "globals", GLOBAL)
    encode_spans(folders / "model", store, tmp_path / "spans", SPANS)
    for folder in ("store", "merged", "globals", "spans"):
        for path in (folders / folder).iterdir():
            assert (tmp_path / folder / path.name).read_bytes() == path.read_bytes(), path
