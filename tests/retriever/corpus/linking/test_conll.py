"""Files with one token a line to mentions, by hand."""

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.linking.conll import read_conll

WIKI = "http://en.wikipedia.org/wiki"
AIDA = f"""-DOCSTART- (1 EU)
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
Nowhere\tB\tNowhere\tNowhere

-DOCSTART- (1163testb SOCCER (A))
AT&T\tB\tAT&T\tAT\\u0026T\t{WIKI}/AT%26T\t17555269
"""
# No closing parenthesis, ids unknown, and a mention that the end of a sentence cuts in two.
MSNBC = f"""-DOCSTART- (Bus1.txt
Home\tB\tHome Depot\tThe_Home_Depot\t{WIKI}/The_Home_Depot\t000\t000

Depot\tI\tHome Depot\tThe_Home_Depot\t{WIKI}/The_Home_Depot\t000\t000
grew
-DOCSTART- (Bus2.txt
Rome\tB\tRome\tRome\t{WIKI}/Rome\t25458
"""


def read(tmp_path, text, name, part=None):
    (tmp_path / "file.tsv").write_bytes(text.encode(errors="surrogateescape"))
    return read_conll(name, tmp_path / "file.tsv", part)


def test_every_line_of_a_small_file(tmp_path):
    (german, york, rome), left_out = read(tmp_path, AIDA, "x", "train")
    assert left_out == {"no_entity": 1, "no_address": 0}
    assert german[:6] == ("1:2", "EU rejects", "German", "call . New York Rome", 11867, "Germany")
    assert german.document == "1"
    assert york.text == "New York" and york.gold_title == "New York City"
    assert york.left == "EU rejects German call ." and york.right == "Rome"
    assert rome.left.endswith("New York") and rome.right == "" and rome.gold_id == 25458


def test_the_parts_of_aida_are_told_by_the_numbers_of_its_documents(tmp_path):
    (dragomir,), left_out = read(tmp_path, AIDA, "x", "testa")
    assert dragomir[:6] == ("947testa:0", "", "Dragomir", "Nowhere", -1, "Dragomir Štor")
    assert left_out == {"no_entity": 0, "no_address": 1}
    (att,), _ = read(tmp_path, AIDA, "x", "testb")
    assert att[:6] == ("1163testb:0", "", "AT&T", "", 17555269, "AT&T")


def test_of_another_set_all_documents_are_taken(tmp_path):
    mentions, left_out = read(tmp_path, MSNBC, "msnbc")
    assert mentions == [
        ("Bus1.txt:0", "", "Home Depot", "grew", -1, "The Home Depot", 2, "Bus1.txt"),
        ("Bus2.txt:0", "", "Rome", "", 25458, "Rome", 7, "Bus2.txt"),
    ]
    assert left_out == {"no_entity": 0, "no_address": 0}
    again, _ = read(tmp_path, MSNBC.replace("Bus2", "Bus1"), "msnbc")
    assert [one.mention_id for one in again] == ["msnbc-2", "msnbc-7"]


@pytest.mark.parametrize("change", [("\n", "\r\n"), ("(Bus1.txt", "( Bus1.txt )")])
def test_windows_line_ends_and_closed_parentheses_change_nothing(tmp_path, change):
    assert read(tmp_path, MSNBC.replace(*change), "msnbc") == read(tmp_path, MSNBC, "msnbc")


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "holds no document"),
        ("EU\n", "line 1: "),
        ("-DOCSTART- EU\n", "line 1: expected -DOCSTART- .NUMBER"),
        ("-DOCSTART- ()\n", "line 1: expected"),
        ("-DOCSTART- (EU)\n", "line 1: .*EU"),
        ("-DOCSTART- (1 EU)\nEU\tB\n", "line 2: expected"),
        ("-DOCSTART- (1 EU)\nEU\tX\tEU\tEU\n", "line 2: .* expected"),
        ("-DOCSTART- (1 EU)\nEU\tB\t \tEU\n", "line 2: expected"),
        ("-DOCSTART- (1 EU)\nEU\tB\tEU\tEU\nx\nEU\tI\tEU\tEU\n", "line 4: expected"),
        ("-DOCSTART- (1 EU)\nEU\tB\tEU\tEU\n-DOCSTART- (2 E)\nEU\tI\tEU\tEU\n", "line 4: exp"),
        ("-DOCSTART- (1 E\udcff)\n", "not UTF-8"),
    ],
)
def test_what_does_not_fit_the_format(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, "x", "train")
