"""muver query: what is asked, of which index, and how the answers are printed."""

import json
import subprocess
import sys

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index


@pytest.fixture(autouse=True)
def in_a_folder_with_an_index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    worlds = {"Anna": "sea", "Gate": "land"}
    entities = [Entity(id=title[0], title=title, world=world) for title, world in worlds.items()]
    Index.create("an-index", entities, "bm25")


def asked(*arguments) -> int:
    return main(["query", "an-index", *arguments])


def test_a_text_s_mentions_each_get_a_table(capsys):
    assert asked("[[Anna]] forged the [[gate]].", "-k", "1") == 0
    first, second = capsys.readouterr().out.split("\n\n")[:2]
    assert first.startswith("[Anna] forged the gate.\n") and "sea" in first
    assert second.startswith("Anna forged the [gate].\n") and "land" in second


def test_the_order_of_arguments_and_what_a_terminal_asks_for_change_nothing(capsys, monkeypatch):
    assert asked("[[Anna]]", "-k", "1", "--world", "sea") == 0
    said = capsys.readouterr().out
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "CLICOLOR_FORCE"):
        monkeypatch.setenv(name, "1")
    for words in (
        ("-k", "1", "[[Anna]]", "--world", "sea"),
        ("--world", "sea", "-k", "1", "[[Anna]]"),
    ):
        assert asked(*words) == 0
        assert capsys.readouterr().out == said  # no colours either


def test_a_line_of_json_each_also_of_files_and_standard_input(tmp_path, capsys, monkeypatch, typed):
    path = tmp_path / "m.jsonl"
    line = {"left": "", "mention": "Gate", "right": "", "world": "land"}
    path.write_text(json.dumps(line))
    assert asked("--mentions", str(path), "--json", "--world", "sea") == 0
    (told,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (told["mention"], told["world"], told["answer"]) == ("Gate", "land", "G")
    for call in (["-"], ["--mentions", "-"]):
        typed(b"[[Anna]]\n\n[[Gate]]")
        assert asked(*call, "--json", "--world", "sea") == 0
        told = list(map(json.loads, capsys.readouterr().out.splitlines()))
        assert [(one["answer"], one["world"]) for one in told] == [("A", "sea"), (None, "sea")]
    monkeypatch.setattr(sys, "stdin", None)
    assert asked("-") == 2
    assert "standard input: is closed" in capsys.readouterr().err


def test_what_is_wrong_is_said(tmp_path, capsys):
    path = tmp_path / "m.jsonl"
    path.write_text('{"left": "", "mention": "Anna", "right": "", "world": "lend"}')
    for arguments, said in [
        (["Anna"], "no mention in the text. Mark it: [[the smith]]. A file: --mentions FILE.\n"),
        (["[[Anna]]", "--world", "se"], "--world: world 'se' is not in this index. Did you mean"),
        (["--mentions", str(path)], f"{path}, line 1: world 'lend' is not in this index. Did"),
        (["[[Anna]]", "--ner", "x"], "--format and --ner: for a file by --mentions"),
        (["--mentions", str(tmp_path / "none")], "none: no such file"),
    ]:
        assert asked(*arguments) == 2
        assert said in capsys.readouterr().err


def test_bytes_that_are_no_text(capsys):
    assert asked("caf\udce9 [[gate]]") == 2
    assert "'caf\\udce9 [[gate]]': not UTF-8. Rename the file" in capsys.readouterr().err


def test_a_reader_that_has_had_enough(tmp_path):
    """As head has: no traceback, and the status of a stopped process."""
    (tmp_path / "m.txt").write_text("The [[gate]] was open.\n\n" * 3000)
    command = [
        sys.executable,
        "-m",
        "muver.cli",
        "query",
        "an-index",
        "--mentions",
        "m.txt",
        "--json",
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        assert json.loads(process.stdout.readline())["answer"] == "G"
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 141)


def test_other_columns_and_a_line_s_own_fields_come_back(tmp_path, monkeypatch, capsys):
    source = tmp_path / "towns.csv"
    source.write_text(
        "id,title,text,country,tags\n"
        '1,Vik,A town by the sea.,NO,"coast\nport"\n2,Vik,A town by the sea.,IS,coast\n'
        "3,Keld,A town inland.,NO,\n"
    )
    index = Index.from_csv(source, tmp_path / "index", model="bm25")
    assert index.entity("1").further == {"country": "NO", "tags": "coast\nport"}
    line = {"mention": "Vik", "left": "in", "id": 7, "document": {"page": 3}}
    (tmp_path / "m.jsonl").write_text(json.dumps(line))

    def found(*more):
        call = ["query", str(index.folder), "--mentions", str(tmp_path / "m.jsonl"), "--json"]
        assert main([*call, *more]) == 0
        return json.loads(capsys.readouterr().out)

    answer = found()
    assert answer["asked"] == {"id": 7, "document": {"page": 3}}
    assert [one["id"] for one in answer["candidates"]] == ["1", "2"]
    assert [one["rank"] for one in answer["candidates"]] == [1, 2]
    assert answer["candidates"][1]["further"] == {"country": "IS", "tags": "coast"}
    for conditions, ids in [
        (["country=IS"], ["2"]), (["tags=coast"], ["1", "2"]), (["tags=port"], ["1"]),
        (["country=NO", "tags=coast"], ["1"]), (["country=SE"], []), (["tags=coas"], []),
    ]:  # fmt: skip
        assert [one["id"] for one in found("--where", *conditions)["candidates"]] == ids
    narrowed = index.where(country="NO")
    assert len(narrowed) == 2 and len(index) == 3
    (one,) = narrowed.search("[[Vik]]")
    assert [candidate.further["country"] for candidate in one.candidates] == ["NO"]
    with pytest.raises(InputError, match="narrowed by where, not to be changed"):
        narrowed.remove("1")
    call = ["query", str(index.folder), "[[Vik]]", "--where", "contry=NO"]
    assert main(call) == 2
    said = capsys.readouterr().err
    assert "no entity has such a column. Did you mean 'country'?" in said
    # A changed column is a change; others go to the index with an entity.
    assert index.update([Entity(id="2", title="Vik", further={"country": "DK"})]).updated == 1
    index.compact()
    assert [one.id for one in index.where(country="DK").entities() if one.id == "2"] == ["2"]
