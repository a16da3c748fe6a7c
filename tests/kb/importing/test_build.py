"""What the report tells: cuts, HTML, names that occur twice."""

import errno
import json
import sqlite3
from unittest.mock import Mock

import pytest

from muver.io.errors import InputError
from muver.kb.importing.build import import_kb
from muver.kb.importing.importing_settings import Import
from muver.kb.importing.schema import entity_batches, read_entities


def test_what_is_changed_is_told(written, imported, tmp_path):
    path = written(
        "t.jsonl",
        [
            {"id": "1", "title": " A  b ", "text": "<p>x &amp; y</p>"},
            {"id": "2", "title": "Long", "text": "word " * 500_000},
            {"id": "3", "title": "Many", "text": "t", "aliases": [f"n{n}" for n in range(100_000)]},
            {"id": "4", "title": "Long", "text": "", "aliases": ["Long", "x", "", "x "]},
            {"id": "5", "title": " ", "text": None},
            {"id": "6", "title": "", "text": "if a <b  and &c are  near"},
        ],
    )
    rows, counts = imported(path)
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "6"]
    assert rows[0]["title"] == "A b" and rows[0]["description"] == "x & y"
    assert len(rows[1]["description"]) == 199_999  # the cut leaves no space at the end
    assert rows[2]["aliases"] == [f"n{n}" for n in range(1000)]
    assert rows[3]["aliases"] == ["x"]
    assert rows[4]["description"] == "if a <b  and &c are  near"  # which is no HTML
    assert counts["told"] == {
        "entities with HTML, which was taken out": {"count": 1, "first": [f"{path}, line 1"]},
        "descriptions cut at 200000 characters": {
            "count": 1, "first": [f"{path}, line 2: 2499999 characters"]},
        "entities of whose aliases 1000 were kept": {
            "count": 1, "first": ["t, 'Many': 100000 aliases"]},
        "entities without a title": {"count": 1, "first": [f"{path}, line 6"]},
    }  # fmt: skip
    assert counts["left_out"] == {
        "neither title nor description": {"count": 1, "first": [f"{path}, line 5"]}
    }
    manifest = json.loads((tmp_path / "kb" / "manifest.json").read_text())
    assert manifest.items() >= counts.items()
    assert list(manifest["inputs"]) == ["t.jsonl"]


def test_html_of_names(written, imported):
    names = {"title": "R&amp;D of <b>List<int></b>", "aliases": ["<i>Lab</i>", "Dev&nbsp;Team"]}
    path = written("t.jsonl", [{"id": "1", **names}])
    ((row,), counts) = imported(path)
    assert (row["title"], row["aliases"]) == ("R&D of List<int>", ["Lab", "Dev Team"])
    assert counts["told"].keys() == {"entities with HTML, which was taken out"}
    ((row,), counts) = imported(path, settings={"html": False})
    assert row["title"] == names["title"] and not counts["told"]


def test_a_folder_of_other_files_stays_as_it_is(written, imported, tmp_path):
    path, kb = written("t.jsonl", [{"id": 1, "title": "A"}]), tmp_path / "kb"
    kb.mkdir()
    for name, text in (("manifest.json", '{"name": "app"}'), ("notes.txt", "mine")):
        (kb / name).write_text(text)
        with pytest.raises(InputError, match="kb: has files that no import wrote. Name another"):
            imported(path)
        assert [one.read_text() for one in kb.iterdir()] == [text]
        (kb / name).unlink()
    (kb / "entities.parquet").write_bytes(b"left by one that was killed")
    imported(path)
    assert len(imported(path)[0]) == 1  # an import's own folder is used again


def test_settings_allow_less_and_no_more_than_an_index_takes(written, imported):
    row = {"id": "1", "title": "A", "text": "yes", "aliases": ["x", "y"]}
    path = written("t.jsonl", [row])
    ((row,), _) = imported(path, settings={"longest": 2, "most_aliases": 1})
    assert (row["description"], row["aliases"]) == ("ye", ["x"])
    for name, most in (("longest", 200_000), ("most_aliases", 1_000)):
        with pytest.raises(InputError, match=f"--settings: {name} is {most + 1}: .* <= {most}"):
            imported(path, settings={name: most + 1})


def test_an_id_may_stand_in_two_worlds_but_not_twice_in_one(written, imported):
    rows = [{"id": "1", "title": "A", "world": world} for world in "xyx"]
    assert imported(written("t.jsonl", rows[:2]))[1]["worlds"] == {"x": 1, "y": 1}
    with pytest.raises(InputError, match="line 3: id '1' is already that of .*t.jsonl, line 1"):
        imported(written("t.jsonl", rows))


def test_groups_of_rows_give_the_same_as_one_and_equal_imports_equal_bytes(
    written, imported, tmp_path, monkeypatch
):
    path = written("t.jsonl", [{"id": n, "title": f"t{n}"} for n in range(7)])
    whole, _ = imported(path)
    first = {file.name: file.read_bytes() for file in (tmp_path / "kb").iterdir()}
    assert imported(path)[0] == whole
    assert {file.name: file.read_bytes() for file in (tmp_path / "kb").iterdir()} == first
    monkeypatch.setattr("muver.kb.importing.build.ROWS_A_GROUP", 2)
    assert imported(path)[0] == whole
    batches = list(entity_batches(tmp_path / "kb", ["id"], rows=3))
    assert [one.num_rows for one in batches] == [3, 3, 1]
    assert [value for one in batches for value in one["id"].to_pylist()] == list("0123456")


def test_no_such_knowledge_base(tmp_path):
    with pytest.raises(InputError, match=f"{tmp_path}: no folder with a knowledge base. `muver kb"):
        read_entities(tmp_path)
    with pytest.raises(InputError, match="no folder with a knowledge base"):
        next(entity_batches(tmp_path))


@pytest.mark.parametrize("wrong", [b"\xff", bytes(200)])
def test_a_damaged_knowledge_base(wrong, written, imported, tmp_path):
    """A letter that is no UTF-8, and a page that can't be unpacked."""
    imported(written("t.jsonl", [{"id": "1", "title": "A", "text": "unlike all else" * 9}]))
    path = tmp_path / "kb" / "entities.parquet"
    path.write_bytes(path.read_bytes().replace(b"unlike", wrong + b"unlike"[len(wrong) :], 1))
    with pytest.raises(InputError, match="entities.parquet: not a Parquet file, or damaged"):
        for batch in entity_batches(tmp_path / "kb"):
            batch.to_pylist()


LABEL = '<http://x.org/{}> <http://www.w3.org/2000/01/rdf-schema#label> "{}" .\n'
PAGE = "<page><title>{}</title><id>{}</id><text>{}</text></page>"


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        (
            "t.xml",
            f"<mediawiki>{PAGE.format('A', 1, 'a')}{PAGE.format('B', 2, '&amp;#xD800;')}"
            "</mediawiki>",
            "page 'B'",
        ),
        ("t.ttl", LABEL.format("a", "A") + LABEL.format("b", r"\uD800"), "http://x.org/b"),
        ("t.nt", LABEL.format("a", "A") + LABEL.format(r"\uD800", "B"), r"http://x.org/\ud800"),
    ],
)
def test_half_of_a_surrogate_pair_costs_one_entity(name, content, place, written, imported):
    path = written(name, content)
    rows, counts = imported(path)
    assert [row["title"] for row in rows] == ["A"]
    assert counts["left_out"] == {
        "texts that are not Unicode": {"count": 1, "first": [f"{path}, {place}"]}
    }


def test_files_of_one_name_from_two_folders(written, imported, tmp_path):
    paths = []
    for number in (1, 2):
        (tmp_path / f"{number}").mkdir()
        paths.append(written(f"{number}/t.jsonl", [{"id": number, "title": "A"}]))
    assert imported(*paths)[1]["entities"] == 2
    manifest = json.loads((tmp_path / "kb" / "manifest.json").read_text())
    assert list(manifest["inputs"]) == [str(path) for path in paths]


def test_a_failed_import_leaves_the_one_before(written, imported, tmp_path):
    imported(written("t.jsonl", [{"id": 1, "title": "A"}]))
    before = {file.name: file.read_bytes() for file in (tmp_path / "kb").iterdir()}
    with pytest.raises(InputError):
        imported(written("t.jsonl", [{"id": 1, "title": "A"}, {"id": 1, "title": "B"}]))
    assert {file.name: file.read_bytes() for file in (tmp_path / "kb").iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kb", "t.jsonl"]


LINK = {"start": 0, "end": 1, "target": "B"}
LINKED = [
    *(
        {"id": f"{world}{n}", "title": f"A{n}", "description": "b", "links": [LINK], "world": world}
        for world in ("u", "v", "w")
        for n in range(2)
    ),
    *({"id": f"b{world}", "title": "B", "description": "x", "world": world} for world in "uvw"),
]


def test_a_place_that_refuses_the_end_leaves_no_mentions(written, imported, tmp_path):
    path = written("t.jsonl", LINKED)
    (tmp_path / "kb" / "entities.parquet").mkdir(parents=True)  # it can't be replaced by a file
    settings = {"mentions": {"val": ["v"], "test": ["w"], "high_overlap": 1}}
    with pytest.raises(InputError, match="kb: cannot be written"):
        imported(path, form="linked", settings=settings, mentions=tmp_path / "made")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["kb", "t.jsonl"]
    (tmp_path / "kb" / "entities.parquet").rmdir()
    imported(path, form="linked", settings=settings, mentions=tmp_path / "made")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["kb", "made", "t.jsonl"]


def test_what_is_wrong_with_the_call_is_told_before_anything_is_read(
    written, imported, tmp_path, monkeypatch
):
    path = written("t.jsonl", [{"id": 1, "title": "A"}])
    monkeypatch.setattr("muver.kb.importing.build.source", None)  # what reads
    for sources, given, said in (
        ([path, tmp_path / "none.parquet"], {}, "none.parquet: no such file"),
        ([path, tmp_path], {"form": "csv"}, "Is a directory"),
        ([path], {"workers": 0}, "--workers: 0 is not a number of processes"),
        ([path], {"form": "linked", "mentions": tmp_path / "kb"}, "kb: is there already"),
        ([path], {"form": "linked", "mentions": tmp_path}, "is there already"),
        ([path], {"mentions": tmp_path / "made"}, "only wikis have links"),
        ([path], {"world": ""}, "--world '': expected a name of 1 to 200 bytes"),
        ([path], {"world": "a/b"}, "--world 'a/b': expected a name"),
    ):
        with pytest.raises(InputError, match=said):
            imported(*sources, **given)
    (tmp_path / "kb").touch()
    with pytest.raises(InputError, match="kb: is no folder"):
        imported(path)


def test_a_folder_not_to_be_written_to_is_told_before_anything_is_read(
    written, imported, tmp_path, monkeypatch
):
    """Where the folder beside it may be, and another disk."""
    path = written("t.jsonl", [{"id": 1, "title": "A"}])
    (tmp_path / "kb").mkdir()

    def made(suffix, prefix, folder):
        assert folder == tmp_path / "kb"
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("muver.io.files.tempfile.mkdtemp", made)
        patch.setattr("muver.kb.importing.build.source", None)  # what reads
        with pytest.raises(InputError, match="kb/.*: cannot be written .Permission denied"):
            imported(path)
    (tmp_path / "kb" / ".entities.parquet.abcdefgh.muver.tmp").mkdir()  # by one that was killed
    imported(path)
    there = sorted(one.name for one in (tmp_path / "kb").iterdir())
    assert there == ["entities.parquet", "manifest.json"]


def test_a_disk_that_refuses(written, imported, monkeypatch, tmp_path):
    path = written("t.jsonl", [{"id": 1, "title": "A"}])
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        import_kb([path], out=tmp_path / "file" / "kb", settings=Import())
    full = Mock(side_effect=sqlite3.OperationalError("database or disk is full"))
    monkeypatch.setattr("muver.kb.importing.ledger.Ledger.finish", full)
    with pytest.raises(InputError, match="database or disk is full.*Free some space"):
        imported(path)
