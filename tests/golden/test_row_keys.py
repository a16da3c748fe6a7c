"""No row's key moves by accident."""

import json

import pytest

from tests.golden.row_keys import KEYS, PARAMS, keys_of_rows, settings_of_rows

GOLDEN = json.loads(KEYS.read_text(encoding="utf-8"))
ON_PURPOSE = "If that was meant, write them anew: python -m tests.golden.row_keys"


def test_the_presets_are_those_whose_keys_are_kept():
    assert sorted(PARAMS["presets"]) == sorted(GOLDEN), ON_PURPOSE


@pytest.mark.parametrize("preset", GOLDEN)
def test_rows_keep_their_keys(preset):
    kept, now = GOLDEN[preset], keys_of_rows(preset)
    assert sorted(now) == sorted(kept), f"rows of {preset} came or went. {ON_PURPOSE}"
    moved = [row for row in kept if now[row] != kept[row]]
    if moved:
        settings = json.dumps(settings_of_rows(preset)[moved[0]], indent=2)
        pytest.fail(
            f"{preset}: other keys than before: {', '.join(moved)}. {ON_PURPOSE}\n"
            f"The settings of {moved[0]} are now\n{settings}",
            pytrace=False,
        )
