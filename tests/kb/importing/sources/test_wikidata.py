"""Wikidata's dump: an entity a line, filtered by its statements."""

import gzip
import json

import pytest

from muver.io.errors import InputError
from muver.kb.importing.sources.wikidata import conditions


def texts(**values):
    return {language: {"language": language, "value": value} for language, value in values.items()}


def claim(value, rank="normal"):
    snak = {"snaktype": "value", "datavalue": {"value": value, "type": "x"}}
    return {"mainsnak": snak, "type": "statement", "rank": rank}


def item(identity):
    return {"id": identity, "entity-type": "item", "numeric-id": int(identity[1:])}


ANN = {
    "type": "item", "id": "Q1", "labels": texts(en="Ann", fr="Anne"),
    "descriptions": texts(en="English writer", fr="écrivaine"),
    "aliases": {"en": [{"language": "en", "value": "A."}], "mul": [{"value": "Ann B."}]},
    "claims": {"P31": [claim(item("Q5"))], "P625": [claim({"latitude": 1.0})]},
    "sitelinks": {"enwiki": {"site": "enwiki", "title": "Ann (writer)", "badges": []}},
    "lastrevid": 7,
}  # fmt: skip
BERLIN = {
    "type": "item", "id": "Q2", "labels": texts(mul="Berlin"), "descriptions": [], "aliases": [],
    "claims": {"P31": [claim(item("Q515")), claim(item("Q5"), "deprecated")],
               "P1082": [{"mainsnak": {"snaktype": "novalue"}, "rank": "normal"}]},
    "sitelinks": [],
}  # fmt: skip
FRENCH = {**ANN, "id": "Q3", "labels": texts(fr="Seulement"), "claims": []}
PROPERTY = {"type": "property", "id": "P31", "labels": texts(en="instance of")}
ALL = [ANN, BERLIN, FRENCH, PROPERTY]


def dump(entities):
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in entities) + "\n]\n"


def test_a_dump(written, imported):
    rows, counts = imported(written("latest-all.json.gz", gzip.compress(dump(ALL).encode())))
    assert rows == [
        {"id": "Q1", "title": "Ann", "description": "English writer", "aliases": ["A.", "Ann B."],
         "world": "wikidata", "further": [("instance_of", "Q5"), ("wikipedia", "Ann (writer)")]},
        {"id": "Q2", "title": "Berlin", "description": "", "aliases": [], "world": "wikidata",
         "further": [("instance_of", "Q515")]},
    ]  # fmt: skip
    assert {what: one["first"][0].partition(", ")[2] for what, one in counts["left_out"].items()} \
        == {"without a label in 'en'": "line 4", "of type property": "line 5"}  # fmt: skip


def test_empty_lines_at_the_end(written, imported):
    assert imported(written("d.json", dump([ANN]) + "\n \n"))[1]["entities"] == 1


def test_another_language_with_its_fallbacks(written, imported):
    rows, _ = imported(written("d.json", dump(ALL)), settings={"language": "fr-ca"})
    assert [row["title"] for row in rows] == ["Anne", "Berlin", "Seulement"]
    assert rows[0]["description"] == "écrivaine"


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (["P31=Q5"], ["Q1"]),  # no longer held to be true of Berlin
        (["P31=Q515|Q5"], ["Q1", "Q2"]),
        (["P31"], ["Q1", "Q2"]),
        (["P31=Q5|Q515", "P1082"], ["Q2"]),
        (["P625"], ["Q1"]),
    ],
)
def test_where(where, found, written, imported):
    rows, _ = imported(written("d.json", dump(ALL)), where=where)
    assert [row["id"] for row in rows] == found


def test_several_processes_give_the_same(written, imported, monkeypatch):
    path = written("d.json", dump([{**ANN, "id": f"Q{n}"} for n in range(1, 30)]))
    whole, _ = imported(path)
    monkeypatch.setattr("muver.retriever.corpus.opening.BATCH", 1000)
    assert len(whole) == 29 and imported(path, workers=2)[0] == whole


def test_a_dump_that_was_cut_off(written, imported):
    for end, said in ((-2, "d.json: .* without its closing"), (-40, "d.json, line 5")):
        with pytest.raises(InputError, match=said):
            imported(written("d.json", dump(ALL)[:end]))


@pytest.mark.parametrize(
    ("name", "content", "given", "said"),
    [
        ("d.json", '[\n{"id": "Q1"},\n{"id": 3}\n]\n', {}, "line 3: id is 3.*Wikidata's dump"),
        ("d.json", "[\n{oops},\n]\n", {}, "line 2: not valid JSON"),
        ("d.json", "[\n]\n", {}, "no entity"),
        ("d.json", dump([ANN | {"labels": {"en": {"x": "Ann"}}}]), {}, "line 2: .*Wikidata's dump"),
        ("d.json", dump([ANN | {"sitelinks": {"enwiki": {"title": 1}}}]), {}, "line 2: .*dump"),
        ("d.json", dump([ANN, ANN]), {}, "line 3: id 'Q1' is already that of .*line 2"),
        ("t.csv", "id,title\n1,A\n", {"where": ["P31=Q5"]}, "--where: only Wikidata"),
    ],
)
def test_mistakes(name, content, given, said, written, imported):
    with pytest.raises(InputError, match=said):
        imported(written(name, content), **given)


@pytest.mark.parametrize("where", ["Q5", "P31=", "P31=human", "P31=Q5,Q6", "31=5"])
def test_conditions_that_are_none(where):
    with pytest.raises(InputError, match="--where .*: expected a property of Wikidata"):
        conditions([where])
