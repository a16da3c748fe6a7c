"""The evaluations that Table 2 is made of: one for each system and set, all of one kind."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.tables.evaluations import Evaluations, read_evaluations

COUNTS = ("mentions_in_all", "outside_kb", "matched_by_title")
KEYS = (*COUNTS, "dataset", "kb", "model", "index")


def read_linked(
    files: Sequence[Path], systems: Sequence[str], sets: Sequence[str]
) -> dict[str, Evaluations]:
    """Read the evaluations of linked sets, by set.

    Parameters
    ----------
    files
        What the evaluate-linked stage wrote, one for each system and set.
    systems, sets
        All of these and no others must be given.

    Raises
    ------
    InputError
        As :func:`muver.tables.evaluations.read_evaluations`, by set; if the sets are of different
        knowledge bases or cutoffs, or a system has other settings or another model on one of them.
    """
    if not isinstance(sets, list) or not sets or len(set(sets)) < len(sets):
        raise InputError(f"--settings: sets is {sets!r}, expected a list of sets, each once.")
    by_set: dict[str, list[Path]] = {name: [] for name in sets}
    for path in files:
        content = read_json(path)
        missing = [key for key in KEYS if not isinstance(content, dict) or key not in content]
        if missing:
            raise InputError(
                f"{path}: not an evaluation of a linked set (no {', '.join(missing)}). Run "
                "`muver evaluate-linked`."
            )
        if content["dataset"] not in by_set:
            raise InputError(
                f"{path}: of the set {content['dataset']!r}, the table has {', '.join(sets)}."
                f"{did_you_mean(content['dataset'], sets)}"
            )
        by_set[content["dataset"]].append(path)
    found = {}
    for name, paths in by_set.items():
        try:
            found[name] = read_evaluations(paths, systems)
        except InputError as error:
            raise InputError(f"set {name}: {error}") from None
    _check_same(found)
    return found


def _check_same(found: Mapping[str, Evaluations]) -> None:
    """Refuse evaluations that differ where the rows of one table, or one row, must not."""
    first = next(iter(found.values()))
    of_table = next(iter(first.by_system.values()))
    for name, evaluations in found.items():
        for system, other in evaluations.by_system.items():
            of_row = first.by_system[system]
            compared: dict[str, tuple[Any, Any]] = {
                **{key: (of_table[key], other[key]) for key in ("kb", "cutoffs", "resample")},
                **{key: (of_row[key], other[key]) for key in ("settings", "model")},
            }
            for key, (expected, value) in compared.items():
                if value != expected:
                    raise InputError(
                        f"{evaluations.files[system]}: {key} of {system} on {name} is {value}, "
                        f"elsewhere {expected}: a results file from other parameters. Run "
                        "`muver evaluate-linked` again for all sets."
                    )
