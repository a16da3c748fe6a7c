"""Table 2's rows as entries: one run a row, which holds the numbers of all its sets."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from muver.errors import InputError
from muver.files import read_json, sha256_of
from muver.tables.keys import row_key, sets_fingerprint
from muver.tables.numbers import percent
from muver.tracking import describe, notes
from muver.tracking.curves import LOG_NAME, curves
from muver.tracking.entry import Data, Entry
from muver.tracking.files import by_stage, further_files, of_other_parameters
from muver.tracking.timings import timings

Row = Mapping[str, Any]
Evaluation = Mapping[str, Any]


class LinkedFiles:
    """Evaluations and runs by system and set, and further files by system.

    Parameters
    ----------
    runs
        Named after their systems, in folders named after their sets.
    artifacts
        Further files of a system, such as its training log.
    benchmarks, source
        As of :class:`muver.tracking.files.Files`.

    Raises
    ------
    InputError
        If an artifact is of a system without evaluation, or two of one system share a name.
    """

    def __init__(
        self,
        evaluations: Iterable[Path],
        runs: Iterable[Path],
        artifacts: Sequence[tuple[str, Path]],
        benchmarks: Sequence[tuple[str, Path]] = (),
        source: str = "",
    ):
        self.paths: dict[tuple[str, str], Path] = {}
        self.evaluations: dict[tuple[str, str], Evaluation] = {}
        for path in evaluations:
            evaluation = read_json(path)
            place = evaluation["system"], evaluation["dataset"]
            self.paths[place], self.evaluations[place] = path, evaluation
        self.runs = {(path.stem, path.parent.name): path for path in runs}
        self.artifacts = further_files({system for system, _ in self.paths}, artifacts)
        self.benchmarks, self.source = by_stage(benchmarks), source

    def of(self, system: str, name: str, method: str) -> tuple[Evaluation, Path, Path]:
        """The evaluation of a system on a set, its file, and the run that it was made from."""
        place = (system, name)
        if place not in self.evaluations or place not in self.runs:
            raise InputError(f"row {method}: needs the evaluation and run of {system} on {name}.")
        run, evaluation = self.runs[place], self.evaluations[place]
        for path in (run, *self.artifacts.get(system, {}).values()):
            if not path.is_file():
                raise InputError(f"{path}: no such file.")
        if sha256_of(run) != evaluation["run_sha256"]:
            raise InputError(
                f"{run}: was changed after it was scored. Run `muver evaluate-linked` again."
            )
        return evaluation, self.paths[place], run


def linked_entries(
    table: Mapping[str, Any], source: str, files: LinkedFiles, options: str = ""
) -> list[Entry]:
    """What is recorded of each row, in the table's order; everything is checked first.

    Parameters
    ----------
    table
        JSON of Table 2.
    source
        Path of the table's CSV, as the workflow names it.
    options
        What follows a call of snakemake that makes it.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, or a file is missing or changed.
    """
    return [_entry(row, table, source, files, options) for row in table["rows"]]


def _entry(
    row: Row, table: Mapping[str, Any], source: str, files: LinkedFiles, options: str
) -> Entry:
    system, method = row["system"], row["method"]
    found = {name: files.of(system, name, method) for name in row["sets"]}
    evaluations = {name: evaluation for name, (evaluation, _, _) in found.items()}
    settings = next(iter(evaluations.values()))["settings"]
    fingerprint = sets_fingerprint({name: one["fingerprint"] for name, one in evaluations.items()})
    key = row_key(settings, fingerprint)
    for name, (evaluation, path, _) in found.items():
        same = row["sets"][name]["hits"] == evaluation["hits"]
        if key != row["row_key"] or not same:
            raise of_other_parameters(path, method)
    further = list(files.artifacts.get(system, {}).values())
    return Entry(
        key=key,
        name=method,
        tags=_tags(row, table, evaluations),
        metrics=_metrics(row, table, evaluations),
        parameters=describe.parameters(settings),
        note=_note(row, table, source, options),
        source=source,
        curves=[point for path in further if path.name == LOG_NAME for point in curves(path)],
        timings=timings(files.benchmarks.get(system, {}).items()),
        data=Data(
            table["dataset"],
            table["fingerprint"],
            files.source,
            ", ".join(evaluations),
            {
                "num_rows": sum(one["mentions"] for one in table["sets"]),
                "entities": table["kb"]["entities"],
            },
        ),
        hashed={name: run for name, (_, _, run) in found.items()},
        files=[
            *((run, f"run/{name}") for name, (_, _, run) in found.items()),
            *((path, f"evaluation/{name}") for name, (_, path, _) in found.items()),
            *((path, "training") for path in further),
        ],
        texts={
            "evaluation/worlds.csv": describe.worlds_csv(
                {"cutoffs": table["cutoffs"], "worlds": evaluations}
            ),
            "configuration.yaml": yaml.safe_dump(settings, sort_keys=False, allow_unicode=True),
        },
    )


def _metrics(
    row: Row, table: Mapping[str, Any], evaluations: Mapping[str, Evaluation]
) -> dict[str, float]:
    """Recall in percent under ``aida-testb/recall_at_010``, and what belongs to it.

    The bounds of its interval stand under ``aida-testb_low/...`` and ``aida-testb_high/...``,
    published values and ours minus them under ``aida-testb_paper/...`` and
    ``aida-testb_difference/...``: sorted by name, what is of a set stands together.
    """
    width = describe.digits(table["cutoffs"])
    metrics: dict[str, float] = {}
    for name, part in row["sets"].items():
        metrics |= describe.recalls(name, part["micro"], width)
        for side, group in enumerate(("low", "high")):
            bounds = {k: both[side] for k, both in part["interval"].items()}
            metrics |= describe.recalls(f"{name}_{group}", bounds, width)
        for group in ("paper", "difference"):
            metrics |= describe.recalls(f"{name}_{group}", part[group] or {}, width)
        for count in ("mentions", "outside_kb"):
            metrics[f"{name}/{count}"] = evaluations[name][count]
        if part["index"] is not None:
            metrics[f"{name}/index_agreement"] = part["index"]["agreement"]
        if part["views_per_entity"] is not None:
            metrics["views_per_entity"] = part["views_per_entity"]
    return metrics


def _tags(
    row: Row, table: Mapping[str, Any], evaluations: Mapping[str, Evaluation]
) -> dict[str, str]:
    """Names by which a run is found; ``verdict_aida-testb_at_010`` where there is a verdict."""
    width = describe.digits(table["cutoffs"])
    first = next(iter(evaluations.values()))
    whole = {
        **first,
        "dataset": table["dataset"],
        "fingerprint": table["fingerprint"],
        "mentions": sum(evaluation["mentions"] for evaluation in evaluations.values()),
    }
    verdicts = {
        f"verdict_{name}_at_{int(k):0{width}d}": verdict
        for name, part in row["sets"].items()
        for k, verdict in (part["verdict"] or {}).items()
        if verdict is not None
    }
    return {
        **describe.tags(whole, row["method"]),
        "sets": ", ".join(evaluations),
        "model_fingerprint": first["model"],
        "index": first["index"]["factory"] if first["index"] else "exact",
        **verdicts,
    }


def _note(row: Row, table: Mapping[str, Any], source: str, options: str) -> str:
    cutoffs = [str(k) for k in table["cutoffs"]]
    lines = []
    for one in table["sets"]:
        part = row["sets"][one["set"]]
        counts = [str(one["mentions"]), str(one["outside_kb"])]
        shares = [percent(part["hits"][k], part["mentions"]) for k in cutoffs]
        lines.append([one["column"], *counts, *shares])
    header = ["In-KB recall in percent", "mentions", "outside the KB", *(f"R@{k}" for k in cutoffs)]
    return "\n\n".join(
        [
            f"**{row['method']}** on {table['dataset']}, {table['kb']['entities']} entities: row "
            f"`{row['row_key']}` of `{source}`.",
            notes.grid(lines, header),
            notes.how_to(source, None, options),
        ]
    )
