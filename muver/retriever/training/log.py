"""Read training logs: JSON lines, one per step or validation, and notes on the whole run."""

import json
from pathlib import Path
from typing import Any

from muver.io.errors import InputError

VALIDATION = "validation_recall_at_"
LAST = "last_step"  # key in the last note of a run that kept its last state


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a training log for steps and validations, without the notes on the whole run."""
    return [line for line in _lines(path) if "step" in line]


def read_notes(path: Path) -> list[dict[str, Any]]:
    """The notes on the whole run; :func:`read_log` reads the other lines."""
    return [line for line in _lines(path) if "step" not in line]


def kept_validation(path: Path, cutoff: int) -> tuple[float, int]:
    """Recall on validation of the state that training kept, and its step.

    If the best state is kept, that is the first step with the greatest recall: a later one must
    find strictly more.

    Returns
    -------
    (recall at ``cutoff`` in percent, step)
    """
    key = f"{VALIDATION}{cutoff}"
    lines = read_log(path)
    found = [(line[key], line["step"]) for line in lines if key in line]
    if not found:
        names = {name for line in lines for name in line if name.startswith(VALIDATION)}
        others = ", ".join(sorted(names)) or "no validation at all"
        raise InputError(
            f"{path}: no {key} in it, but {others}. The cutoff is training.validation_cutoff, "
            "which the model was trained with."
        )
    if any(LAST in line for line in _lines(path)):
        return found[-1]
    return max(found, key=lambda pair: (pair[0], -pair[1]))


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a training log ({error}).") from None
    lines = []
    for number, written in enumerate(text.splitlines(), start=1):
        try:
            line = json.loads(written)
        except json.JSONDecodeError:
            line = None
        if not isinstance(line, dict):
            raise InputError(
                f"{path}, line {number}: expected a JSON object, as muver stage train writes it. "
                "Run the training again."
            )
        lines.append(line)
    return lines
