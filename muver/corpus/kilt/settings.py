"""What a reading of KILT's knowledge source can be told."""

from collections.abc import Mapping
from typing import Any

from muver.io.checking import check_choices, with_defaults
from muver.io.errors import InputError
from muver.io.files import short_hash

MEBIBYTE = 1 << 20
DEFAULTS: dict[str, Any] = {
    "paragraphs": 5,  # kept of an entity: the paper's five views
    "part_bytes": 128 * MEBIBYTE,  # of the dump that make one part
    "line_bytes": 64 * MEBIBYTE,  # longest line that is read; bounds the memory
    "bad_lines": 100,  # stop above this many lines that do not parse ...
    "bad_share": 0.001,  # ... or above this share of the lines, whichever is more
    "duplicates": "refuse",  # an id that occurs twice; "first": keep both, look up the first
    "expected": None,  # a declared source whose published number of entities must be met
}
# The rest decides where parts begin (their manifests have it) or what is refused.
OF_CONTENT = ("paragraphs", "line_bytes")
FORM = 1  # of the parts: a new number has all parts made again


def check_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with defaults.

    Raises
    ------
    InputError
        Naming a key that is unknown or whose value cannot be.
    """
    settings = with_defaults(given, DEFAULTS)
    check_choices(settings, {"duplicates": ("refuse", "first")})
    least = {"paragraphs": 1, "part_bytes": 1, "line_bytes": 1, "bad_lines": 0}
    for key, minimum in least.items():
        value = settings[key]
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise InputError(
                f"--settings: {key} is {value!r}, expected a whole number of at least {minimum}."
            )
    share = settings["bad_share"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise InputError(f"--settings: bad_share is {share!r}, expected a number from 0 to 1.")
    return settings


def content_hash(settings: Mapping[str, Any]) -> str:
    """SHA-256 of what decides a part's content."""
    return short_hash({"form": FORM, **{key: settings[key] for key in OF_CONTENT}}, 64)


def bad_allowed(lines: int, settings: Mapping[str, Any]) -> int:
    """How many of so many lines may fail to parse."""
    return max(settings["bad_lines"], int(settings["bad_share"] * lines))
