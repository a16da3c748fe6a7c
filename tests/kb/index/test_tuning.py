"""Weights chosen by one's own labels."""

import json

import numpy as np
import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.mentions import Labelled
from muver.kb.index.tuning import tune
from muver.retriever.answers import Mention

COLOURS = ("red", "blue", "green", "white", "black", "brown")
THINGS = ("gate", "lamp", "boat", "mill", "bell", "tower")
THINGS_BY_NAME = [(colour, thing) for colour in COLOURS for thing in THINGS]


@pytest.fixture
def index(tmp_path):
    """Things whose descriptions have the words of other things' titles, asked by letters alone."""
    entities = [
        Entity(id=f"{n}", title=f"{colour}{thing}", description=f"{COLOURS[n % 5]} {thing} " * 3)
        for n, (colour, thing) in enumerate(THINGS_BY_NAME)
    ]
    weights = {"exact": 1, "words": 2, "characters": 0.25}
    return Index.create(tmp_path / "index", entities, weights=weights)


def labels(count=36):
    """Mentions whose letters are those of the title, and whose words are of other entities."""
    return [
        Labelled(Mention(f"{colour} {thing}"), f"line {n}", str(n))
        for n, (colour, thing) in enumerate(THINGS_BY_NAME[:count])
    ]


def test_labels_choose_what_finds_most_and_others_tell_the_gain(index):
    tuned = tune(index, labels(), cutoff=1)
    assert tuned.mentions == 12 and tuned.cutoff == 1
    assert tuned.weights["characters"] > tuned.weights["words"]
    assert tuned.better and tuned.before[0] < tuned.after[0] <= 12
    found = index.retrieve([one.mention for one in labels()], 1, weights=tuned.weights)
    hits = [own[0].document_id == one.gold for own, one in zip(found, labels(), strict=True)]
    assert np.mean(hits) >= tuned.after[0] / 12 - 0.25


def test_few_labels_choose_nothing(index):
    assert tune(index, labels(20)) is None
    assert tune(index, labels(21)) is not None


def typed(index, lines, *more):
    path = index.folder.parent / "labels.jsonl"
    rows = ({"mention": one.mention.text, "gold": one.gold} for one in lines)
    path.write_text("\n".join(map(json.dumps, rows)))
    return main(["index", "tune", str(index.folder), str(path), *more])


def test_the_index_gets_them_where_something_is_gained(index, capsys):
    assert typed(index, labels(20)) == 0
    said = capsys.readouterr().out
    assert said.startswith("20 labels and fewer choose nothing: the weights stay words 2.00")
    (index.folder / "calibration.json").write_text("{}")
    assert typed(index, [*labels(), Labelled(Mention("zebra"), "", "none")], "--cutoff", "1") == 0
    out, err = capsys.readouterr()
    assert "Held out: 12 mentions\nnow     recall@1" in out and "\nchosen" in out
    assert "without a gold entity in the index, and left out: 1 mention" in err
    assert "the calibration was of the old choice; calibrate the index again" in err
    after = Index.open(index.folder)
    assert after.weights["characters"] > after.weights["words"]
    assert after.generation == index.generation + 1 and after.fingerprint != index.fingerprint
    assert typed(after, labels(), "--cutoff", "1") == 0
    assert "Nothing is gained: the weights stay." in capsys.readouterr().out
    assert Index.open(index.folder).generation == after.generation


def test_a_cutoff_is_a_number_of_candidates(index, capsys):
    assert typed(index, labels(), "--cutoff", "0") == 2
    assert "--cutoff: 0 is not a number of candidates" in capsys.readouterr().err


def test_labels_of_another_world(index):
    one = Labelled(Mention("red gate", world="elsewhere"), "line 1", "0")
    with pytest.raises(InputError, match="line 1: world 'elsewhere' is not in this index"):
        tune(index, [one])
