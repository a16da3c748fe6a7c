"""An index made, opened, asked and changed by the library."""

import threading
from pathlib import Path

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.kb.index import changes, snapshot
from muver.kb.index.changes import Change
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index, opened_index
from muver.kb.index.snapshot import Snapshot
from muver.kb.index.state import read_state
from muver.retriever.answers import Mention
from muver.retriever.encoders.files import TOWERS
from muver.retriever.retrieval.kinds.bm25 import BM25
from tests import tiny


@pytest.fixture
def index(tmp_path, entities) -> Index:
    """An index of words."""
    return Index.create(tmp_path / "index", entities, "bm25")


def names(answers) -> list[str]:
    return [candidate.document_id for candidate in answers[0]]


def test_another_working_folder_changes_nothing(model, entities, tmp_path, monkeypatch):
    """What is loaded late, such as the model, is found where the index was opened."""
    monkeypatch.chdir(tmp_path)
    Index.create("index", entities, model)
    index, other = Index.open("index"), opened_index(Path("index"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    found = index.retrieve([Mention(tiny.WORDS[3])], 3)
    assert found == other.retrieve([Mention(tiny.WORDS[3])], 3) and len(found[0]) == 3
    assert index.add([Entity(id=7, title="दिल्ली", world="alder")]) == Change(added=1)
    assert other.refresh().entity(7).title == "दिल्ली" and index.info()["entities"] == 13
    assert index.remove(7) == Change(removed=1)
    index.compact()


def test_words_score_as_those_of_a_row(index, entities):
    world = [one for one in entities if one.world == "birch"]
    scorer = BM25([" ".join([one.title, *one.aliases, one.description]) for one in world])
    query = "the tower of the bell and the unknown garden"
    (expected,) = scorer.scores([query])
    (found,) = index.retrieve([Mention(query, world="birch")], k=12)
    scores = {one.document_id: one.score for one in found}
    shares = expected / expected.max()
    assert [scores[one.id] for one in world] == pytest.approx(shares.tolist())
    assert scores[found[0].document_id] == max(scores.values()) == 1


def test_a_mention_without_a_world_is_looked_for_in_all(index):
    found = index.retrieve([Mention("tower forest"), Mention("tower forest", world="birch")], k=9)
    assert [len(own) for own in found] == [9, 6]
    assert {one.world for one in found[0]} == {"alder", "birch"}
    assert {one.world for one in found[1]} == {"birch"}


def test_changes_are_counted(index, entities):
    new = Entity(id="new", title="A lighthouse", description="It stands on a rock.", world="alder")
    changed = Entity(id="e1", title="Another", world="birch")
    assert index.add([new, entities[0]]) == Change(added=1, unchanged=1)
    assert names(index.retrieve([Mention("lighthouse rock")], k=1)) == ["new"]
    assert index.update([changed, new]) == Change(updated=1, unchanged=1)
    assert index.entity("e1") == changed
    assert index.remove(["new", "e1"]) == Change(removed=2)
    assert (len(index), index.generation, index.worlds) == (11, 4, ["alder", "birch"])
    assert index.update([entities[0]]) == Change(unchanged=1)
    assert index.generation == 4


def test_a_reader_keeps_its_snapshot(index, entities):
    reader = Index.open(index.folder)
    before = reader.retrieve([Mention("tower king bell")], k=100)
    index.remove([one.id for one in entities[:6]])
    index.compact()
    assert reader.retrieve([Mention("tower king bell")], k=100) == before
    assert reader.refresh() is not reader
    assert len(reader.refresh()) == 6
    assert index.refresh() is index
    assert len(list((index.folder / "segments").iterdir())) == 1


def test_a_state_whose_files_are_gone_is_read_again(index, monkeypatch):
    """Another process compacted the index between the two."""
    index.add([Entity(id="new", title="A lighthouse", world="alder")])
    old = [read_state(index.folder)]
    index.compact()
    monkeypatch.setattr(snapshot, "read_state", lambda path: old.pop() if old else read_state(path))
    assert Index.open(index.folder).generation == 3


def test_a_change_by_another_thread_during_a_refresh_stays(index, monkeypatch):
    now = Snapshot.now

    def read_before_it(folder, before):
        found = now(folder, before)
        with monkeypatch.context() as patch:
            patch.setattr(Snapshot, "now", now)
            index.add([Entity(id="new", title="A lighthouse", world="alder")])
        return found

    monkeypatch.setattr(Snapshot, "now", read_before_it)
    assert index.refresh().has("new")


def test_a_world_ends_with_its_last_entity(index, entities):
    index.remove([one.id for one in entities if one.world == "birch"])
    assert index.worlds == ["alder"]
    with pytest.raises(InputError, match="'birch' is not in this index. There are: alder"):
        index.retrieve([Mention("x", world="birch")])


def test_an_index_may_be_empty(tmp_path, entities):
    index = Index.create(tmp_path / "empty", [], "bm25")
    assert index.retrieve([Mention("tower")]) == [[]]
    index.add(entities)
    index.remove([one.id for one in entities])
    index.compact()
    assert (len(index), index.worlds, index.info()["segments"]) == (0, [], 0)
    with pytest.raises(InputError, match="There are: none, as it has no entities"):
        index.retrieve([Mention("tower", world="alder")])


def test_small_segments_are_joined(index, monkeypatch):
    monkeypatch.setattr(changes, "MOST_SMALL", 3)
    for number in range(9):
        index.add([Entity(id=f"n{number}", title=f"word{number}", world="alder")])
    assert index.info()["segments"] <= 4
    assert names(index.retrieve([Mention("word7")], k=1)) == ["n7"]
    assert changes.verify(index.folder) == []


@pytest.mark.parametrize("title", ["Straße", "दिल्ली", "词典"])
def test_one_entity_whose_id_is_a_number_of_numpy(title, tmp_path):
    index = Index.create(tmp_path / "index", Entity(id=np.int64(7), title=title))
    assert index.add(Entity(id=np.int32(8), title="8")) == Change(added=1)
    ((best,),) = index.retrieve(title, k=1)
    assert (best.document_id, type(best.document_id)) == ("7", str)
    index.add([Entity(id="78", title="two")])
    assert index.remove("78") == Change(removed=1) and index.has("7")  # a text is one id


def test_an_entity_without_a_world_gets_the_only_one(tmp_path):
    index = Index.create(tmp_path / "index", [Entity(id="a", title="Old", world="sea")], "bm25")
    assert index.update([Entity(id="a", title="New")]) == Change(updated=1)
    assert index.entity("a") == Entity(id="a", title="New", world="sea")
    index.add([Entity(id="a", title="Other", world="town")])
    with pytest.raises(InputError, match="entity 0: world: name one. There are: sea, town"):
        index.update([Entity(id="a", title="Newer")])
    unnamed = Index.create(tmp_path / "unnamed", [Entity(id="a", title="Old")], "bm25")
    assert unnamed.worlds == ["world"]


def test_three_lines_from_a_csv_to_an_answer(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = Path(tmp_path, "smiths.csv")
    source.write_text("id,title,text,country\n1,Anna,She forges.,NO\n2,Gate,It rang.,DK\n")
    index = Index.from_csv(source, model="bm25")
    (answer,) = found = index.search("In spring [[Anna]] forged it.", k=1)
    assert answer.answer == "1" and repr(found).splitlines()[2].split()[2:4] == ["Anna", "1"]
    assert index.worlds == ["smiths"] and tmp_path in index.folder.parents
    assert repr(index) == f"<Index {index.folder}: 2 entities, words and names>"
    kept = Index.from_csv(source, tmp_path / "kept", columns={"title": "country"}, model="bm25")
    assert kept.folder == tmp_path / "kept" and kept.entity("1").title == "NO"
    with pytest.raises(InputError, match="no mention in the text. Mark it"):
        index.search("Anna")


def test_a_mention_may_be_its_text_alone(tmp_path, entities):
    index = Index.create(tmp_path / "index", entities, model="bm25")
    ((best, *_),) = expected = index.retrieve([Mention(entities[3].title)])
    assert best.document_id == "e3"
    for asked in (entities[3].title, Mention(entities[3].title), [entities[3].title]):
        assert index.retrieve(asked) == expected
    (answer,) = index.search([entities[3].title])
    assert answer.answer == "e3" and len(answer.candidates) == len(expected[0])
    told = index.explain(entities[3].title, "e3")
    assert told.signals == best.signals


def test_an_encoder_as_it_is(tmp_path, plain, entities):
    """Towers are made of any BERT's directory, here with the pooling of its files."""
    settings = {"views": "global", "global_tokens": 60, "context_tokens": 60}
    index = Index.create(tmp_path / "index", entities, plain, **settings)
    info = index.info()
    columns = ["names", "text", "whole"]
    assert (info["trained"], info["vectors"], info["views"]) == (False, columns, None)
    (found,) = index.retrieve([Mention(entities[0].description)], k=12)
    assert {one.layer for one in found} == {-2}
    assert found[0].text == index.entity(found[0].document_id).description
    weights = [index.folder / "model" / tower / "model.safetensors" for tower in TOWERS]
    assert weights[0].samefile(weights[1])  # two equal towers are one file


def test_threads_share_an_index(tmp_path, model, entities):
    index = Index.create(tmp_path / "index", entities, model)
    mentions = [Mention(one.title) for one in entities]
    expected = Index.open(index.folder).retrieve(mentions, k=3)
    found, index = [], Index.open(index.folder)

    def ask():
        found.append(index.retrieve(mentions, k=3))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_indexes_of_one_model_share_it(tmp_path, model, entities):
    one, two = (Index.create(tmp_path / name, entities[:2], model) for name in ("one", "two"))
    assert Index.open(one.folder)._store.encoding.encoder.model is two._store.encoding.encoder.model
