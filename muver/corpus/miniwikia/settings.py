"""The generator's settings, checked before any work."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from muver.corpus.miniwikia.entities import SMALLEST_WORLD
from muver.corpus.splits import SPLITS
from muver.io.errors import InputError

_KEYS = ("seed", "worlds", "entities_per_world", "mentions")


class Settings(NamedTuple):
    """``worlds`` and ``mentions`` are by split; mentions are a split's total."""

    seed: int
    worlds: dict[str, tuple[str, ...]]
    entities_per_world: int
    mentions: dict[str, int]


def check(settings: Mapping[str, Any]) -> Settings:
    """The settings as given to the stage, or an InputError that names the wrong key."""
    for key in _KEYS:
        if key not in settings:
            raise InputError(f"miniwikia: the key '{key}' is missing. Give {', '.join(_KEYS)}.")
    for key in settings:
        if key not in _KEYS:
            raise InputError(f"miniwikia: unknown key '{key}'. Allowed are {', '.join(_KEYS)}.")
    whole(settings["seed"], "seed", 0)
    whole(settings["entities_per_world"], "entities_per_world", SMALLEST_WORLD)
    for key in ("worlds", "mentions"):
        value = settings[key]
        if not isinstance(value, Mapping) or set(value) != set(SPLITS):
            raise InputError(f"miniwikia: '{key}' must have the keys {', '.join(SPLITS)}.")
    worlds = {split: _worlds(settings["worlds"][split], split) for split in SPLITS}
    names = [name for split in SPLITS for name in worlds[split]]
    for name in names:
        # Some systems' file names don't tell capitals from small letters.
        if [other.lower() for other in names].count(name.lower()) > 1:
            raise InputError(
                f"miniwikia: 'worlds': '{name}' is named twice. A world is in one split, once."
            )
    mentions = {split: settings["mentions"][split] for split in SPLITS}
    for split in SPLITS:
        whole(mentions[split], f"mentions.{split}", 1)
    return Settings(settings["seed"], worlds, settings["entities_per_world"], mentions)


def whole(value: Any, key: str, least: int) -> None:
    """Refuse what is no whole number of at least ``least``, naming the key."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(
            f"miniwikia: '{key}' is {value!r}; it must be a whole number of at least {least}."
        )


def _worlds(value: Any, split: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise InputError(
            f"miniwikia: 'worlds.{split}' must be a list with the name of at least one world."
        )
    for name in value:
        plain = isinstance(name, str) and name.replace("_", "").replace("-", "").isalnum()
        if not plain or not name.isascii():
            raise InputError(
                f"miniwikia: 'worlds.{split}': {name!r} can't name a file on every system. Use "
                "letters, digits, '_' and '-' only."
            )
    return tuple(value)
