"""docs/reliability.md is what the records say, and says itself what was missed."""

import re

from campaign import page, records
from campaign.faults import FAULTS
from campaign.plan import ROOT, Case
from campaign.sections import SECTIONS


def test_the_page_is_the_records():
    assert page.PAGE.read_text(encoding="utf-8") == page.text(records.stored())


def test_a_record_has_what_was_done(tmp_path):
    cases = [Case("a", "one"), Case("a", "two", f"{ROOT}/muver/cli.py: lost"), Case("b", "three")]
    records.save("power", 3, "abc", 60.0, cases, tmp_path)
    ((record,),) = records.stored(tmp_path).values()
    assert (record["cases"], record["held"]) == ({"a": 2, "b": 1}, {"a": 1, "b": 1})
    assert record["wrong"] == [{"kind": "a", "what": "two", "wrong": "muver/cli.py: lost"}]
    assert (record["seed"], record["commit"], record["minutes"]) == (3, "abc", 1.0)


def run(commit, seed, cases, held):
    return {"commit": commit, "seed": seed, "cases": cases, "held": held}


def test_only_runs_of_the_newest_code_count_and_a_seed_once():
    old, twice = run("a", 1, {"x": 9}, {"x": 9}), run("b", 1, {"x": 5}, {"x": 5})
    runs = page.newest([old, twice, twice, run("b", 2, {"x": 1}, {"x": 0})])
    assert page.counts(runs) == ({"x": 6}, {"x": 5})


def test_a_verdict_needs_all_cases_and_all_of_them_held():
    section = SECTIONS["workflow"]._replace(reach=10)
    for cases, held, said in (
        ({"x": 10}, {"x": 10}, "reached (10 of 10)"),
        ({"x": 9}, {"x": 9}, "missed (9 of 10)"),
        ({"x": 11}, {"x": 10}, "reached (11 of 10), and not all held"),
    ):
        assert page.verdict(section, page.Counter(cases), page.Counter(held)) == said
    each = section._replace(each=True)
    two = page.Counter({"x": 10, "y": 3})
    assert page.verdict(each, two, two) == "missed (3 of 10 of each kind)"


def test_what_mends_a_fault_is_there():
    for fault in FAULTS:
        assert fault.section in SECTIONS
        for name in re.findall(r"`((?:tests|muver)/\S+)`", fault.mended):
            assert (ROOT / name).is_file(), name
