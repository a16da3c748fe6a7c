"""Settings and records read by their type: what is accepted, and what is said of the rest."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.typed import (
    Count,
    Name,
    Positive,
    Record,
    Settings,
    Share,
    Some,
    partial,
    read,
    read_record,
)


class Inner(Settings):
    kind: Literal["prefix", "tokens"]
    size: Count


class Outer(Settings):
    size: Count
    rate: Positive
    stopwords: Literal[None, "en"]
    tokens: Count | Literal["auto"]
    models: dict[Name, Inner]
    weights: Some[Share]
    pair: tuple[str, str]
    table: Some[Name] | Inner
    url: str | None = None
    share: Share | UnsetType = UNSET

    def __post_init__(self):
        super().__post_init__()
        if self.size == 7:
            raise ValueError("size is 7.")


GOOD = {
    "size": 1, "rate": 60, "stopwords": None, "tokens": "auto",
    "models": {"blink": {"kind": "prefix", "size": 8}}, "weights": [0, 0.5], "pair": ["a", "b"],
    "table": ["muver"],
}  # fmt: skip


def test_a_number_stays_as_it_was_written():
    assert read(Outer, GOOD).as_dict() == {**GOOD, "pair": ("a", "b"), "url": None}
    assert type(read(Outer, GOOD).rate) is int


@pytest.mark.parametrize(
    "change, message",
    [
        ({"sise": 1}, r"--settings: unknown key sise. Did you mean 'size'\? Allowed: size, rate"),
        ({"models": {"blink": {"kid": 1}}}, "unknown key models.blink.kid. Did you mean 'kind'"),
        ({"size": 0}, "size is 0: expected `int` >= 1"),
        ({"size": True}, "size is True: expected"),
        ({"size": 7}, "--settings: size is 7."),
        ({"rate": 0.0}, "rate is 0.0: expected"),
        ({"share": 1.5}, "share is 1.5: expected"),
        ({"share": None}, "share is None: expected"),
        ({"stopwords": "fr"}, "stopwords is 'fr'. Allowed: null, en."),
        ({"models": {"M": {}}}, "models: the name is 'M': expected"),
        ({"models": {"m": {"size": 1}}}, "models.m.kind is missing"),
        ({"models": {"m": {"kind": "x", "size": 1}}}, "models.m.kind is 'x'. Allowed: prefix"),
        ({"weights": []}, "weights is ..: expected"),
        ({"weights": [0.1, 2]}, r"weights.1 is 2: expected `int \| float` <= 1"),
        ({"weights": [0.1, 0.1]}, "weights has 0.1 twice"),
        ({"pair": ["a", "a"]}, "pair has 'a' twice"),
        ({"table": {"size": 1}}, "table.kind is missing"),
        ({"table": ["M"]}, "table.0 is 'M': expected"),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(InputError, match=message):
        read(Outer, {**GOOD, **change})


@pytest.mark.parametrize("given", [3, None, []])
def test_settings_that_are_no_object(given):
    with pytest.raises(InputError, match="a.json: this is .*: expected `object`"):
        read(Outer, given, "a.json")


def test_a_part_may_leave_out_any_key_at_any_depth():
    part = partial(Outer)
    given = {"models": {"blink": {"size": 3}}, "size": 7}  # rules over several keys come later
    assert read(part, given).models["blink"].size == 3
    for wrong, message in (({"x": 1}, "unknown key x"), ({"models": {"b": {"size": 0}}}, "b.size")):
        with pytest.raises(InputError, match=message):
            read(part, wrong)
    assert partial(Outer) is part


class Counted(Record):
    name: str
    by_cutoff: dict[int, float]


class Stored(Record):
    inner: list[Counted]
    note: str | None


def stored(path):
    return read_record(path, Stored, "an outer", "Make it again.")


NUMBERS = st.dictionaries(st.integers(1, 99), st.floats(allow_nan=False, allow_infinity=False))
COUNTED = st.lists(st.builds(Counted, name=st.text(), by_cutoff=NUMBERS))


@given(st.builds(Stored, inner=COUNTED, note=st.none() | st.text()))
def test_a_record_comes_back(tmp_path_factory, record):
    path = tmp_path_factory.getbasetemp() / "record.json"
    write_json(path, record)
    assert stored(path) == record


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no such file"),
        ([], "not an outer of this version .*`object`, got `array`"),
        ({"inner": []}, "missing required field `note`"),
        ({"inner": [{"name": "a", "by_cutoff": {"x": 1}}], "note": None}, r"inner\[0\].by_cutoff"),
        ({"inner": [{"name": 3, "by_cutoff": {}}], "note": None}, r"inner\[0\].name"),
    ],
)
def test_what_is_none_is_refused(tmp_path, content, says):
    if content is not None:
        write_json(tmp_path / "x.json", content)
    with pytest.raises(InputError, match=rf"x\.json: .*{says}"):
        stored(tmp_path / "x.json")
