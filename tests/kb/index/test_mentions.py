"""Mentions from anywhere, and what is wrong with them by file and line."""

import gzip
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from muver import Mention
from muver.io.errors import InputError
from muver.kb.index.mentions import CONTEXT, marked, read_mentions

AIDA = """-DOCSTART- (1 EU)
EU\tB\tEU\t--NME--
rejects
German\tB\tGerman call\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h
call\tI\tGerman call\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h

.
-DOCSTART- (2 Rare)
Anna\tB\tAnna\tq7
"""
TAGGED = """In IN O
Paris NNP B-LOC
Texas NNP B-LOC
, , O

Anna NNP I-PER
Ash NNP I-PER
IBM NNP I-ORG
"""


def given_file(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def simple(read):
    return [(one.mention.left, one.mention.text, one.mention.right) for one in read]


def test_marks_give_a_mention_each_with_the_rest_as_context():
    read = marked("In [[Rye]] [[the smith]]\nforged \\[[1\\]] a\\b.", "text", 4)
    assert simple(read) == [
        ("In ", "Rye", " the smith\nforged [[1]] a\\b."),
        ("In Rye ", "the smith", "\nforged [[1]] a\\b."),
    ]
    assert [one.place for one in read] == ["text, line 4"] * 2
    assert [one.gold for one in read] == [UNSET, UNSET]
    assert simple(marked("\\\\[[a\\\\]]", "text")) == [("\\", "a\\", "")]


def escaped(text):
    """Plain text that any text may stand in, and a mark behind."""
    text = re.sub(r"(\\*)(\[\[|\]\])", lambda found: f"{found[1] * 2}\\{found[2]}", text)
    return text + re.search(r"\\*\Z", text)[0]


PLAIN = st.text(alphabet="ab \\[]\n", min_size=1).filter(
    lambda text: text.strip() and not set(text[0] + text[-1]) & set("[]")
)


@given(st.lists(PLAIN, min_size=2))
def test_any_text_can_be_escaped(parts):
    """Each second part is a mention: it is found again, with all of the rest beside it."""
    parts = [*parts, "end"]
    written = "".join(f"[[{escaped(p)}]]" if n % 2 else escaped(p) for n, p in enumerate(parts))
    read = marked(written, "text")
    assert [one.mention.text for one in read] == parts[1::2]
    assert {one.mention.left + one.mention.text + one.mention.right for one in read} == {
        "".join(parts)
    }


@pytest.mark.parametrize(
    "text, said",
    [
        ("one\n[[two", "text, line 8: a [[ that no ]] closes. Write \\[[ and"),
        ("one]] two", "text, line 7: a ]] without its [[."),
        ("[[one\n[[two]]]]", "text, line 8: a [[ within another."),
        ("a [[ ]]", "text, line 7: an empty mention, [[]]."),
    ],
)
def test_marks_that_do_not_fit(text, said):
    with pytest.raises(InputError) as error:
        marked(text, "text", 7)
    assert str(error.value).startswith(said)


def test_a_long_text_gives_its_mentions_what_stands_near():
    (one,) = marked("x" * 9_000 + "[[y]]" + "z" * 9_000, "text")
    assert simple([one]) == [("x" * CONTEXT, "y", "z" * CONTEXT)]


def test_paragraphs_stand_alone(tmp_path):
    path = given_file(
        tmp_path, "a.txt", "\ufeffno mark\n\nIn [[Rye]]\nit rained.\r\n \n[[She]] left."
    )
    read = list(read_mentions(path))
    assert simple(read) == [("In ", "Rye", "\nit rained."), ("", "She", " left.")]
    assert [one.place for one in read] == [f"{path}, line 3", f"{path}, line 6"]


def test_json_lines_with_gold_entities_without_and_with_none(tmp_path):
    line = {"left": "In", "mention": "Rye", "right": "it rained", "note": 1}
    lines = [line, {**line, "world": "sea", "gold": 7}, {**line, "gold": None}]
    text = "\n".join(map(json.dumps, lines))
    read = list(read_mentions(given_file(tmp_path, "m.jsonl", text)))
    assert [one.gold for one in read] == [UNSET, "7", None]
    assert read[1].mention == Mention("Rye", "In", "it rained", "sea")
    for name in ("m.gz", "m.JSONL.GZ"):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
        assert [one.gold for one in read_mentions(tmp_path / name)] == [UNSET, "7", None]


@pytest.mark.parametrize("mention", ["Rye", "दिल्ली", "老王"])
def test_json_lines_of_mentions_alone(mention, tmp_path):
    lines = [{"mention": mention}, {"mention": mention, "right": ".", "world": 3, "gold": "7"}]
    read = list(read_mentions(given_file(tmp_path, "m.jsonl", "\n".join(map(json.dumps, lines)))))
    assert [one.mention for one in read] == [Mention(mention), Mention(mention, "", ".", "3")]
    assert [one.gold for one in read] == [UNSET, "7"]


def test_the_columns_of_aida(tmp_path):
    for name in ("aida.conll", "told by its first line"):
        read = list(read_mentions(given_file(tmp_path, name, AIDA)))
        assert simple(read) == [
            ("", "EU", " rejects German call ."),
            ("EU rejects ", "German call", " ."),
            ("", "Anna", ""),
        ]
        assert [one.gold for one in read] == [None, "11867", "q7"]
        assert [one.place.rpartition(", ")[2] for one in read] == ["line 2", "line 4", "line 9"]


def test_bio_tags_of_both_forms(tmp_path):
    read = list(read_mentions(given_file(tmp_path, "tags.bio", TAGGED)))
    assert simple(read) == [
        ("In ", "Paris", " Texas ,"),
        ("In Paris ", "Texas", " ,"),
        ("", "Anna Ash", " IBM"),
        ("Anna Ash ", "IBM", ""),
    ]
    assert {one.gold for one in read} == {UNSET}
    (tmp_path / "tags.bio.gz").write_bytes(gzip.compress(TAGGED.encode()))
    assert simple(read_mentions(tmp_path / "tags.bio.gz")) == simple(read)


def test_reading_streams(typed):
    """The first mention is there before the rest is read."""
    with typed(b'{"left": "", "mention": "a", "right": ""}\n', ends=False):
        assert next(read_mentions("-")).mention.text == "a"


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("m.jsonl", '{"left": "", "right": ""}', "m.jsonl, line 1: mention is missing."),
        (
            "m.jsonl",
            '{"mentoin": "a"}',
            "mention is missing. There is 'mentoin'. Did you mean 'mention'?",
        ),
        ("m.jsonl", '{"left": "", "mention": 3, "right": ""}', "m.jsonl, line 1: mention is 3"),
        ("m.jsonl", '{"left": "", "mention": " ", "right": ""}', "line 1: 'mention' is empty."),
        ("m.jsonl", '{"left": "", "mention": "a", "right": "", "gold": ""}', "line 1: 'gold' is"),
        (
            "m.jsonl",
            '{"left": "", "mention": "a", "right": "", "gold": [1]}',
            "line 1: gold is [1]",
        ),
        ("m.jsonl", "{", "m.jsonl, line 1: not valid JSON"),
        ("m.jsonl", "", "m.jsonl: no mention in it, read as json-lines."),
        (
            "m.txt",
            "In Rye.",
            "read as text. Mark them [[like this]]; `muver query --ner` finds them.",
        ),
        ("m.txt", "a\n\n[[b", "m.txt, line 3: a [[ that no ]] closes."),
        ("m.conll", "Rye B-LOC\nin X", "m.conll, line 2: the last column is 'X', expected a tag"),
        ("m.conll", "Rye O", "m.conll: no mention in it, read as conll."),
        ("m.txt", b"ok\n\n[[caf\xe9]]", "m.txt, line 3: not UTF-8 text"),
        ("none", None, "none: no such file"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(tmp_path, name, text, said):
    if isinstance(text, str):
        given_file(tmp_path, name, text)
    elif text:
        (tmp_path / name).write_bytes(text)
    with pytest.raises(InputError) as error:
        list(read_mentions(tmp_path / name))
    assert said in str(error.value)
