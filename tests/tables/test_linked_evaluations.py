"""Which evaluations may stand in one Table 2."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.tables.linked_evaluations import read_linked
from tests.tables import linked

SYSTEMS, SETS = list(linked.HITS), list(linked.SIZES)


def read(folder: Path, evaluations, systems=SYSTEMS, sets=SETS):
    return read_linked(linked.write(folder, evaluations), systems, sets)


def test_by_set_in_the_order_asked_for(tmp_path: Path):
    found = read(tmp_path, linked.make_all(), sets=SETS[::-1])
    assert list(found) == SETS[::-1]
    assert set(found["msnbc"].by_system) == {"blink_wiki", "muver_wiki"}
    assert found["msnbc"].ranks("muver_wiki")["rank"].to_pylist() == [99, 99]


@pytest.mark.parametrize(
    ("of", "replaced", "message"),
    [
        (
            ("muver_wiki", "msnbc"),
            {"settings": {"seed": 2}},
            "settings of muver_wiki on msnbc is .*seed",
        ),
        (
            ("blink_wiki", "wnedwiki"),
            {"model": "other"},
            "model of blink_wiki on wnedwiki is other",
        ),
        (("muver_wiki", "msnbc"), {"kb": {"dataset": "x"}}, "kb of muver_wiki on msnbc is"),
        (
            ("muver_wiki", "msnbc"),
            {"fingerprint": "x"},
            "set msnbc: evaluation of muver_wiki: fingerprint",
        ),
        (
            ("muver_wiki", "msnbc"),
            {"system": "som"},
            "set msnbc: no evaluation of muver_wiki was given",
        ),
        (
            ("muver_wiki", "msnbc"),
            {"dataset": "mnsbc"},
            "of the set 'mnsbc', .* Did you mean 'msnbc'?",
        ),
    ],
)
def test_evaluations_that_do_not_belong_together(tmp_path: Path, of, replaced, message):
    evaluations = linked.make_all()
    wrong = next(one for one in evaluations if (one["system"], one["dataset"]) == of)
    wrong |= replaced
    with pytest.raises(InputError, match=message):
        read(tmp_path, evaluations)


def test_evaluations_of_the_other_command_are_refused(tmp_path: Path):
    plain = linked.make_all()
    del plain[0]["kb"]
    with pytest.raises(InputError, match=r"not an evaluation of a linked set \(no kb\)"):
        read(tmp_path, plain)


@pytest.mark.parametrize("sets", [[], "msnbc", ["msnbc", "msnbc"]])
def test_sets_that_are_no_list(tmp_path: Path, sets):
    with pytest.raises(InputError, match="expected a list of sets, each once"):
        read(tmp_path, linked.make_all(), sets=sets)
