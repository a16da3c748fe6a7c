"""SKOS and other RDF, and OBO."""

import gzip

import pytest
import rdflib

from muver.io.errors import InputError
from muver.kb.importing.sources.ontologies import HIGHEST, broader

SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://x.org/> .
:scheme a skos:ConceptScheme ; skos:prefLabel "Animals"@en .
:cat a skos:Concept ; skos:inScheme :scheme ;
    skos:prefLabel "cat"@en, "chat"@fr ; skos:altLabel "puss"@en, "felis", "matou"@fr ;
    skos:hiddenLabel "catt"@en ; skos:notation "C1" ;
    skos:definition "A small animal."@en, "Un petit animal."@fr ; skos:scopeNote "Not lions."@en ;
    skos:broader :carnivore ; skos:exactMatch <http://y.org/1> .
:carnivore a skos:Concept ; skos:prefLabel "carnivore"@en-GB ; skos:definition "Mange."@fr .
:mammal a skos:Concept ; xl:prefLabel [ xl:literalForm "mammal" ] ; skos:narrower :carnivore .
:nameless a skos:Concept .
:thing rdfs:label "Thing"@de ; rdfs:comment "Etwas."@de ; rdfs:subClassOf :mammal .
"""
OBO = """format-version: 1.2
default-namespace: animals

[Term]
id: T:1
name: animal

[Term]
id: T:2
name: cat
def: "A small \\"animal\\"." [REF:1]
comment: Likes fish.
synonym: "puss" EXACT []
synonym: "feline" BROAD []
xref: W:1
alt_id: T:9
is_a: T:1 ! animal

[Term]
id: T:3 ! comment
name: gone
is_obsolete: true

[Term]
id: T:4
name: kitten
namespace: young
is_a: T:2

[Term]
id: T:5

[Typedef]
id: part_of
name: part of
"""


def test_skos(written, imported):
    rows, counts = imported(written("animals.ttl", SKOS))
    assert [row["id"] for row in rows] == [f"http://x.org/{name}" for name in
                                           ("carnivore", "cat", "mammal", "thing")]  # fmt: skip
    carnivore, cat, mammal, thing = rows
    assert cat["title"] == "cat" and cat["aliases"] == ["puss", "felis", "catt"]
    assert cat["description"] == "A small animal.\nNot lions.\nBroader: carnivore > mammal."
    assert cat["world"] == "Animals" and mammal["world"] == "animals"  # its scheme, the file
    assert dict(cat["further"]) == {"notation": "C1", "exactMatch": "http://y.org/1"}
    assert carnivore["description"] == "Mange.\nBroader: mammal."  # no other language has one
    assert mammal["title"] == "mammal"
    assert thing["title"] == "Thing" and thing["description"] == "Etwas.\nBroader: mammal."
    assert counts["left_out"]["concepts without a label"]["count"] == 1
    nameless = SKOS.replace(' ; skos:prefLabel "Animals"@en', "")  # called as its address ends
    assert imported(written("a.ttl", nameless))[0][1]["world"] == "scheme"


def test_another_language(written, imported):
    rows, _ = imported(written("a.ttl", SKOS), settings={"language": "fr"}, world="mine")
    assert rows[1]["title"] == "chat" and rows[1]["aliases"] == ["matou", "felis"]
    assert rows[1]["description"].startswith("Un petit animal.\nNot lions.")
    assert {row["world"] for row in rows} == {"mine"}


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.rdf", "xml"), ("a.nt", "nt"), ("a.trig", "trig")],
)
def test_other_forms_of_rdf_give_the_same(name, form, written, imported):
    expected, _ = imported(written("a.ttl", SKOS))
    content = rdflib.Graph().parse(data=SKOS, format="turtle").serialize(format=form)
    assert imported(written(f"{name}.gz", gzip.compress(content.encode())))[0] == expected


def test_several_graphs_are_read_as_one(written, imported):
    names = "@prefix : <http://x.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    whole = ':a rdfs:label "A" . :b rdfs:label "B", "C" .'
    parts = ':a rdfs:label "A" . :g { :b rdfs:label "B" } :h { :b rdfs:label "B", "C" }'
    expected, _ = imported(written("a.ttl", names + whole))
    assert imported(written("a.trig", names + parts))[0] == expected


def test_obo(written, imported):
    rows, counts = imported(written("a.obo", OBO))
    assert [row["title"] for row in rows] == ["animal", "cat", "kitten"]
    animal, cat, kitten = rows
    assert cat == {
        "id": "T:2", "title": "cat",
        "description": 'A small "animal".\nLikes fish.\nBroader: animal.',
        "aliases": ["feline", "puss"], "world": "animals",
        "further": [("xrefs", "W:1"), ("alternate_ids", "T:9")],
    }  # fmt: skip
    assert kitten["world"] == "young" and kitten["description"] == "Broader: cat > animal."
    assert {what: one["count"] for what, one in counts["left_out"].items()} == {
        "obsolete terms": 1, "neither title nor description": 1,
    }  # fmt: skip
    assert counts["left_out"]["obsolete terms"]["first"][0].endswith("a.obo, line 20")


def test_parents_of_another_ontology_are_left_out(written, imported):
    term = '\n[Term]\nid: T:7\nname: lion\nis_a: part_of\nis_a: T:2 {source="x"} ! cat\n'
    path = written("a.obo", OBO + "is_a: RO:1 ! overlaps\n" + term)
    rows, counts = imported(path)
    assert (rows[-1]["title"], rows[-1]["description"]) == ("lion", "Broader: cat > animal.")
    assert counts["left_out"]["broader terms that are not in the file"] == {
        "count": 2, "first": [f"{path}, line 36", f"{path}, line 41"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written_as", "identity"),
    [(r"my\:odd", "my:odd"), (r"a\!b ! c", "a!b"), ('T:7 {source="x"} ! c', "T:7")],
)
def test_an_id_of_obo_as_it_is_written(written_as, identity, written, imported):
    rows, counts = imported(written("a.obo", f"{OBO}\n[Term]\n  id: {written_as}\nname: odd\n"))
    assert (rows[-1]["id"], rows[-1]["title"]) == (identity, "odd")
    assert counts["left_out"]["obsolete terms"]["count"] == 1


@pytest.mark.parametrize(
    ("name", "content", "given", "said"),
    [
        ("a.ttl", SKOS[:400], {}, "a.ttl: not valid RDF"),
        ("a.rdf", "<rdf:RDF", {}, "a.rdf: not valid RDF"),
        ("a.jsonld", "{", {}, "a.jsonld: .* Of JSON-LD `rdfpipe -i json-ld` makes Turtle"),
        ("a.ttl", "", {}, "no entity"),
        ("a.ttl.gz", gzip.compress(SKOS.encode())[:200], {}, "ends too early"),
        ("a.obo", "", {}, "a.obo: no entity"),
        ("a.obo", "id: 1", {}, "a.obo: no entity"),
        ("a.obo", '! a slim\n[Term]\nid: T:7\ndef: "open\n', {}, "not valid OBO .*line 4"),
        ("a.obo", OBO + '\n[Term]\nid: T:7\ndef: "open\n', {}, "a.obo: not valid OBO"),
        ("a.obo", OBO + "\n[Term]\nid: T:2\n", {}, "line 38: id 'T:2' .* line 9"),
        ("a.obo", OBO + "\n[Term]\nid: T:7\n ! no clause\n", {}, "a.obo: not valid OBO"),  # a panic
        ("a.obo", OBO.encode() + b"\n[Te\xf2m]\nid: T:7\n", {}, "a.obo: not valid OBO"),
        ("a.txt", SKOS, {"form": "rdf"}, "a.txt: .*form of RDF"),
    ],
)
def test_mistakes(name, content, given, said, written, imported):
    with pytest.raises(InputError, match=said):
        imported(written(name, content), **given)


def test_a_part_of_an_ontology_with_comments_and_without_a_version(written, imported):
    lines = (
        "! a slim", "", "[Term]", "id: S:1", "name: one", "! a comment", "is_a: B:9 ! elsewhere",
        "is_a: S:2", r'synonym: "a \"1\"" BROAD ABBREV [X:1]', "", "[Term]", "id: S:2", "name: two",
    )  # fmt: skip
    rows, counts = imported(written("a.obo", "\n".join(lines)))
    described = [(row["id"], row["title"], row["description"]) for row in rows]
    assert rows[0]["aliases"] == ['a "1"']
    assert described == [("S:1", "one", "Broader: two."), ("S:2", "two", "")]
    ((what, told),) = counts["left_out"].items()
    assert (what, told["count"]) == ("broader terms that are not in the file", 1)
    assert told["first"][0].endswith("a.obo, line 7")


def test_a_date_that_is_none_is_read_in_silence(written, imported, capfd):
    turtle = """
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        <http://x.org/a> skos:prefLabel "A" ; <http://x.org/made> "2020-13-01"^^xsd:date .
    """
    ((row,), _) = imported(written("a.ttl", turtle))
    assert row["title"] == "A"
    assert "Traceback" not in capfd.readouterr().err


def test_a_way_up_ends_where_it_closes_and_after_some_steps():
    above = {"a": ["b"], "b": ["c"], "c": ["a"]}
    assert broader("a", above.__getitem__, str) == "Broader: b > c."
    assert broader("a", lambda one: [], str) == ""
    up = broader(0, lambda one: [one + 1], lambda one: "" if one == 2 else str(one))
    assert up == "Broader: " + " > ".join(str(n) for n in range(1, HIGHEST + 1) if n != 2) + "."
