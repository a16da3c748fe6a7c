"""muver_linker in a pipeline, and mentions that a pipeline finds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import spacy

from muver.cli import main
from muver.io.errors import InputError
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.mentions import read_mentions

TEXT = "The red gate stood by the mill. Anna saw the red gate."


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """An index of two entities, by words."""
    entities = [
        Entity(id="g1", title="the red gate", description="A gate of Rye.", world="town"),
        Entity(id="m1", title="the old mill", description="It grinds corn.", world="town"),
    ]
    folder = tmp_path_factory.mktemp("spacy") / "index"
    return Index.create(folder, entities, model="bm25")


def pipeline(*linked, **config):
    """A blank pipeline whose ruler knows three names."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    names = ("red gate", "mill", "Anna")
    ruler.add_patterns([{"label": "THING", "pattern": name} for name in names])
    for name in linked:
        nlp.add_pipe(name, config=config)
    return nlp


def test_the_entities_of_a_document_are_linked(index):
    nlp = pipeline("muver_linker", index=str(index.folder), k=1)  # found by its entry point
    gate, mill, anna, again = nlp(TEXT).ents
    assert [one.kb_id_ for one in (gate, mill, again)] == ["g1", "m1", "g1"]
    (best,) = gate._.candidates
    assert (best["id"], best["title"], best["world"]) == ("g1", "the red gate", "town")
    assert gate._.probability is None and anna._.candidates == []


def test_many_documents_at_once_give_the_same(index):
    nlp = pipeline("muver_linker", index=str(index.folder))
    texts = [TEXT, "Nothing.", "A mill."] * 3
    together = [[one.kb_id_ for one in doc.ents] for doc in nlp.pipe(texts, batch_size=4)]
    assert together == [[one.kb_id_ for one in nlp(text).ents] for text in texts]
    assert together[1] == [] and together[2] == ["m1"]


FORKED = """
import multiprocessing, os, pickle
from tests.kb.test_spacy import TEXT, pipeline

if __name__ == "__main__":
    nlp = pipeline("muver_linker", index="index")
    text = TEXT * 20
    once = [one.kb_id_ for one in nlp(text).ents]  # so much that torch starts threads
    os.chdir("/")
    multiprocessing.set_start_method("fork")
    for doc in nlp.pipe([text] * 2, n_process=2, batch_size=1):
        assert [one.kb_id_ for one in doc.ents] == once
        assert len(doc.ents[0]._.candidates) == 2
    # As a process that is spawned gets it.
    anew = pickle.loads(pickle.dumps(nlp.get_pipe("muver_linker")))
    assert [one.kb_id_ for one in anew(pipeline()(text)).ents] == once
"""


def test_several_processes_after_the_linker_was_used(tmp_path):
    entities = [Entity(id=n, title=one) for n, one in enumerate(["red gate", "दिल्ली"])]
    Index.create(tmp_path / "index", entities, "miniwikia-bert")
    script = tmp_path / "forked.py"
    script.write_text(FORKED)
    own = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE"}
    own["PYTHONPATH"] = str(Path(__file__).parents[2])
    call, pipes = [sys.executable, str(script)], {"capture_output": True, "text": True}
    done = subprocess.run(call, cwd=tmp_path, env={**os.environ, **own}, timeout=600, **pipes)
    assert done.returncode == 0, done.stderr


def test_what_is_linked_survives_bytes(index):
    nlp = pipeline("muver_linker", index=str(index.folder))
    doc = nlp(TEXT)
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [one.kb_id_ for one in again.ents] == [one.kb_id_ for one in doc.ents]
    assert again.ents[0]._.candidates == doc.ents[0]._.candidates != []


def test_none_of_these_is_nil(index, monkeypatch):
    class Unsure:
        threshold, answers = 0.5, Index.answers

        def retrieve(self, mentions, k, weights=None):
            return [[] for _ in mentions]

    monkeypatch.setattr("muver.kb.spacy.Index.open", lambda path: Unsure())
    doc = pipeline("muver_linker", index="i")(TEXT)
    assert {one.kb_id_ for one in doc.ents} == {"NIL"}


@pytest.mark.parametrize(
    "config, said",
    [
        ({}, 'muver_linker: needs an index: config={"index": "FOLDER"}.'),
        ({"index": "none"}, "none: no such folder"),
        ({"index": "INDEX", "k": 0}, "k: 0 is not a number of candidates"),
        ({"index": "INDEX", "world": "sea"}, "world 'sea' is not in"),
    ],
)
def test_what_is_wrong_is_said(index, config, said):
    given = {key: str(index.folder) if value == "INDEX" else value for key, value in config.items()}
    with pytest.raises(InputError) as error:
        pipeline("muver_linker", **given)(TEXT)
    assert said in str(error.value)


def test_a_pipeline_finds_the_mentions_of_plain_text(index, tmp_path, capsys):
    pipeline().to_disk(tmp_path / "names")
    path = tmp_path / "a.txt"
    path.write_text(f"Nobody.\n\nIn Rye\n{TEXT}")
    read = list(read_mentions(path, ner=str(tmp_path / "names")))
    assert [one.mention.text for one in read] == ["red gate", "mill", "Anna", "red gate"]
    assert read[0].mention.left == "In Rye\nThe " and read[0].place == f"{path}, line 4"
    call = ["query", str(index.folder), "--mentions", str(path), "--json"]
    assert main([*call, "--ner", str(tmp_path / "names")]) == 0
    told = list(map(json.loads, capsys.readouterr().out.splitlines()))
    assert [one["answer"] for one in told[:2]] == ["g1", "m1"]
    assert main([*call, "--ner", "en_no_such_thing"]) == 2
    assert "--ner en_no_such_thing: no such pipeline of spaCy is insta" in capsys.readouterr().err
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert main([*call, "--ner", str(tmp_path / "blank")]) == 2
    assert f"{path}: no mention in it" in capsys.readouterr().err
