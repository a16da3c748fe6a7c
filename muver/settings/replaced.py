"""Changes to params.yaml that come to nothing, because the preset sets the same key."""

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from muver.io.typed import overlay
from muver.settings.file import read_params


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
    before = _at(revision, params)
    if before is None:
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


def _at(revision: str, file: Path) -> dict[str, Any] | None:
    """A file's content at a revision; None where there is no git or no such file in it."""
    command = ["git", "show", f"{revision}:./{file.name}"]
    try:
        done = subprocess.run(
            command, cwd=file.absolute().parent, capture_output=True, text=True, check=True
        )
        read = yaml.safe_load(done.stdout)
    except (OSError, subprocess.CalledProcessError, yaml.YAMLError):
        return None
    return read if isinstance(read, dict) else None
