"""Changes to params.yaml that come to nothing, because the preset sets the same key."""

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import overlay
from muver.reproduction.settings.file import parse_params, read_params


def without_effect(params: Path, preset: str, revision: str = "HEAD") -> list[str]:
    """What was changed since a git revision and has no effect, as sentences.

    ``dvc exp run -S training.epochs=5`` changes the section, and so does a hand; where the preset
    in use has the same key, its value stays and nothing runs differently.

    Parameters
    ----------
    params
        ``params.yaml``, in a git checkout; elsewhere, or with a file that git does not know,
        nothing is said.
    preset
        The one in use.
    """
    text = _at(revision, params)
    if text is None or text == params.read_text(encoding="utf-8"):
        return []
    try:
        before = parse_params(text, f"{params} at {revision}")
    except InputError:
        return []
    now = read_params(params)
    return [
        f"{key} was changed to {value!r}, which has no effect: the preset {preset} sets "
        f"{replacement!r}. Change presets.{preset}.{key} instead."
        for key, value, replacement in replaced_changes(before, now, preset)
    ]


def replaced_changes(
    before: Mapping[str, Any], now: Mapping[str, Any], preset: str
) -> Iterator[tuple[str, Any, Any]]:
    """Key, new value and the preset's of every changed value that the preset replaces."""
    over = (now.get("presets") or {}).get(preset) or {}
    base = {key: value for key, value in now.items() if key != "presets"}
    was, merged = dict(_values(before)), dict(_values(overlay(base, over)))
    for key, value in _values(base):
        changed = key not in was or was[key] != value
        if changed and key in merged and merged[key] != value:
            yield key, value, merged[key]


def _values(settings: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no section, under its dotted key."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _values(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _at(revision: str, file: Path) -> str | None:
    """A file's content at a revision; None where there is no git or no such file in it."""
    command = ["git", "show", f"{revision}:./{file.name}"]
    folder = file.absolute().parent
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.decode(errors="replace")
