"""Changes to params.yaml that come to nothing, because the preset sets the same key."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import flat, overlay
from muver.reproduction.settings.file import parse_params, read_params


def without_effect(params: Path, preset: str, revision: str = "HEAD") -> list[str]:
    """What was changed since a git revision and has no effect, as sentences.

    ``dvc exp run -S training.epochs=5`` changes the section, and so does a hand; where the preset
    in use has the same key, its value stays and nothing runs differently. Nothing is said of a file
    that git does not know.
    """
    command = ["git", "show", f"{revision}:./{params.name}"]
    with suppress(OSError, subprocess.CalledProcessError, InputError):
        done = subprocess.run(
            command, cwd=params.absolute().parent, capture_output=True, check=True
        )
        before = parse_params(done.stdout.decode(errors="replace"), revision)
        return [
            f"{key} was changed to {value!r}, which has no effect: the preset {preset} sets "
            f"{replacement!r}. Change presets.{preset}.{key} instead."
            for key, value, replacement in replaced_changes(before, read_params(params), preset)
        ]
    return []


def replaced_changes(
    before: Mapping[str, Any], now: Mapping[str, Any], preset: str
) -> Iterator[tuple[str, Any, Any]]:
    """Key, new value and the preset's of every changed value that the preset replaces."""
    over = (now.get("presets") or {}).get(preset) or {}
    base = {key: value for key, value in now.items() if key != "presets"}
    was, merged = dict(flat(before)), dict(flat(overlay(base, over)))
    for key, value in flat(base):
        changed = key not in was or was[key] != value
        if changed and key in merged and merged[key] != value:
            yield key, value, merged[key]
