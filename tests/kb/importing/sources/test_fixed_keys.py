"""Hand-written lines of KILT, BLINK and ZESHEL, and entities with links."""

import json

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.jsonl import BadLine
from muver.retriever.corpus.kilt import read_page, read_text

GOOD = {"wikipedia_id": "290", "wikipedia_title": "A", "text": ["A\n", "One."]}


def read(paragraphs=5, **changes):
    return read_page(json.dumps(GOOD | changes).encode(), paragraphs)


def test_every_mark():
    text = [
        "A\n", "A is a letter.\n", "Section::::History.\n", "  \n",
        "BULLET::::- Alpha came first.\n", "BULLET::::\n", "Section::::History.:Early.\n",
        "BULLET::::1. One. \n", "The Section:::: mark within a text stays.\n",
        "Fifth\u00a0text.\n", "Sixth text.\n",
    ]  # fmt: skip
    paragraphs = ["A is a letter.", "- Alpha came first.", "1. One.",
                  "The Section:::: mark within a text stays.", "Fifth\u00a0text."]  # fmt: skip
    assert read(text=text) == ("290", "A", paragraphs)
    assert read(paragraphs=2, text=text).paragraphs == paragraphs[:2]


def test_the_first_paragraph_is_left_out_and_an_id_may_be_a_number():
    assert read(text=["A\n"]).paragraphs == read(text=[]).paragraphs == []
    assert read(text=["B\n", "One."]).paragraphs == ["One."]
    page = read(wikipedia_id=12, wikipedia_title=" Ünder the Sea\n", text=["Ünder the Sea"])
    assert page == ("12", "Ünder the Sea", [])


def test_an_import_has_all_paragraphs(imported, written):
    lines = [GOOD | {"text": ["A\n", "Section::::B.", *(f"{n}." for n in range(9))]}, [1]]
    (row,), counts = imported(written("wiki.json", lines), form="kilt")
    assert (row["id"], row["title"], row["world"]) == ("290", "A", "wiki")
    assert row["description"] == "\n".join(f"{n}." for n in range(9))
    assert [one["count"] for one in counts["left_out"].values()] == [1]


def test_an_import_of_blinks_entities(imported, written):
    line = {"idx": "https://en.wikipedia.org/wiki?curid=12", "title": "B", "text": " An idea. "}
    (row,), _ = imported(written("entity.jsonl", [line]), form="blink", world="w")
    assert (row["id"], row["title"], row["description"]) == ("12", "B", "An idea.")
    assert row["world"] == "w"


ADDRESS = "https://en.wikipedia.org/wiki?curid=12"


@pytest.mark.parametrize("idx", [ADDRESS, "12", 12, "curid= 12 "])
def test_id_and_text_of_a_line(idx):
    one = read_text(json.dumps({"idx": idx, "text": " x ", "title": "T"}).encode())
    assert (one.id, one.title, one.paragraphs) == ("12", "T", ["x"])


@pytest.mark.parametrize(
    ("read", "line", "reason"),
    [
        (read_page, GOOD | {"text": None}, "text is None"),
        (read_page, {"wikipedia_id": "1", "wikipedia_title": "A"}, "text is missing"),
        (read_page, GOOD | {"wikipedia_title": " \n"}, "wikipedia_title is empty"),
        (read_page, GOOD | {"wikipedia_id": "-3"}, "'-3' is not a number"),
        (read_page, GOOD | {"wikipedia_id": "٣"}, "is not a number"),
        (read_page, GOOD | {"wikipedia_id": True}, "wikipedia_id is True"),
        (read_page, GOOD | {"wikipedia_id": "1" * 19}, "18 digits"),
        (read_page, GOOD | {"wikipedia_title": "A\ud800"}, "surrogate"),
        (read_page, GOOD | {"text": ["A", 3]}, "text.1 is 3"),
        (
            read_text,
            {"idx": "https://en.wikipedia.org/wiki/Anarchism", "text": ""},
            "idx .* number",
        ),
        (read_text, {"idx": "curid=", "text": ""}, "idx .* number"),
        (read_text, {"idx": None, "text": ""}, "idx is None"),
        (read_text, {"idx": "9" * 19, "text": ""}, "at most 18 digits"),
        (read_text, {"idx": 1, "text": ["x"]}, "text is"),
        (read_text, {"idx": 1, "text": "\ud800"}, "not valid JSON"),
        (read_text, {"text": "x"}, "idx is missing"),
    ],
)
def test_a_line_of_another_form(read, line, reason):
    with pytest.raises(BadLine, match=reason):
        read(json.dumps(line).encode())


SHIP = {"id": "1", "title": "Ship", "description": "A ship in a dock"}


def test_worlds(imported, written):
    lines = [
        SHIP | {"links": [{"start": 12, "end": 16, "target": "Dock"}]},
        {"id": "2", "title": "Dock", "description": "For ships", "world": "port"},
    ]
    path = written("sea.jsonl", lines)
    rows, _ = imported(path, form="linked")
    assert [(row["id"], row["world"]) for row in rows] == [("1", "sea"), ("2", "port")]


@pytest.mark.parametrize("before", ["", " \n"])
def test_links_become_mentions(before, imported, written, tmp_path):
    at = len(before) + 12
    ship = SHIP | {
        "description": f"{before}{SHIP['description']} ",
        "links": [{"start": at, "end": at + 4, "target": "Docks"}],
    }
    lines = [
        one | {"world": world}
        for world in ("sea", "lake", "river")
        for one in (ship, {"id": "2", "title": "Docks", "description": "For ships"})
    ]
    path = written("all.jsonl", lines)
    mentions = {"mentions": {"val": ["lake"], "test": ["river"]}}
    _, counts = imported(path, form="linked", settings=mentions, mentions=tmp_path / "made")
    assert counts["dataset"]["mentions"] == {"train": 1, "val": 1, "test": 1}
    [line] = (tmp_path / "made" / "mentions" / "test.json").read_text().splitlines()
    assert json.loads(line)["text"] == "dock" and json.loads(line)["label_document_id"] == "2"


@pytest.mark.parametrize(
    ("form", "line"),
    [("linked", SHIP | {"id": " "}), ("zeshel", {"document_id": "", "title": "x", "text": "x"})],
)
def test_an_id_of_nothing_is_refused(form, line, imported, written):
    with pytest.raises(InputError, match="sea.jsonl, line 1: no id"):
        imported(written("sea.jsonl", [line]), form=form)


@pytest.mark.parametrize("spans", [[(0, 99)], [(5, 7), (1, 2)], [(0, 4), (2, 6)]])
def test_links_that_do_not_fit(imported, written, spans):
    links = [{"start": start, "end": end, "target": "x"} for start, end in spans]
    path = written("sea.jsonl", [SHIP | {"links": links}])
    with pytest.raises(InputError, match=r"sea.jsonl, line 1: its links overlap"):
        imported(path, form="linked")
