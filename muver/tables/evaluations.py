"""The evaluations that a table is made of, checked to be of one kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from muver.evaluation.precision import reduced_precision
from muver.evaluation.ranks import hits_at, read_ranks
from muver.io.checking import with_defaults
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.tables import paper
from muver.tables.keys import row_key

Evaluation = dict[str, Any]
SHARED = ("dataset", "fingerprint", "identified_as", "split", "cutoffs", "resample", "mentions")
KEYS = (
    "system", *SHARED, "settings", "hits", "micro", "macro", "worlds", "interval",
    "views_per_entity",
)  # fmt: skip
ROW = {"method": None, "system": None, "note": None}
COUNTS = ("dataset", "fingerprint", "identified_as", "worlds", "mentions", "entities")


@dataclass(frozen=True)
class Evaluations:
    """Evaluations by system, all of the same mentions at the same cutoffs.

    Attributes
    ----------
    files
        Where each was read from; the ranks of its gold entities lie beside it.
    without_mentions
        Worlds in which there was nothing to find.
    """

    by_system: Mapping[str, Evaluation]
    files: Mapping[str, Path]
    without_mentions: Sequence[str] = ()

    def ranks(self, system: str) -> pa.Table:
        """The rank of each mention's gold entity, from the file beside its evaluation.

        Raises
        ------
        InputError
            If it is missing, damaged, or has other hits than the evaluation.
        """
        path, evaluation = self.files[system].with_suffix(".parquet"), self.by_system[system]
        table = read_ranks(path)
        hits = {str(k): int(hits_at(table, k).sum()) for k in evaluation["cutoffs"]}
        if hits != evaluation["hits"]:
            raise InputError(
                f"{path}: has the hits {hits}, {self.files[system]} has {evaluation['hits']}: a "
                "results file from other parameters. Run the evaluate stage again."
            )
        return table

    def shared(self, name: str) -> dict[str, Any]:
        """What is the same in all of them, for the head of the JSON of the table called so."""
        first = next(iter(self.by_system.values()))
        return {
            **{key: first[key] for key in SHARED},
            "worlds": sorted(first["worlds"]),
            "worlds_without_mentions": list(self.without_mentions),
            "paper": {
                "source": paper.paper()["source"],
                "dataset": paper.paper()["dataset"],
                "tolerance": paper.paper()["tolerance"],
                "note": paper.comparability(name, first),
            },
        }

    def published(
        self, name: str, system: str, domain: str | None = None, source: str = "values"
    ) -> paper.Recall | None:
        """A row's published recall (:func:`muver.tables.paper.published`), None on other data."""
        first = next(iter(self.by_system.values()))
        if not paper.is_papers(first):
            return None
        return paper.published(name, system, first["cutoffs"], domain, source)

    def identity(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """What a row is called, which settings, data and seed it stands for, and its precision.

        With them goes its footnote, ``note``, or None.
        """
        found = self.by_system[row["system"]]
        return {
            "method": row["method"],
            "system": row["system"],
            "note": row.get("note"),
            "row_key": row_key(found["settings"], found["fingerprint"]),
            "precision": reduced_precision(found["settings"]),
        }


def read_rows(rows: Any, defaults: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Check a table's rows.

    Each has a ``method``, a ``system``, perhaps a ``note``, and what ``defaults`` name.
    """
    if not isinstance(rows, list) or not rows:
        raise InputError("--settings: rows is empty: a table needs at least one row.")
    checked = []
    for row in rows:
        if not isinstance(row, dict):
            raise InputError(f"--settings: a row must be an object with method, not {row!r}.")
        checked.append(with_defaults(row, {**ROW, **defaults}))
        for key in ("method", "system"):
            if not isinstance(checked[-1][key], str):
                raise InputError(f"--settings: rows: {row!r} needs a {key}.")
        if not isinstance(checked[-1]["note"], str | None):
            raise InputError(f"--settings: rows: the note of {row['system']} must be a sentence.")
        repeats = checked[-1].get("repeats", [])
        if not isinstance(repeats, list) or len({row["system"], *repeats}) <= len(repeats):
            raise InputError(
                f"--settings: rows: repeats of {row['system']} must be a list of other systems, "
                f"each once, not {repeats!r}."
            )
    return checked


def read_evaluations(
    files: Sequence[Path], systems: Sequence[str], counts: Path | None = None
) -> Evaluations:
    """Read the evaluations of a table.

    Parameters
    ----------
    files
        What the evaluate stage wrote, one for each system.
    systems
        Whose evaluations the table needs: all of them and no others must be given.
    counts
        The corpus's counts, from which worlds without mentions are known.

    Raises
    ------
    InputError
        If a file is not of this version, missing, superfluous, or of other data or cutoffs than
        the rest.
    """
    found: dict[str, Evaluation] = {}
    where: dict[str, Path] = {}
    for path in files:
        evaluation = _read(path, KEYS, "an evaluation", "evaluate")
        system = evaluation["system"]
        if system in found:
            raise InputError(f"two evaluations of {system} were given: {where[system]}, {path}.")
        found[system], where[system] = evaluation, path
    if missing := [system for system in systems if system not in found]:
        raise InputError(f"no evaluation of {', '.join(missing)} was given.")
    if extra := sorted(set(found) - set(systems)):
        raise InputError(f"evaluations of {', '.join(extra)} were given, which have no row.")
    first = found[systems[0]]
    for evaluation in found.values():
        _check_same(first, evaluation)
    return Evaluations(found, where, [] if counts is None else _without_mentions(counts, first))


def read_counts(path: Path) -> dict[str, Any]:
    """Read the counts that the corpus stage wrote."""
    return _read(path, COUNTS, "the counts of a corpus", "corpus")


def _read(path: Path, keys: Sequence[str], what: str, stage: str) -> dict[str, Any]:
    content = read_json(path)
    missing = [key for key in keys if not isinstance(content, dict) or key not in content]
    if missing:
        raise InputError(
            f"{path}: not {what} of this version (no {', '.join(missing)}). Run the {stage} stage "
            "again."
        )
    return content


def _check_same(first: Evaluation, other: Evaluation) -> None:
    pairs = {key: (first[key], other[key]) for key in SHARED}
    pairs["worlds"] = tuple(
        {world: part["mentions"] for world, part in evaluation["worlds"].items()}
        for evaluation in (first, other)
    )
    for key, (expected, value) in pairs.items():
        if value != expected:
            raise InputError(
                f"evaluation of {other['system']}: {key} is {value}, that of {first['system']} "
                f"is {expected}: a results file from other parameters. Run the evaluate stage "
                "again for all rows."
            )


def _without_mentions(counts: Path, evaluation: Evaluation) -> list[str]:
    """Worlds that have no mentions, and so belong to no split."""
    known = read_counts(counts)
    if known["fingerprint"] != evaluation["fingerprint"]:
        raise InputError(
            f"{counts}: counts of other data than the evaluations' ({known['dataset']}, "
            f"fingerprint {known['fingerprint']}). Run the corpus stage again."
        )
    return sorted(world for world, part in known["worlds"].items() if part["mentions"] == 0)
