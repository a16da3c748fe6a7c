"""A table as entries: a run a row; rows with several seeds, and sweeps, under parents."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml

from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.tables.keys import data_fingerprint, row_key
from muver.tracking import describe, notes
from muver.tracking.curves import LOG_NAME, curves
from muver.tracking.entry import SHARED, Data, Entry, Point, parent
from muver.tracking.files import Files
from muver.tracking.settings import Recording
from muver.tracking.timings import timings

Row = Mapping[str, Any]


def entries(
    table: Mapping[str, Any], source: str, files: Files, settings: Recording
) -> list[Entry]:
    """What is recorded of each row, in the table's order; everything is checked first.

    Parameters
    ----------
    table
        JSON of the table.
    source
        Path of the table's CSV, as the workflow names it.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, one is missing, or a run was changed after
        it was scored.
    """
    builder = _Builder(table, source, files, settings)
    rows = table["rows"]
    found = [builder.of_row(row) for row in rows]
    if any(row.get("search") for row in rows):
        return _above_layers(rows, found, table["cutoffs"], files)
    times = Counter(row["method"] for row in rows)
    return [
        replace(entry, name=f"{entry.name} ({row['system']})")
        if times[row["method"]] > 1
        else entry
        for row, entry in zip(rows, found, strict=True)
    ]


class _Builder:
    """Makes the entries of one table's rows."""

    def __init__(self, table: Mapping[str, Any], source: str, files: Files, settings: Recording):
        self.table, self.source, self.files, self.settings = table, source, files, settings
        self.sets = [one["set"] for one in table["sets"]]
        # The set is part of a metric's name where there can be several.
        self.label = {name: name if table["kb"] else "" for name in self.sets}

    def of_row(self, row: Row) -> Entry:
        """A run, or a parent above one run a seed."""
        parts = row.get("sets") or {self.sets[0]: row}
        own = self.run(row["system"], row["method"], parts)
        for name, part in parts.items():
            scored = self.files.of(row["system"], name, row["method"])
            same = part["hits"].items() <= scored.evaluation["hits"].items()
            if own.key != row["row_key"] or not same:
                raise _of_other_parameters(scored.path, row["method"])
        seeds = {name: part["seeds"] for name, part in parts.items() if part.get("seeds")}
        return self.above_seeds(own, seeds) if seeds else own

    def run(self, system: str, method: str, parts: Mapping[str, Row]) -> Entry:
        """The run of a system, with what the table has of it by set."""
        table, label = self.table, self.label
        scored = {name: self.files.of(system, name, method) for name in self.sets}
        evaluations = {name: one.evaluation for name, one in scored.items()}
        first = evaluations[self.sets[0]]
        key = row_key(first["settings"], data_fingerprint(evaluations))
        size = (
            {"entities": table["kb"]["entities"]}
            if table["kb"]
            else {"worlds": len(first["worlds"])}
        )
        metrics: dict[str, float] = {}
        verdicts: dict[str, str] = {}
        for name, one in evaluations.items():
            part = parts.get(name, {})
            metrics |= describe.metrics(one, part, label[name])
            verdicts |= describe.verdicts(part, one["cutoffs"], label[name])
        further = self.files.artifacts.get(system, [])
        times, work = timings(self.files.benchmarks.get(system, {}))
        folders = {name: f"/{label[name]}" if label[name] else "" for name in self.sets}
        return Entry(
            key=key,
            name=method,
            tags={**describe.tags(method, evaluations), **verdicts},
            metrics=metrics,
            parameters=describe.parameters(first["settings"]),
            note=notes.row_note(
                table, method, key, scored, parts, self.source, self.settings.options
            ),
            source=self.source,
            curves=[point for path in further if path.name == LOG_NAME for point in curves(path)],
            timings=times,
            own_work=work,
            data=Data(
                first["dataset"],
                data_fingerprint(evaluations),
                self.settings.source,
                ", ".join(self.sets),
                {"num_rows": sum(one["mentions"] for one in evaluations.values()), **size},
            ),
            hashed={
                f"_{label[name]}" if label[name] else "": one.run for name, one in scored.items()
            },
            files=[
                *((one.run, f"run{folders[name]}") for name, one in scored.items()),
                *((one.path, f"evaluation{folders[name]}") for name, one in scored.items()),
                *((path, "training") for path in further),
            ],
            texts={
                "evaluation/worlds.csv": describe.worlds_csv(evaluations),
                "configuration.yaml": yaml.safe_dump(
                    first["settings"], sort_keys=False, allow_unicode=True
                ),
            },
        )

    def above_seeds(self, own: Entry, seeds: Mapping[str, Any]) -> Entry:
        """A parent above a row's first run and those of its further seeds.

        Parameters
        ----------
        seeds
            By set, each system's recall as ``values``, and its ``mean`` and ``spread``.
        """
        system, cutoffs = own.tags["system"], self.table["cutoffs"]
        runs, metrics, lines = [own], {}, []
        for other in next(iter(seeds.values()))["values"]:
            if other != system:
                runs.append(self.run(other, own.name, {}))
        named = [replace(run, name=f"{own.name} (seed {run.parameters['seed']})") for run in runs]
        for name, one in seeds.items():
            for run in runs:
                scored = self.files.of(run.tags["system"], name, own.name)
                if scored.evaluation["micro"] != one["values"][run.tags["system"]]:
                    raise _of_other_parameters(scored.path, own.name)
            end = f"_{self.label[name]}" if self.label[name] else ""
            for of in ("mean", "spread"):
                metrics |= describe.recalls(f"seeds_{of}{end}", one[of], cutoffs)
            recalls = {run.name: one["values"][run.tags["system"]] for run in named}
            for of, recall in {**recalls, "mean": one["mean"], "spread": one["spread"]}.items():
                lines.append([f"{of}{' on ' if end else ''}{self.label[name]}",
                              *(f"{recall[str(k)]:.2f}" for k in cutoffs)])  # fmt: skip
        shown = notes.by_cutoff("recall in percent", map(str, cutoffs), lines)
        return parent(
            named,
            {name: own.tags[name] for name in SHARED if name in own.tags},
            key=short_hash({"seeds_of": own.key}),
            name=own.name,
            metrics=metrics,
            note=f"**{own.name}** with {len(runs)} seeds, one run each below this one; row "
            f"`{own.key}` of `{own.source}` is the first. The spread is the sample standard "
            f"deviation in points.\n\n{shown}",
        )


def _of_other_parameters(path: Any, method: str) -> InputError:
    return InputError(
        f"{path}: not what row {method} of the table was made from: a results file from other "
        "parameters. Run the table stage again."
    )


def _above_layers(
    rows: Sequence[Row], entries: Sequence[Entry], cutoffs: Sequence[int], files: Files
) -> list[Entry]:
    """The entries of Table 3, those of one method and search under a parent.

    The parent stands in place of the first of them. Its curves are the table's columns: a step for
    each number of layers merged, from the row before any merging at 0.
    """
    sweeps: dict[tuple[str, str], list[int]] = {}
    for at, row in enumerate(rows):
        if row.get("search"):
            sweeps.setdefault((row["method"], row["searched"]), []).append(at)
    found = list(entries)
    for (method, searched), places in sweeps.items():
        start = rows[places[0]]["start"]
        curve = [row for row in rows if row["system"] == start] + [rows[at] for at in places]
        name = f"{method}, {searched}"
        layers = {at: f"{name}, {_layers(rows[at])}" for at in places}
        children = [replace(entries[at], name=own) for at, own in layers.items()]
        points, lines = [], []
        for row in curve:
            numbers = describe.recalls("all", row["micro"], cutoffs)
            numbers["views_per_entity"] = row["views_per_entity"]
            points += [Point(key, row["merge_layers"], value) for key, value in numbers.items()]
            recalls = [f"{row['micro'][str(k)]:.2f}" for k in cutoffs]
            lines.append([_layers(row), f"{row['views_per_entity']:.2f}", *recalls])
        shown = notes.by_cutoff("merged|views an entity", map(str, cutoffs), lines)
        source = children[0].source
        found[places[0]] = parent(
            children,
            key=short_hash({"layers_of": [child.key for child in children]}),
            name=name,
            metrics={},
            curves=points,
            note=f"**{name}** of `{source}`: one run a row below this one. The metrics of this run "
            "have a step for each number of layers merged; what is shown of each is the last."
            f"\n\n{shown}\n\n{notes.how_to(source)}",
            files=[(path, "figures") for path in files.figures],
        )
    under = {at for places in sweeps.values() for at in places[1:]}
    return [entry for at, entry in enumerate(found) if at not in under]


def _layers(row: Row) -> str:
    return f"{row['merge_layers']} layer{'' if row['merge_layers'] == 1 else 's'}"
