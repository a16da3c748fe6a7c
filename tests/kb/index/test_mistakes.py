"""What goes wrong with an index: said clearly, and nothing is lost."""

import errno
import json
import os
import shutil
from unittest.mock import Mock

import pyarrow as pa
import pytest
from msgspec.structs import replace

from muver.io import progress
from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.kb.index import changes, encoding, segments
from muver.kb.index import mentions as mentions_module
from muver.kb.index.commands import repair
from muver.kb.index.entity import Entity
from muver.kb.index.evaluate import evaluate
from muver.kb.index.index import Index
from muver.kb.index.snapshot import UnknownEntity
from muver.kb.index.state import BeingChanged, Damaged, read_state, write_state, writing
from muver.retriever.answers import Mention
from muver.retriever.encoders import device
from muver.retriever.encoders.biencoder import BiEncoder
from tests import tiny


@pytest.fixture
def index(tmp_path, entities) -> Index:
    return Index.create(tmp_path / "index", entities, "bm25")


@pytest.fixture
def with_model(tmp_path, entities, model) -> Index:
    return Index.create(tmp_path / "index", entities[:3], model)


NEW = Entity(id="new", title="A lighthouse", world="alder")
FULL = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))

ENTITIES = {
    "long": (Entity(id="x", title="t", description="a" * 2_000_000), "200000.*description"),
    "aliases": (Entity(id="x", title="t", aliases=["a"] * 100_000), "1000.*aliases"),
    "id": (Entity(id="", title="t"), "entity 0: not an entity .*id"),
    "world": (Entity(id="x", title="t", world=""), "entity 0: not an entity .*world"),
    "nothing": (Entity(id="x", title=" "), "neither title nor description"),
    "spaces": (Entity(id=" x ", title="t"), "entity 0: id ' x ' begins or ends with a space"),
    "no world": (Entity(id="x", title="t"), "world: name one. There are: alder, birch"),
    "file": (Entity(id="x", title="t", world="a/b"), "world 'a/b': expected a name of 1 to 200"),
    "number": (Entity(id=3.5, title="t"), "entity 0: not an entity .*`str`, got `float`.*id"),
    "surrogate": (Entity(id="x", title="\ud800"), "entity 0: not an entity"),
    "text": ("x", "entity 0: not an entity"),
}


@pytest.mark.parametrize("name", ENTITIES)
def test_an_entity_that_is_none(name, index):
    entity, message = ENTITIES[name]
    for change in (index.add, index.update):
        with pytest.raises(InputError, match=message):
            change([entity, NEW])
    assert index.generation == 1


def test_an_id_that_comes_twice(index, tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "ENTITIES_A_PART", 2)
    some = [
        NEW,
        Entity(id="other", title="Other", world="birch"),
        Entity(id="new", title="Same", world="alder"),
    ]
    for change in (index.add, index.update, lambda all: Index.create(tmp_path / "2", all, "bm25")):
        for given in (some, [some[0], some[2]]):
            with pytest.raises(InputError, match="id 'new' comes twice in world 'alder'"):
                change(given)
    assert (index.generation, len(index)) == (1, 12)
    assert not (tmp_path / "2").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index"]


def test_an_id_that_is_not_there(index):
    with pytest.raises(UnknownEntity, match="id 'e12' is not in this index"):
        index.remove(["e0", "e12"])
    with pytest.raises(UnknownEntity, match="id 'e1' is not in world 'alder' of this index"):
        index.entity("e1", "alder")
    with pytest.raises(InputError, match="id 'e1': world 'alde' is not .* Did you mean 'alder'"):
        index.entity("e1", "alde")
    assert len(index) == 12


def test_a_full_disk(index, monkeypatch):
    monkeypatch.setattr(pa.RecordBatchFileWriter, "write_batch", FULL)
    with pytest.raises(InputError, match="000002.arrow: .*No space left"):
        index.add([NEW])
    monkeypatch.undo()
    assert [path.name for path in (index.folder / "segments").iterdir()] == ["000001.arrow"]
    assert Index.open(index.folder).generation == 1
    assert index.add([NEW]).added == 1


@pytest.mark.parametrize("kind", ["trained", "encoder"])
def test_a_full_disk_while_the_model_is_copied(kind, tmp_path, entities, model, plain, monkeypatch):
    if kind == "encoder":
        model = plain
        monkeypatch.setattr(BiEncoder, "save_pretrained", FULL)
    else:
        monkeypatch.setattr(shutil, "copyfile", FULL)
    there = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="model: cannot be written .*No space left"):
        Index.create(tmp_path / "index", entities, model, context_tokens=60)
    assert sorted(tmp_path.iterdir()) == there


def test_what_takes_longer_than_a_second_is_told_at_once(
    tmp_path, entities, model, monkeypatch, caplog
):
    monkeypatch.setattr(progress, "FIRST", 0)
    monkeypatch.setattr(device, "BATCH_TOKENS", {"cpu": 1})
    caplog.set_level("INFO", "muver")
    index = Index.create(tmp_path / "index", entities[:3], model)
    assert "encoding views: 1 of " in caplog.text
    mentions = [{"left": "", "mention": one.title, "right": "", "gold": one.id} for one in entities]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, mentions[:3])))
    monkeypatch.setattr(mentions_module, "TOGETHER", 1)
    evaluate(index.folder, str(tmp_path / "m.jsonl"))
    assert "ranking: 1 of 3 mentions" in caplog.text


@pytest.mark.parametrize("change", ["add", "update", "remove", "compact"])
def test_a_killed_writer_leaves_the_old_state(change, index, entities, monkeypatch):
    index.remove(["e3"])
    given = {"add": [[NEW]], "update": [[NEW]], "remove": [["e0"]], "compact": []}[change]
    with monkeypatch.context() as patch:
        patch.setattr(changes, "write_state", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            getattr(index, change)(*given)
    again = Index.open(index.folder)
    assert (again.generation, len(again), changes.verify(again.folder)) == (2, 11, [])
    getattr(again, change)(*given)
    again.compact()
    assert changes.verify(again.folder) == []
    assert len(list((again.folder / "segments").iterdir())) == 1


def test_what_a_killed_change_left_is_removed_by_the_next(index):
    left = [index.folder / ".index.json.0.tmp", index.folder / "segments" / ".000002.arrow.0.tmp"]
    for path in left:
        path.write_bytes(b"half")
    index.remove(["e3"])
    assert not any(path.exists() for path in left)


def test_a_killed_create_leaves_nothing(tmp_path, entities, monkeypatch):
    monkeypatch.setattr(changes, "write_new", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        Index.create(tmp_path / "index", entities, "bm25")
    assert list(tmp_path.iterdir()) == []


def test_a_second_writer(index):
    with writing(index.folder):
        for change in (lambda: index.add([NEW]), lambda: index.remove(["e0"]), index.compact):
            with pytest.raises(BeingChanged, match=rf"{index.folder}: .*process {os.getpid()}"):
                change()
    assert index.add([NEW]).added == 1


def flip(path, at=None):
    """Change a bit of a file in its place, under whoever has mapped it."""
    with path.open("r+b") as file:
        file.seek(at if at is not None else path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 1]))


def test_a_segment_that_is_not_as_it_was_written(index):
    path = index.folder / "segments" / "000001.arrow"
    whole = path.read_bytes()
    for spoil, why in (
        (lambda: flip(path), "its SHA-256 is"),
        (lambda: path.write_bytes(whole[:-100]), f"{len(whole) - 100} bytes"),
        (path.unlink, "no such file"),
    ):
        spoil()
        assert f"000001.arrow: damaged ({why}" in changes.verify(index.folder)[0]
        with pytest.raises(Damaged, match="000001.arrow"):
            Index.open(index.folder)


@pytest.mark.parametrize("change", ["add", "update", "compact"])
def test_damage_is_not_copied_on(change, index, monkeypatch):
    """Of an index that was whole when it was opened, and of one too large to be looked through."""
    monkeypatch.setattr(changes, "MOST_SMALL", 0)
    index.remove(["e3"])
    flip(index.folder / "segments" / "000001.arrow")
    before = (index.folder / "index.json").read_bytes()
    monkeypatch.setattr(segments, "AT_ONCE", 0)
    given = [] if change == "compact" else [[NEW]]
    for opened in (index, Index.open(index.folder)):
        with pytest.raises(Damaged, match="000001.arrow"):
            getattr(opened, change)(*given)
    assert (index.folder / "index.json").read_bytes() == before
    assert "000001.arrow" in changes.verify(index.folder)[0]


def test_a_state_with_other_bytes(index):
    """A segment that is not named any more would not be missed."""
    index.add([NEW])
    path = index.folder / "index.json"
    state = json.loads(path.read_text())
    for other in ({"segments": state["segments"][:1]}, {"sha256": 5}, {"generation": 1}):
        path.write_text(json.dumps({**state, **other}))
        for ask in (lambda: Index.open(index.folder), index.refresh, lambda: index.add([NEW])):
            with pytest.raises(Damaged, match="index.json"):
                ask()
    del state["sha256"]
    for other in ({}, {"entities": 9}):
        path.write_text(json.dumps({**state, **other}))
        with pytest.raises(Damaged, match="index.json"):
            Index.open(index.folder)
    for other in ({"entities": 9}, {"removed": [99]}):
        other = {**state, "segments": [{**state["segments"][0], **other}]}
        path.write_text(json.dumps({**other, "sha256": short_hash(other, 64)}))
        with pytest.raises(Damaged, match="000001.arrow"):
            Index.open(index.folder)


WAYS = ("empty segment", "no segment", "state", "no state", "half a state", "another file")


@pytest.mark.parametrize("what", WAYS)
def test_repair_goes_back_to_before_the_last_change(index, what, caplog):
    index.remove(["e3"])
    index.add([NEW])
    state, segment = index.folder / "index.json", index.folder / "segments" / "000003.arrow"
    if what == "empty segment":
        segment.write_bytes(b"")
    elif what == "half a state":
        state.write_bytes(state.read_bytes()[:200])
    elif what == "another file":
        state.write_text("{}")
    elif what == "state":
        flip(state)
    else:
        (segment if what == "no segment" else state).unlink()
    for ask in (lambda: Index.open(index.folder), index.compact):
        with pytest.raises(
            InputError, match="where there is a previous.json, `muver index repair`"
        ):
            ask()
    caplog.set_level("INFO", "muver")
    repair(index.folder)
    again = Index.open(index.folder)
    assert (len(again), again.has("new"), changes.verify(again.folder)) == (11, False, [])
    assert again.generation > index.generation
    assert again.add([NEW]).added == 1
    repair(index.folder)
    assert caplog.messages[-1].endswith("nothing to repair")


def test_what_cannot_be_repaired(index, tmp_path):
    with pytest.raises(InputError, match="not an index"):
        repair(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    index.add([NEW])
    flip(index.folder / "segments" / "000001.arrow")
    with pytest.raises(InputError, match="000001.arrow: damaged .*\n.*no whole state before that"):
        repair(index.folder)


def test_a_change_is_on_the_disk_before_the_one_it_replaces_goes(index, monkeypatch):
    """Files, then their names: the segment, the state that was, and the new state."""
    done = []

    def sync(descriptor):
        done.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))

    def rename(old, new):
        done.append(f"rename {new.name}")
        replace(old, new)

    replace = os.replace
    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", rename)
    index.add([NEW])
    names = [name.split(".tmp")[0].rpartition(".")[0] if ".tmp" in name else name for name in done]
    assert names == [
        ".000002.arrow", "rename 000002.arrow", "segments",
        ".previous.json", "rename previous.json", "index",
        ".index.json", "rename index.json", "index",
    ]  # fmt: skip


def test_another_model_in_its_place(with_model, encoder, monkeypatch):
    """It is told before it is used, and of a large one `verify` alone tells."""
    weights = with_model.folder / "model" / "mention_encoder" / "model.safetensors"
    flip(weights, weights.stat().st_size - 3)
    with pytest.raises(InputError, match="model: not what the index was made with"):
        Index.open(with_model.folder).retrieve([Mention("tower")])
    shutil.rmtree(with_model.folder / "model")
    assert with_model.info()["model_bytes"] == 0
    with pytest.raises(InputError, match="muver.json: no such file. Put .*model back from a copy"):
        Index.open(with_model.folder).retrieve([Mention("tower")])
    tiny.make_model(encoder, pooling="all").save_pretrained(with_model.folder / "model")
    (said,) = changes.verify(with_model.folder)
    assert said.startswith(f"{with_model.folder}/model: ")
    monkeypatch.setattr(encoding, "AT_ONCE", 0)
    Index.open(with_model.folder).retrieve([Mention("tower")])


def test_an_index_of_before_whose_sentences_are_by_punkt(with_model):
    """It answers, and takes no entities."""
    state = read_state(with_model.folder)
    write_state(with_model.folder, replace(state, model=replace(state.model, punkt="5f")))
    before = Index.open(with_model.folder)
    assert len(before.retrieve("tower", 3)[0]) == 3
    with pytest.raises(InputError, match="its sentences are by Punkt.* Make it again"):
        before.add([NEW])


SETTINGS = {
    "merge": ({"merge": 5}, "merge is 5"),
    "views": ({"views": "paragraphs"}, "views is 'paragraphs'"),
    "none to merge": ({"merge": 1, "views": "global"}, "merge needs views of sentences"),
    "weight": ({"weights": {"words": -1}}, "weights: words=-1: expected a number from 0 on"),
    "signal": ({"weights": {"wrds": 1}}, "'wrds' is no signal of this index. Did you mean 'words'"),
    "nothing": ({"weights": {"words": 0, "exact": 0}}, "weights: all are 0"),
    "aggregate": (
        {"aggregate": {"kind": "softmax_sum", "softmax_candidates": 5, "temperature": 1}},
        "softmax_sum takes more than an entity's own",
    ),
    "several": (
        {"aggregate": {"kind": "log_mean_exp", "temperature": [1, 2]}},
        "temperature has several values",
    ),
    "unknown": ({"layers": 1}, "unknown key layers"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name, tmp_path, entities):
    settings, message = SETTINGS[name]
    with pytest.raises(InputError, match=message):
        Index.create(tmp_path / "index", entities, "bm25", **settings)


def test_what_is_no_index(tmp_path, index):
    def opened(state):
        (index.folder / "index.json").write_text(json.dumps(state))
        return Index.open(index.folder)

    state = json.loads((index.folder / "index.json").read_text())
    del state["sha256"]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    older, other = {**state, "format": 3}, {**state, "segments": 3}
    other["sha256"] = short_hash(other, 64)
    for open_it, named in (
        (lambda: Index.open(tmp_path), "not an index .* `muver index create`"),
        (lambda: Index.create(index.folder, [], "bm25"), "index: is there already"),
        (lambda: Index.create(tmp_path / "full", [], "bm25"), "full: is there already"),
        (
            lambda: Index.create(tmp_path / "new", tmp_path / "full" / "file", "bm25"),
            "full/file: no folder with a knowledge base. `muver kb import` makes one",
        ),
        (
            lambda: Index.create(tmp_path / "new", tmp_path / "full", "bm25"),
            "full: no folder with a knowledge base. `muver kb import` makes one",
        ),
        (lambda: Index.open(index.folder / "index.json"), "not an index"),
        (lambda: opened(older), "another version of muver made this index .format 3, here 4"),
        (lambda: opened(other), "not the state of an index"),
    ):
        with pytest.raises(InputError, match=named):
            open_it()


def test_models(tmp_path, entities, encoder, model):
    def refused(message, name, **settings):
        with pytest.raises(InputError, match=message):
            Index.create(tmp_path / "index", entities, name, **settings)
        assert not (tmp_path / "index").exists()

    tiny.make_model(encoder, score="sum_max").save_pretrained(tmp_path / "tokens")
    refused("compares one vector a mention", tmp_path / "tokens")
    refused("no such directory|no configuration", tmp_path / "tokens" / "muver.json")
    refused("merged_tokens is 512, but the encoder has 64 positions", model, merge=1)
    refused("global_tokens is 128, but the encoder has 64 positions", model, views="both")
    refused("views are compared by a model", "bm25", views="both")
    refused("views are compared by a model", None, merge=1)
    (tmp_path / "tokens" / "mention_encoder" / "model.safetensors").unlink()
    refused("model.safetensors: no such file", tmp_path / "tokens")


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda index: index.retrieve([Mention("x")], k=0), "k: 0 is not a number of candidates"),
        (lambda index: index.retrieve(["x"], k=1.5), "k: 1.5 is not a number of candidates"),
        (lambda index: index.retrieve(["x"], k="3"), "k: '3' is not a number of candidates"),
        (lambda index: index.retrieve(["x", None]), "mention 1: its left is not Unicode text"),
        (lambda index: index.search([{"mention": "x"}]), "mention 0: its left is not Unicode text"),
        (lambda index: index.retrieve("x", weights={"words": "2"}), "words='2': expected a number"),
        (lambda index: index.retrieve([Mention(" ")], k=1), "mention 0: its text is empty"),
        (lambda index: index.retrieve([Mention("x", None)]), "mention 0: its left is not"),
        (lambda index: index.retrieve([Mention("x", world="brich")]), "'brich' .* mean 'birch'"),
        (lambda index: index.views("e0", "alder"), "has no views of sentences"),
        (
            lambda index: index.retrieve([Mention("x")], weights={"views": 1}),
            "'views' is no signal of this index",
        ),
    ],
)
def test_what_cannot_be_asked(index, ask, named):
    with pytest.raises(InputError, match=named):
        ask(index)
