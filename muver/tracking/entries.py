"""A table as entries of MLflow: one run a row; several seeds, and sweeps, have a parent run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from muver.evaluation.records import Evaluation
from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.tables.keys import data_fingerprint, row_key
from muver.tables.records import ComparedRow, LayersRow, Part, RecallTable, Row, Seeds, ViewsTable
from muver.tracking import describe, notes
from muver.tracking.curves import LOGS, curves
from muver.tracking.entry import Data, Entry, Point, parent
from muver.tracking.files import Files
from muver.tracking.settings import Recording
from muver.tracking.timings import timings


def entries(table: RecallTable, source: str, settings: Recording) -> list[Entry]:
    """What is recorded of each row, in the table's order, after everything is checked.

    Parameters
    ----------
    source
        Path of the table's CSV, as the workflow names it.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, or one is missing.
    """
    files = Files(settings)
    builder = _Builder(table, source, files, settings)
    rows = table.rows
    found = [builder.of_row(row) for row in rows]
    if isinstance(table, ViewsTable) and any(row.search for row in rows):
        return _above_layers(rows, found, table.cutoffs, files.figures)
    times = Counter(row.method for row in rows)
    return [
        replace(entry, name=f"{entry.name} ({row.system})") if times[row.method] > 1 else entry
        for row, entry in zip(rows, found, strict=True)
    ]


def of_settings(
    settings: Mapping[str, Any], logs: Sequence[Path], stages: Mapping[str, Path]
) -> dict[str, Any]:
    """The fields of an entry that come from its settings, training logs and benchmark files."""
    times, work = timings(stages)
    text = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
    return {
        "parameters": describe.parameters(settings),
        "texts": {"configuration.yaml": text},
        "curves": [point for log in logs for point in curves(log)],
        "timings": times,
        "own_work": work,
    }


class _Builder:
    """Makes the entries of one table's rows."""

    def __init__(self, table: RecallTable, source: str, files: Files, settings: Recording):
        self.table, self.source, self.files, self.settings = table, source, files, settings
        # Over a knowledge base there are several sets; then they end the names of metrics.
        self.ends = {one.set: f"_{one.set}" if table.kb else "" for one in table.sets}

    def of_row(self, row: Row) -> Entry:
        """A row's run; with several seeds, the parent of one run a seed."""
        own = self.run(row.system, row.method, row.sets)
        for name, part in row.sets.items():
            scored = self.files.of(row.system, name, row.method)
            if own.key != row.row_key or part.hits != scored.evaluation.hits:
                raise _of_other_parameters(scored.path, row.method)
        parts = row.sets.items() if isinstance(row, ComparedRow) else ()
        seeds = {name: part.seeds for name, part in parts if part.seeds}
        return self.above_seeds(own, seeds) if seeds else own

    def run(self, system: str, method: str, parts: Mapping[str, Part]) -> Entry:
        """The run of a system, with the table's parts of it by set."""
        scored = {name: self.files.of(system, name, method) for name in self.ends}
        evaluations = {name: one.evaluation for name, one in scored.items()}
        settings = next(iter(evaluations.values())).settings
        key = row_key(settings, data_fingerprint(evaluations))
        tags, metrics, columns = describe.tags(method, evaluations), {}, []
        for name, end in self.ends.items():
            metrics |= describe.metrics(evaluations[name], parts.get(name), end)
            tags |= describe.verdicts(parts.get(name), self.table.cutoffs, end)
            columns += describe.columns(evaluations[name], end)
        further = self.files.artifacts.get(system, {})
        logs = [further[name] for name in LOGS if name in further]
        fields = of_settings(settings, logs, self.files.benchmarks.get(system, {}))
        fields["texts"]["evaluation/worlds.csv"] = describe.worlds_csv(evaluations)
        folders = {name: end.replace("_", "/", 1) for name, end in self.ends.items()}
        return Entry(
            key=key,
            name=method,
            tags=tags,
            metrics=metrics,
            note=notes.row_note(
                self.table, method, key, scored, parts, self.source, self.settings.options
            ),
            source=self.source,
            data=self.data(evaluations),
            columns=columns,
            hashed={self.ends[name]: one.run for name, one in scored.items()},
            files=[
                *((one.run, f"run{folders[name]}") for name, one in scored.items()),
                *((one.path, f"evaluation{folders[name]}") for name, one in scored.items()),
                *((path, "training") for path in further.values()),
            ],
            **fields,
        )

    def data(self, evaluations: Mapping[str, Evaluation]) -> Data:
        """The dataset of a run with these evaluations."""
        first = next(iter(evaluations.values()))
        size = {"entities": first.kb.entities} if first.kb else {"worlds": len(first.worlds)}
        return Data(
            first.dataset,
            data_fingerprint(evaluations),
            self.settings.source,
            ", ".join(evaluations),
            {"num_rows": sum(one.mentions for one in evaluations.values()), **size},
        )

    def above_seeds(self, own: Entry, seeds: Mapping[str, Seeds]) -> Entry:
        """A parent above a row's own run and those of its further seeds, by set."""
        cutoffs = self.table.cutoffs
        systems = next(iter(seeds.values())).values
        others = [system for system in systems if system != own.tags["system"]]
        runs = [own, *(self.run(system, own.name, {}) for system in others)]
        runs = [replace(run, name=f"{own.name} (seed {run.parameters['seed']})") for run in runs]
        metrics, shown = {}, []
        for name, one in seeds.items():
            lines = {}
            for run in runs:
                scored = self.files.of(run.tags["system"], name, own.name)
                lines[run.name] = one.values[run.tags["system"]]
                if scored.evaluation.micro != lines[run.name]:
                    raise _of_other_parameters(scored.path, own.name)
            for of, recall in (("mean", one.mean), ("spread", one.spread)):
                lines[of] = recall
                metrics |= describe.recalls(f"seeds_{of}{self.ends[name]}", recall, cutoffs)
            head = f"recall in percent{' on ' if self.ends[name] else ''}{self.ends[name][1:]}"
            shown.append(notes.recalls_by_cutoff([head], cutoffs, lines))
        return parent(
            runs,
            {"system": own.tags["system"]},
            key=short_hash({"seeds_of": own.key}),
            name=own.name,
            metrics=metrics,
            columns=[describe.column(name) for name in metrics if name.startswith("seeds_mean")],
            note=f"**{own.name}** with {len(runs)} seeds, one run each below this one; row "
            f"`{own.key}` of `{own.source}` is the first. The spread is the sample standard "
            "deviation in points.\n\n" + "\n\n".join(shown),
        )


def _of_other_parameters(path: Path, method: str) -> InputError:
    return InputError(
        f"{path}: not what row {method} of the table was made from: a results file from other "
        "parameters. Run the table stage again."
    )


def _above_layers(
    rows: Sequence[LayersRow],
    entries: Sequence[Entry],
    cutoffs: Sequence[int],
    figures: Sequence[Path],
) -> list[Entry]:
    """The entries of Table 3, those of one method and search under a parent.

    The parent stands in place of the first of them. Its curves are the table's columns: a step for
    each number of layers merged, from the row before any merging at 0.
    """
    sweeps: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        if row.search:
            sweeps.setdefault(f"{row.method}, {row.searched}", []).append(at)
    found = dict(enumerate(entries))
    for name, places in sweeps.items():
        runs = [replace(found.pop(at), name=f"{name}, {_layers(rows[at])}") for at in places]
        start = rows[places[0]].start
        points, lines = [], {}
        for row in [row for row in rows if row.system == start] + [rows[at] for at in places]:
            recall, views = row.part.micro, row.views_per_entity
            numbers = {**describe.recalls("all", recall, cutoffs), describe.VIEWS: views}
            points += [Point(key, row.merge_layers, value) for key, value in numbers.items()]
            lines[f"{_layers(row)} | {views:.2f}"] = recall
        shown = notes.recalls_by_cutoff(["merged", "views an entity"], cutoffs, lines)
        source = runs[0].source
        found[places[0]] = parent(
            runs,
            key=short_hash({"layers_of": [run.key for run in runs]}),
            name=name,
            metrics={},
            curves=points,
            note=f"**{name}** of `{source}`: one run a row below this one. The metrics of this run "
            "have a step for each number of layers merged; what is shown of each is the last."
            f"\n\n{shown}\n\n{notes.how_to(source)}",
            files=[(path, "figures") for path in figures],
        )
    return [found[at] for at in sorted(found)]


def _layers(row: LayersRow) -> str:
    return f"{row.merge_layers} layer{'' if row.merge_layers == 1 else 's'}"
