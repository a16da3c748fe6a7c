"""An index with encoders of four makes, untrained.

Each family that users have is compared with its library in tests/retriever/encoders.
"""

import shutil

import pytest

from muver import Entity, Index, Mention
from muver.io.errors import InputError
from muver.retriever.encoders.hub import SHIPPED
from tests import families, tiny


@pytest.mark.parametrize("family", ["BERT", "RoBERTa", "T5", "Qwen3"])
def test_an_index_is_made_asked_and_added_to(family, entities, tmp_path):
    encoder = families.with_modules(
        families.make(family, tmp_path / "encoder"), "mean", query="q: "
    )
    settings = {"context_tokens": 32, "global_tokens": 60}
    index = Index.create(tmp_path / "index", entities[:4], model=str(encoder), **settings)
    mention = Mention(tiny.WORDS[2], left="The", right="saw it.", world="alder")
    (found,) = index.retrieve([mention], k=5)
    assert {one.document_id for one in found} == {"e0", "e2"}
    index.add(entities[4:6])
    (again,) = Index.open(tmp_path / "index").retrieve([mention], k=5)
    assert {one.document_id for one in again} == {"e0", "e2", "e4"}
    given = {one.document_id: one.signals for one in again}
    for one in found:
        for name in ("names", "names_text", "context"):
            assert given[one.document_id][name] == pytest.approx(one.signals[name], abs=1e-4)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Put an encoder into the hub's cache, as somebody left it who never asked for more."""

    def hub(folder):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        repository = tmp_path / "cache" / "models--someone--bert"
        shutil.copytree(folder, repository / "snapshots" / ("0" * 40))
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text("0" * 40)
        return "someone/bert"

    return hub


def test_a_plain_bert_by_its_name_without_the_network(entities, hub, tmp_path, caplog):
    name = hub(families.make("BERT", tmp_path / "encoder"))
    settings = {"context_tokens": 32, "global_tokens": 60}
    index = Index.create(tmp_path / "index", entities[:4], model=name, **settings)
    assert "it is taken without: the state of [CLS] is its vector" in caplog.text
    (same,) = Index.create(
        tmp_path / "same", entities[:4], model=str(tmp_path / "encoder"), **settings
    ).retrieve([Mention(tiny.WORDS[2])], k=4)
    assert index.retrieve([Mention(tiny.WORDS[2])], k=4) == [same]


@pytest.mark.parametrize(
    ("settings", "cure"),
    [
        ({"context_tokens": 5000}, "context_tokens"),
        ({"view_tokens": 5000}, "view_tokens"),
        ({"global_tokens": 5000, "views": "global"}, "global_tokens"),
        ({"merged_tokens": 5000, "merge": 1}, "merged_tokens"),
        (
            {"view_tokens": 20, "context_tokens": 20, "views": "sentences"},
            "view_tokens and context_tokens",
        ),
    ],
)
def test_a_cure_is_one_that_an_index_has(settings, cure, entities, tmp_path):
    long = "a long prompt which is no sentence of the text and has too many pieces of words: "
    encoder = families.with_modules(
        families.make("BERT", tmp_path / "encoder"), "mean", passage=long, query=long
    )
    settings = {"context_tokens": 60, "view_tokens": 60, "global_tokens": 60, **settings}
    with pytest.raises(InputError, match=cure):
        Index.create(tmp_path / "index", entities, model=str(encoder), **settings)


@pytest.mark.parametrize("named", [True, False])
def test_what_has_read_invented_wikis_alone_is_told(named, tmp_path, encoder, caplog):
    """By its name, and as the folder of a model that was made from it."""
    source = "miniwikia-bert" if named else str(SHIPPED["miniwikia-bert"])
    entities = [Entity(id="1", title="Ann", description="A smith.")]
    Index.create(tmp_path / "index", entities, source)
    assert f"{source} has read invented wikis alone" in caplog.text
    caplog.clear()
    short = {"context_tokens": 60, "global_tokens": 60}
    Index.create(tmp_path / "other", entities, str(encoder), **short)
    assert "has read invented wikis" not in caplog.text
