"""JSON lines, CSV and Parquet: the same entities from each, and each one's mistakes."""

import csv
import gzip
import json
import logging
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.kb.importing.sources import FORMATS
from muver.kb.importing.sources.tables import as_text, find_columns, names_in

ROWS = [
    {"qid": "Q1", "name": "Old King", "text": 'He was "old",\nand grey.', "alias": "King|Old One"},
    {"qid": "Q2", "name": "Überall", "text": "", "alias": ""},
]
EXPECTED = [
    {"id": "Q1", "title": "Old King", "description": 'He was "old",\nand grey.',
     "aliases": ["King", "Old One"], "world": "t", "further": []},
    {"id": "Q2", "title": "Überall", "description": "", "aliases": [], "world": "t", "further": []},
]  # fmt: skip


CSV = 'qid,name,text,alias\nQ1,Old King,"He was ""old"",\nand grey.",King|Old One\nQ2,Überall,,\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", ROWS),
        ("t.json", "\n".join(map(json.dumps, ROWS)).encode("utf-16")),
        ("t.csv", CSV),
        ("t.csv", CSV.replace("\n", "\r\n").replace(",\r\nand", ",\nand").encode("utf-8-sig")),
        ("t.csv", CSV.replace('""old"",', '""old""#').replace(",", ";").replace("#", ",")),
        ("t.tsv", CSV.replace('""old"",', '""old""#').replace(",", "\t").replace("#", ",")),
    ],
)  # fmt: skip
def test_the_same_entities(name, content, written, imported):
    rows, counts = imported(written(name, content))
    assert rows == EXPECTED
    assert counts["entities"] == 2 and counts["without_description"] == 1
    assert (counts["with_aliases"], counts["aliases"]) == (1, 2)


def test_parquet(tmp_path, imported):
    table = pa.Table.from_pylist([{**row, "alias": row["alias"].split("|")} for row in ROWS])
    pq.write_table(table, tmp_path / "t.parquet")
    assert imported(tmp_path / "t.parquet")[0] == EXPECTED


def test_further_columns_and_worlds_are_kept(written, imported):
    first = {"id": 1, "title": "A", "world": "x", "price": 3, "tags": ["a", "b"], "none": None}
    row = imported(written("t.jsonl", [first, {"id": 2, "title": "B"}]))[0][0]
    assert row["world"] == "x" and row["further"] == [("price", "3"), ("tags", "a\nb")]


@pytest.mark.parametrize("before", [1, 150])
def test_keys_that_not_every_line_has(before, written, imported):
    """Within the first hundred lines, and later."""
    plain = [{"id": n, "title": f"t{n}"} for n in range(before)]
    last = {"id": "x", "title": "y", "aka": ["z"], "definition": "d"}
    rows, _ = imported(written("t.jsonl", [*plain, last]))
    assert rows[0]["description"] == "" and rows[-1]["description"] == "d"
    assert rows[-1]["further"] == [("aka", "z")]


def test_a_column_may_be_named_that_the_first_line_lacks(written, imported):
    content = [{"id": 1, "title": "A"}, {"id": 2, "title": "B", "aka": "C"}]
    rows, _ = imported(written("t.jsonl", content), columns=[("aliases", "aka")])
    assert [row["aliases"] for row in rows] == [[], ["C"]]


def test_a_key_of_a_later_line_takes_no_column_that_was_found(written, imported):
    plain = [{"id": n, "name": f"n{n}"} for n in range(150)]
    later = {"id": "x", "name": "X", "title": "other"}
    rows, _ = imported(written("t.jsonl", [*plain, later, {"id": "y", "name": "Y"}]))
    assert [row["title"] for row in rows[-2:]] == ["X", "Y"]
    assert rows[-2]["further"] == [("title", "other")]


def test_marks_around_a_cell_and_marks_in_a_text(written, imported):
    path = written("t.tsv", 'id\ttitle\n1\tthe 7" disc\n2\t"a\tb"\n3\t"one" of "two"\n')
    with pytest.raises(InputError, match='line 4: .* part of the text: --settings \'{"quotes": f'):
        imported(path)
    with pytest.raises(InputError, match="line 3: 3 cells"):
        imported(path, settings={"quotes": False})
    path.write_text(path.read_text().replace("a\tb", "ab"))
    rows, _ = imported(path, settings={"quotes": False})
    assert [row["title"] for row in rows] == ['the 7" disc', '"ab"', '"one" of "two"']


def test_as_pandas_writes_them(tmp_path, imported):
    frame = pd.DataFrame(
        {
            "id": ["1", "2", "3", "4"],
            "title": ['Anna "the smith" Ash', "a\tb", "two\nlines", '7"'],
            "text": ["x", '"', "Ελ\tλάς", "दिल्ली, भारत"],
        }
    )
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC):
        for name, separator in (("t.tsv", "\t"), ("t.csv", ","), ("t.csv", ";")):
            frame.to_csv(tmp_path / name, sep=separator, quoting=quoting, index=False)
            rows, _ = imported(tmp_path / name)
            titles = [" ".join(title.split()) for title in frame["title"]]
            assert [row["title"] for row in rows] == titles
            assert [row["description"] for row in rows] == list(frame["text"])


@pytest.mark.parametrize("name", ["Straße", "दिल्ली, भारत", "词典"])
def test_a_first_line_for_excel_names_the_separator(name, written, imported):
    path = written("t.csv", f"\ufeffsep=;\r\nid;title;a,b\r\n1;{name};x\r\n".encode())
    rows, _ = imported(path)
    assert [(row["title"], row["further"]) for row in rows] == [(name, [("a,b", "x")])]
    with pytest.raises(InputError, match="line 3: 1 cell, but the first line names 2"):
        imported(written("t.csv", b"sep=;\nid;title\n1\n"))


@pytest.mark.parametrize("cell", ["x", "एक", "词"])
def test_columns_without_a_name_are_told_by_their_number(cell, written, imported):
    path = written("t.csv", f",title,,\n7,Anna,{cell},\n".encode())
    with pytest.raises(InputError, match="have: column 1, title, column 3, column 4"):
        imported(path)
    rows, _ = imported(path, columns=[("id", "column 1")])
    assert [(row["id"], row["further"]) for row in rows] == [("7", [("column 3", cell)])]


@pytest.mark.parametrize("name", ["Straße", "दिल्ली", "词典"])
def test_values_of_parquet_are_texts(name, tmp_path, imported):
    day = datetime(2024, 5, 1)
    columns = {"id": [b"7"], "title": [name.encode()], "price": [Decimal("1.50")], "day": [day]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    (row,), _ = imported(tmp_path / "t.parquet")
    assert (row["id"], row["title"]) == ("7", name)
    assert row["further"] == [("price", "1.50"), ("day", "2024-05-01T00:00:00")]


@pytest.mark.parametrize("key", ["id", "title", "description", "aliases"])
@pytest.mark.parametrize("name", ["Straße", "दिल्ली", "词典"])
def test_an_object_is_no_text(key, name, written, imported):
    line = json.dumps({"id": "7", "title": name} | {key: {"en": name}})
    with pytest.raises(InputError, match=f"line 1: {key} is an object, and no text"):
        imported(written("t.jsonl", line.encode()))


@pytest.mark.parametrize("ending", ["xlsx", "ods", "XLSX"])
def test_a_spreadsheet_has_to_be_saved_as_csv(ending, written, imported):
    with pytest.raises(InputError, match="not read as it is. Save it as CSV"):
        imported(written(f"t.{ending}", b"PK\x03\x04"), form="csv")


@pytest.mark.parametrize("world", ["v1.0", "2024.05.01", "wiki.en", "Λέξεις 1.2", "词典.第2版"])
def test_the_world_is_the_name_of_the_file(world, written, imported):
    for name, content in ((f"{world}.csv", CSV), (f"{world}.csv.gz", gzip.compress(CSV.encode()))):
        assert {row["world"] for row in imported(written(name, content))[0]} == {world}


def test_several_files_make_one_knowledge_base(written, imported):
    first, second = written("a.csv", "id,name\n1,A\n"), written("b.jsonl", [ROWS[0]])
    rows, counts = imported(first, second)
    assert [(row["id"], row["world"]) for row in rows] == [("1", "a"), ("Q1", "b")]
    assert counts["worlds"] == {"a": 1, "b": 1}
    rows, _ = imported(first, second, world="all")
    assert {row["world"] for row in rows} == {"all"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", b"id,title\n1," + b"A" * 5000),
        ("t.csv.gz", b"i" * 5000),
        ("t.jsonl.gz", b'{"id": 1, "title": "A"}\n' + b" " * 5000),
        ("t.obo.gz", b"format-version: 1.2\n" + b"x" * 5000),
        ("t.json.gz", b"[\n" + b" " * 5000),
        *((f"t.{form}.gz", b" " * 5000) for form in ("kilt", "blink", "zeshel", "linked")),
    ],
)
def test_a_line_that_does_not_end_is_not_read_to_its_end(
    name, content, written, imported, monkeypatch
):
    form = name.split(".")[1]
    monkeypatch.setattr("muver.retriever.corpus.opening.LONGEST_LINE", 1000)
    monkeypatch.setattr("muver.retriever.corpus.opening.PIECE", 100)
    with pytest.raises(InputError, match=rf"{name}, line \d: longer than"):
        imported(written(name, gzip.compress(content)), form=form if form in FORMATS else None)


def test_an_alias_of_brackets_and_a_name_with_other_separators_in_it(written, imported):
    head = 'id,title,aliases,"text; a; b; c; d"'
    ((row,), _) = imported(written("t.csv", f"{head}\n1,A,{'[' * 10_000},x\n"))
    assert row["aliases"] == ["[" * 10_000] and row["further"] == [("text; a; b; c; d", "x")]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", "", "t.csv: no entity"),
        ("t.csv", "id,title\n", "no entity"),
        ("t.csv", "id,name,name\n1,A,B\n", "two columns are called 'name'"),
        ("t.csv", 'id,title\n1,A\n2,"B\n3,C\n', "line 3: unexpected end of data.*not closed"),
        ("t.csv", 'id,"title\n1,A\n', "line 1: unexpected end of data.*not closed"),
        ("t.csv", "id,title\n1,A\n2,B,C\n", "line 3: 3 cells, but the first line names 2"),
        ("t.csv", "id,title\n1,A\n2\n", "line 3: 1 cell, .* 2 columns .id, title.. Fill it up"),
        ("t.csv", "\nid,title\n1,A\n", "line 1: empty. Expected the names of columns"),
        ("t.csv", " \nid,title\n1,A\n", "line 1: empty. Expected the names of columns"),
        ("t.csv", b"id,title\n" + b"1,A\n" * 9000 + b"2,\xfc\n", "line 9002: not utf-8-"),
        ("t.csv", "id,titel\n1,A\n", "t.csv: no column for the title"),
        ("t.csv", "id,title\n1,A\n,B\n", "line 3: no id"),
        ("t.csv", "id,title\n1,A\n  ,B\n", "line 3: no id"),
        ("t.csv", "id,title\n1,A\n2,B\n\n1,C\n", "line 5: id '1' is already that of .*line 2"),
        ("t.tsv", "id\ttitle\n1\tA\tx\n2\tB\n", "line 2: 3 cells, but the first line names 2"),
        ("t.tsv", 'id\ttitle\n1\tA\n2\t"B\nC\n', "line 3: unexpected end.*not closed"),
        ("t.tsv", 'id\ttitle\n1\t"A\nB ""x"""\n2\n', "line 4: 1 cell"),
        ("t.jsonl", '{"id": 1, "title": "A"}\n{"id": 2,', "line 2: not valid JSON"),
        ("t.jsonl", '["id"]\n', "more than . in its first line. Expected Wiki.*jq"),
        ("t.jsonl", '{"id": 1, "title": "A"}\n3\n', "line 2: not a JSON object"),
        ("t.jsonl", '{"id": 1, "title": "A"}\n{"title": "B"}\n', "line 2: no id"),
        ("t.jsonl", f'{{"id": {"9" * 6000}, "title": "A"}}\n', "line 1: Integer value out of"),
        *(
            ("t.csv", f"id,title,world\n1,A,{world}\n", "t.csv, line 2: world")
            for world in ("w" * 201, "\u6771" * 67, "../w", "w\\x", "w\x07x")
        ),
        ("t.parquet", "PAR1", "not a Parquet file"),
        ("t.doc", "x", "tells no format. Name it with --format: json-lines, csv"),
    ],
)  # fmt: skip
def test_mistakes_are_told_and_nothing_is_written(name, content, said, written, imported, tmp_path):
    with pytest.raises(InputError, match=said):
        imported(written(name, content))
    assert [path.name for path in tmp_path.iterdir() if path.name != name] in ([], ["kb"])
    assert not list(tmp_path.glob("kb/*"))


def test_a_column_of_parquet_whose_name_is_no_text(tmp_path, imported):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"titel": ["A"]}), path)
    path.write_bytes(path.read_bytes().replace(b"titel", b"\xffitel"))
    with pytest.raises(InputError, match="not a Parquet file"):
        imported(path)


def test_usual_names_are_known_and_capitals_do_not_matter():
    assert find_columns(["QID", "Label", "definition", "Type", "price"], {}, Path("f")) == {
        "id": "QID", "title": "Label", "description": "definition",
    }  # fmt: skip
    assert find_columns(["id", "Name", "World"], {}, Path("f"))["world"] == "World"
    columns = find_columns(["name", "title", "id"], {"description": "title"}, Path("f"))
    assert columns == {"id": "id", "title": "name", "description": "title"}  # not used twice


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        ([{"name": "Anna Ash", "title": "Dr."}], "name"),
        ([{"name": "अरुण", "title": "वैद्य"}, {"name": "उमा", "title": "वैद्य"}], "name"),
        ([{"name": "old_king", "title": "Old King"}], "title"),
        ([{"name": "palios-vasilias", "title": "Παλιός βασιλιάς"}], "title"),
        ([{"label": "品种", "name": None}, {"label": "品类"}], "label"),
        ([{"title": "old king", "label": "king"}], "title"),
        ([{"label": "ash", "entity": "Q1"}, {"label": "bo", "entity": "Q2"}], "label"),
        ([{"name": "https://a.org/Q1", "label": "Ελιά"}], "label"),
    ],
)
def test_of_several_columns_that_may_be_the_title_the_one_with_names(rows, title):
    found = dict.fromkeys(["id", *(name for row in rows for name in row)])
    assert find_columns(list(found), {}, Path("f"), rows)["title"] == title


def test_which_column_became_what_is_told(written, imported, caplog):
    logging.getLogger("muver").propagate = True
    path = written("t.csv", "id,name,title,type\n1,Anna Ash,Dr.,gene/protein\n")
    with caplog.at_level(logging.INFO, "muver"):
        ((row,), _) = imported(path)
    told = f"{path}: columns: id = 'id', title = 'name'; kept beside them: 'title', 'type'"
    assert told in caplog.text
    assert (row["title"], row["world"]) == ("Anna Ash", "t")
    assert row["further"] == [("title", "Dr."), ("type", "gene/protein")]


def test_what_was_told_wins(written, imported):
    rows = {"id": 1, "title": "A", "text": "x", "world": "gene/protein", "kind": "k"}
    path = written("t.jsonl", [rows, {**rows, "id": 2, "kind": ""}])
    with pytest.raises(InputError, match="line 1: world 'gene/protein'.*--world NAME"):
        imported(path)
    for options in ({"world": "w"}, {"columns": [("world", ""), ("description", "")]}):
        (row, _), _ = imported(path, **options)
        assert row["world"] == options.get("world", "t")
        assert ("world", "gene/protein") in row["further"]
    assert row["description"] == "" and ("text", "x") in row["further"]
    found, _ = imported(path, world="w", columns=[("world", "kind")])
    assert [row["world"] for row in found] == ["k", "w"]
    with pytest.raises(InputError, match="no column for the id"):
        imported(path, columns=[("id", "")])


@pytest.mark.parametrize(
    ("found", "given", "said"),
    [
        (["id", "titel"], {}, "no column for the title.* first 100 rows have: id, titel"),
        (["key", "title"], {}, "no column for the id.*--map id=COLUMN"),
        (["id", "name"], {"title": "nome"}, "no column 'nome'. Did you mean 'name'"),
        (["id", "name"], {"titel": "name"}, "--map titel=name.*Did you mean 'title'"),
    ],
)
def test_a_column_that_is_not_there(found, given, said):
    with pytest.raises(InputError, match=said):
        find_columns(found, given, Path("f"))


def test_values_as_text():
    values = [None, float("nan"), 7, True, ["one", "two"], {"a": [1]}]
    assert list(map(as_text, values)) == ["", "", "7", "true", "one\ntwo", '{"a":[1]}']
    assert names_in("a;b", ";") == ["a", "b"]
    assert names_in(["a", "b|c"], "|") == ["a", "b|c"]
    assert names_in("[not JSON", "|") == ["[not JSON"]
