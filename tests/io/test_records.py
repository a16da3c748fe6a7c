"""Records come back as they were written, and what is none is refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.records import Record, read_record


class Inner(Record):
    name: str
    by_cutoff: dict[int, float]


class Outer(Record):
    inner: list[Inner]
    note: str | None


def read(path):
    return read_record(path, Outer, "an outer", "Make it again.")


NUMBERS = st.dictionaries(st.integers(1, 99), st.floats(allow_nan=False, allow_infinity=False))
INNER = st.lists(st.builds(Inner, name=st.text(), by_cutoff=NUMBERS))


@given(st.builds(Outer, inner=INNER, note=st.none() | st.text()))
def test_a_record_comes_back(tmp_path_factory, record):
    path = tmp_path_factory.getbasetemp() / "record.json"
    write_json(path, record)
    assert read(path) == record


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
        read(tmp_path / "x.json")
