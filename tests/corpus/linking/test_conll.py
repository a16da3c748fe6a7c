"""The published AIDA file to JSON lines, by hand."""

import json

import pytest

from muver.corpus.linking.aida import convert_aida, title_of
from muver.errors import InputError

WIKI = "http://en.wikipedia.org/wiki"
TSV = f"""-DOCSTART- (1 EU)
EU\tB\tEU\t--NME--
rejects
German\tB\tGerman\tGermany\t{WIKI}/Germany\t11867\t/m/0345h
call
.

New\tB\tNew York\tNew_York_City\t{WIKI}/New_York_City\t645042\t/m/02_286
York\tI\tNew York\tNew_York_City\t{WIKI}/New_York_City\t645042\t/m/02_286
Rome\tB\tRome\tRome\t{WIKI}/Rome\t25458
-DOCSTART- (947testa CRICKET)
Dragomir\tB\tDragomir\tDragomir_\\u0160tor\t\t0

-DOCSTART- (1163testb SOCCER (A))
AT&T\tB\tAT&T\tAT\\u0026T\t{WIKI}/AT%26T\t17555269
"""


def read(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_every_line_of_a_small_file(tmp_path):
    (tmp_path / "aida.tsv").write_text(TSV)
    counts = convert_aida(tmp_path / "aida.tsv", tmp_path)
    assert counts == {
        "aida-train": {"documents": 1, "mentions": 3, "no_entity": 1},
        "aida-testa": {"documents": 1, "mentions": 1, "no_entity": 0},
        "aida-testb": {"documents": 1, "mentions": 1, "no_entity": 0},
    }
    assert json.loads((tmp_path / "counts.json").read_text()) == counts
    german, york, rome = read(tmp_path, "aida-train")
    assert german == {
        "context_left": "EU rejects",
        "mention": "German",
        "context_right": "call . New York Rome",
        "query_id": "1:2",
        "Wikipedia_ID": "11867",
        "Wikipedia_URL": f"{WIKI}/Germany",
        "Wikipedia_title": "Germany",
    }
    assert york["mention"] == "New York" and york["Wikipedia_title"] == "New York City"
    assert york["context_left"] == "EU rejects German call ." and york["context_right"] == "Rome"
    assert rome["context_left"].endswith("New York") and rome["context_right"] == ""
    (dragomir,) = read(tmp_path, "aida-testa")
    assert dragomir["Wikipedia_title"] == "Dragomir Štor"
    assert dragomir["query_id"] == "947testa:0" and dragomir["Wikipedia_ID"] == "0"
    (att,) = read(tmp_path, "aida-testb")
    assert att["Wikipedia_title"] == "AT&T" and att["context_left"] == ""


def test_windows_line_ends_change_nothing(tmp_path):
    for name, text in (("unix", TSV), ("windows", TSV.replace("\n", "\r\n"))):
        (tmp_path / "aida.tsv").write_bytes(text.encode())
        convert_aida(tmp_path / "aida.tsv", tmp_path / name)
    for file in (tmp_path / "unix").iterdir():
        assert file.read_bytes() == (tmp_path / "windows" / file.name).read_bytes()


def test_titles():
    assert title_of("X", f"{WIKI}/Caf%C3%A9_%28band%29") == "Café (band)"
    assert title_of("Caf\\u00e9_\\u0028band\\u0029", "") == "Café (band)"
    assert title_of("G\\ud834\\udd1e", "") == "G\U0001d11e"


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "holds no document"),
        ("EU\n", "line 1: a token before the first line of the form -DOCSTART-"),
        ("-DOCSTART- EU\n", "line 1: '-DOCSTART- EU' names no document"),
        ("-DOCSTART- (1 EU)\nEU\tB\n", "line 2: expected a token alone, or token, B or I"),
        ("-DOCSTART- (1 EU)\nEU\tX\tEU\tEU\n", "line 2: expected"),
        ("-DOCSTART- (1 EU)\nEU\tB\tEU\tEU\nx\nEU\tI\tEU\tEU\n", "line 4: expected"),
        ("-DOCSTART- (1 EU)\nEU\tB\tEU\tEU\n\nEU\tI\tEU\tEU\n", "line 4: expected"),
    ],
)
def test_what_does_not_fit_the_format(tmp_path, text, message):
    (tmp_path / "aida.tsv").write_text(text)
    with pytest.raises(InputError, match=message):
        convert_aida(tmp_path / "aida.tsv", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there_or_not_utf8(tmp_path):
    with pytest.raises(InputError, match="no such file.*licence"):
        convert_aida(tmp_path / "none.tsv", tmp_path)
    (tmp_path / "aida.tsv").write_bytes(b"-DOCSTART- (1 E\xff)\n")
    with pytest.raises(InputError, match="not UTF-8"):
        convert_aida(tmp_path / "aida.tsv", tmp_path)
