"""The paper's claims: their printed numbers, and verdicts from numbers given by hand."""

import pytest

from muver.io.errors import InputError
from muver.io.typed import read
from muver.reproduction.tables.paper import paper, published
from muver.reproduction.verdicts.claims import Claim, Claims, judge, read_claims
from muver.reproduction.verdicts.tests import Part

CLAIMS = read_claims()
COMPARED = {name: one for name, one in CLAIMS.all.items() if one.more}


def printed_of(claim):
    """What paper.yaml has for a comparison, in the order of ``printed``."""
    own = claim.more
    if "muver_close_4" in own.rows:
        last = paper()["table3"]["merged"]["muver"][-1]
        return [[last["distant"], last["close"]]]
    if own.sentences:
        errors = [paper()["figure2"]["rows"][row]["errors"] for row in own.rows]
        return [[one["5-10"] for one in errors]]
    name, parts = "table1", [None]
    if own.each_world:
        name, parts = "table6", list(paper()["table6"]["domains"])
    elif own.set != "test":
        name, parts = "table2", [paper()["table2"]["sets"][own.set]["column"]]
    second = own.second_at or own.at
    return [
        [published(name, row, [k], part)[k] for row, k in zip(own.rows, at, strict=True)]
        for part in parts
        for at in zip(own.at, second, strict=True)
    ]


@pytest.mark.parametrize("name", COMPARED)
def test_printed_numbers_of_comparisons(name):
    claim = COMPARED[name]
    assert list(claim.printed.values()) == printed_of(claim)
    if name != "short_descriptions_keep":  # error rates
        assert all(first > second for first, second in claim.printed.values())


def test_printed_numbers_of_trends_and_sizes():
    table3, rows = paper()["table3"], paper()["figure2"]["rows"]
    assert list(CLAIMS.worlds["more_views_more_recall"].printed.values()) == [
        [table3["merged"]["muver"][-1]["distant"], *table3["rows"]["muver_plain"]["values"]]
    ]
    assert list(CLAIMS.worlds["gap_grows_with_length"].printed.values()) == [
        [rows[row]["errors"]["75-80"] for row in ("muver", "blink_128")]
    ]
    for name in ("parameters_base", "parameters_large"):
        claim = CLAIMS.worlds[name]
        assert claim.printed == {
            "millions": [paper()["table5"]["rows"][claim.parameters]["millions"]]
        }


def claimed(**test):
    return Claim(says="", where="", printed={"millions": [220]}, **test)


def part(above, below, difference=1.0):
    return Part("R@1", difference, [0.0, 2.0], above, below, 9, 1)


def words(parts, parameters=None, **claims):
    verdicts = judge(claims, parts, parameters)
    return {name: (one.word, one.p_value) for name, one in verdicts.items()}


MORE = read(
    Claim, {"says": "", "where": "", "printed": {}, "more": {"rows": ["a", "b"], "at": [1]}}
)


def test_verdicts_after_the_correction_for_all_that_were_run():
    parts = {"a": [part(0.005, 0.999)], "b": [part(0.98, 0.02)], "c": [part(0.01, 0.99)]}
    # Two-sided 0.01, 0.04 and 0.02; times 3, and of the greater ones times 2 and 1
    assert words(parts, **dict.fromkeys("abcd", MORE)) == {
        "a": ("holds", pytest.approx(0.03)),
        "b": ("contradicted", pytest.approx(0.04)),
        "c": ("holds", pytest.approx(0.04)),
        "d": ("not run", None),
    }
    assert words({"a": [part(0.03, 0.97)]}, a=MORE) == {"a": ("can't be told", pytest.approx(0.06))}


def test_a_claim_of_several_parts_holds_in_all_and_is_contradicted_in_one():
    assert words({"a": [part(0.001, 1), part(0.01, 1)]}, a=MORE)["a"][0] == "holds"
    assert words({"a": [part(0.001, 1), part(0.1, 0.9)]}, a=MORE)["a"][0] == "can't be told"
    assert words({"a": [part(0.001, 1), part(1, 0.001)]}, a=MORE)["a"][0] == "contradicted"


@pytest.mark.parametrize(
    ("found", "word"),
    [(219e6, "holds"), (224.3e6, "holds"), (224.5e6, "contradicted"), (None, "not run")],
)
def test_numbers_of_parameters(found, word):
    given = {} if found is None else {"MuVER (base)": int(found)}
    assert words({}, given, a=claimed(parameters="MuVER (base)")) == {"a": (word, None)}


def test_a_claim_has_one_test():
    for more in ({}, {"parameters": "x", "rising": {"rows": ["a"], "at": 1}}):
        given = {"says": "", "where": "", "printed": {}, **more}
        with pytest.raises(InputError, match="a claim has one of more"):
            read(Claims, {"worlds": {"a": given}, "sets": {}}, "claims.yaml")
