"""Bad settings are refused before any work, with the key in the message."""

from typing import Any

import pytest

from muver.corpus.miniwikia.settings import check
from muver.io.errors import InputError

GOOD: dict[str, Any] = {
    "seed": 0,
    "worlds": {"train": ["a", "b"], "val": ["c"], "test": ["d"]},
    "entities_per_world": 12,
    "mentions": {"train": 2, "val": 1, "test": 1},
}


def test_good_settings_pass() -> None:
    assert check(GOOD).worlds == {"train": ("a", "b"), "val": ("c",), "test": ("d",)}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": -1}, "'seed' is -1"),
        ({"seed": "x"}, "'seed'"),
        ({"entities_per_world": -5}, "'entities_per_world' is -5"),
        ({"entities_per_world": 11}, "at least 12"),
        ({"entities_per_world": True}, "'entities_per_world'"),
        ({"mentions": {"train": 2, "val": 0, "test": 1}}, "'mentions.val' is 0"),
        ({"mentions": {"train": 2, "val": 1}}, "'mentions' must have the keys"),
        ({"worlds": {"train": ["a"], "val": ["b"], "test": []}}, "'worlds.test'"),
        ({"worlds": {"train": ["a"], "val": ["b"]}}, "'worlds' must have the keys"),
        ({"worlds": {"train": ["a"], "val": ["b"], "test": ["a"]}}, "'a' is named twice"),
        ({"worlds": {"train": ["A"], "val": ["b"], "test": ["a"]}}, "is named twice"),
        ({"worlds": {"train": ["../a"], "val": ["b"], "test": ["c"]}}, r"'worlds.train'.*'\.\./a'"),
        ({"worlds": {"train": ["a"], "val": [""], "test": ["c"]}}, "'worlds.val'"),
        ({"worlds": {"train": ["a"], "val": [3], "test": ["c"]}}, "'worlds.val'"),
        ({"colour": 1}, "unknown key 'colour'"),
    ],
)
def test_a_bad_setting_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check({**GOOD, **changed})


@pytest.mark.parametrize("key", list(GOOD))
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(InputError, match=f"'{key}' is missing"):
        check({name: value for name, value in GOOD.items() if name != key})
