"""A table as entries of MLflow: one run a row; several seeds, and sweeps, have a parent run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import yaml

from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.io.text import counted
from muver.reproduction.costs import measured
from muver.reproduction.tables.evaluations import data_fingerprint
from muver.reproduction.tables.layouts import shares
from muver.reproduction.tables.records import Line, Table, TableRow
from muver.reproduction.tracking import describe
from muver.reproduction.tracking.entry import Data, Entry, Point, Recording, Work, parent
from muver.retriever.evaluation.records import Evaluation, read_evaluation
from muver.retriever.training.log import VALIDATION, read_log

# Names of logs and the groups of their curves. A point of the grid has a log of another name.
LOGS = {"training_log.jsonl": "curves", "pretraining_log.jsonl": "curves_pretraining"}
NAMES = ("loss", "cloze_loss", "masked_loss", "learning_rate", "gradient_norm")
LIMIT = 500  # steps; more than MLflow's charts draw. The whole log is kept with the run


class Scored(NamedTuple):
    """An evaluation, its file, and the run that it is of."""

    evaluation: Evaluation
    path: Path
    run: Path


def entries(table: Table, source: str, settings: Recording) -> list[Entry]:
    """What is recorded of each row, in the table's order.

    ``source`` is the path of the table's CSV, as the workflow names it.
    """
    builder = _Builder(table, source, settings)
    rows = table.rows
    found = [builder.of_row(row) for row in rows]
    if any(row.merged for row in rows):
        return builder.above_layers(rows, found)
    times = Counter(row.method for row in rows)
    return [
        replace(entry, name=f"{entry.name} ({row.system})") if times[row.method] > 1 else entry
        for row, entry in zip(rows, found, strict=True)
    ]


def of_settings(
    settings: Mapping[str, Any], logs: Iterable[Path], stages: Mapping[str, str]
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


def curves(log: Path) -> list[Point]:
    """Losses, learning rate and gradient norm by step, and recall on validation.

    Of a long training every n-th step is taken, with the last one; of the validations all. Names
    begin with ``curves/``, those of the encoder's pre-training with ``curves_pretraining/``.
    """
    steps, validations = [], []
    for line in read_log(log):
        (steps if "loss" in line else validations).append(line)
    stride = -(-len(steps) // LIMIT) or 1
    thinned = steps[::-1][::stride][::-1]
    group = LOGS.get(log.name, "curves")
    return [
        Point(f"{group}/{name}", line["step"], value)
        for line in thinned + validations
        for name, value in line.items()
        if name in NAMES or name.startswith(VALIDATION)
    ]


def timings(stages: Mapping[str, str]) -> tuple[dict[str, float], Work | None]:
    """Metrics such as ``work/train_seconds``, and the work, from benchmark files by stage.

    The work lasted as long as all stages together and ended with the last, when its file was
    written. Results that were pulled from elsewhere have no files.
    """
    found = {stage: numbers for stage, path in stages.items() if (numbers := measured(Path(path)))}
    metrics = {
        f"work/{stage}_{name}": n for stage, numbers in found.items() for name, n in numbers.items()
    }
    if not found:
        return metrics, None
    seconds = sum(numbers.get("seconds", 0) for numbers in found.values())
    return metrics, Work(seconds, max(Path(stages[stage]).stat().st_mtime for stage in found))


class _Builder:
    """Makes the entries of one table's rows."""

    def __init__(self, table: Table, source: str, settings: Recording):
        self.table, self.source, self.settings = table, source, settings
        self.scored = _scored(settings)
        # Over a knowledge base there are several sets; then they end the names of metrics.
        self.ends = {one.set: f"_{one.set}" if table.kb else "" for one in table.sets}

    def of_row(self, row: TableRow) -> Entry:
        """A row's run; with several seeds, the parent of one run a seed."""
        runs = [self.run(row, system) for system in row.seeds]
        if self.table.layout == "linking":
            named = {f"linking/{name}": round(line.recall, describe.DECIMALS)
                     for name, line in shares(self.table, row).items()}  # fmt: skip
            runs[0] = replace(runs[0], metrics=runs[0].metrics | named)
        return self.above_seeds(row, runs) if len(runs) > 1 else runs[0]

    def lines(self, key: str, name: str = "") -> list[Line]:
        """The lines of a key, on a set or on all."""
        return [one for one in self.table.lines if one.key == key and name in ("", one.set)]

    def run(self, row: TableRow, system: str) -> Entry:
        """The run of a row's system, its own or one with a further seed."""
        key = row.seeds[system]
        if lost := [name for name in self.ends if (system, name) not in self.scored]:
            raise InputError(
                f"row {row.method}: needs the evaluation and run of {system} on {lost[0]}."
            )
        scored = {name: self.scored[system, name] for name in self.ends}
        evaluations = {name: one.evaluation for name, one in scored.items()}
        settings = next(iter(evaluations.values())).settings
        tags, metrics, columns = describe.tags(row.method, evaluations), {}, []
        for name, end in self.ends.items():
            lines = self.lines(key, name)
            found = describe.metrics(lines, self.table, end)
            metrics |= found | describe.of_set(evaluations[name], end)
            tags |= describe.verdicts(lines, self.table, end)
            group = f"on{end}/" if end else "all/"
            columns += [describe.column(one) for one in found if one.startswith(group)]
        further = list(map(Path, self.settings.artifacts.get(system, [])))
        logs = (path for path in further if path.name in LOGS)
        fields = of_settings(settings, logs, self.settings.benchmarks.get(system, {}))
        by_world = describe.worlds_csv(self.lines(key), bool(self.table.kb))
        fields["texts"]["evaluation/worlds.csv"] = by_world
        folders = {name: end.replace("_", "/", 1) for name, end in self.ends.items()}
        return Entry(
            key=key,
            name=row.method,
            tags=tags,
            metrics=metrics,
            note=self.note(key, [one.path.as_posix() for one in scored.values()]),
            source=self.source,
            data=self.data(evaluations),
            columns=columns,
            hashed={self.ends[name]: one.run for name, one in scored.items()},
            files=[
                *((one.run, f"run{folders[name]}") for name, one in scored.items()),
                *((one.path, f"evaluation{folders[name]}") for name, one in scored.items()),
                *((path, "training") for path in further),
            ],
            **fields,
        )

    def note(self, key: str, files: Sequence[str] = ()) -> str:
        return describe.note(key, self.source, self.settings.config, files)

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

    def above_seeds(self, row: TableRow, runs: Sequence[Entry]) -> Entry:
        """A parent above a row's own run and those of its further seeds."""
        # By their names, as a row that is made of others has no model of its own with a seed.
        drawn = [one.removeprefix(f"{row.system}_seed") for one in row.seeds]
        drawn[0] = runs[0].parameters["seed"]
        key, metrics = short_hash({"seeds_of": row.row_key}), {}
        for name, end in self.ends.items():
            first = [one for one in self.lines(row.row_key, name)
                     if not (one.world or one.category or one.among)]  # fmt: skip
            most = max(line.k for line in first)
            for of, value in (("mean", mean), ("spread", stdev)):
                for line in first:
                    found = [self.table.line(one, line.k, name) for one in row.seeds.values()]
                    recall = value([one.recall for one in found])
                    called = describe.metric(f"seeds_{of}{end}", line.k, most)
                    metrics[called] = round(recall, describe.DECIMALS)
        return parent(
            [
                replace(run, name=f"{row.method} (seed {seed})")
                for run, seed in zip(runs, drawn, strict=True)
            ],
            {"system": row.system},
            key=key,
            name=row.method,
            metrics=metrics,
            columns=[describe.column(name) for name in metrics if name.startswith("seeds_mean")],
            note=self.note(key),
        )

    def above_layers(self, rows: Sequence[TableRow], entries: Sequence[Entry]) -> list[Entry]:
        """The entries of Table 3, those of one method and search under a parent.

        The parent stands in place of the first of them. Its curves are the table's columns: a step
        for each number of layers merged, from the row before any merging at 0.
        """
        sweeps: dict[str, list[int]] = {}
        for at, row in enumerate(rows):
            if row.merged:
                sweeps.setdefault(f"{row.method}, {row.merged.searched}", []).append(at)
        found = dict(enumerate(entries))
        for name, places in sweeps.items():
            runs = [
                replace(found.pop(at), name=f"{name}, {counted(rows[at].merged.layers, 'layer')}")
                for at in places
            ]
            key = short_hash({"layers_of": [run.key for run in runs]})
            start = rows[places[0]].merged.start
            points = []
            for row in [row for row in rows if row.system == start] + [rows[at] for at in places]:
                numbers = describe.metrics(self.lines(row.row_key), self.table)
                numbers = {name: one for name, one in numbers.items() if name.startswith("all/")}
                numbers[describe.VIEWS] = row.views_per_entity
                layers = row.merged.layers if row.merged else 0
                points += [Point(name, layers, value) for name, value in numbers.items()]
            found[places[0]] = parent(
                runs,
                key=key,
                name=name,
                metrics={},
                curves=points,
                note=self.note(key),
                files=[(Path(figure), "figures") for figure in self.settings.figures],
            )
        return [found[at] for at in sorted(found)]


def _scored(settings: Recording) -> dict[tuple[str, str], Scored]:
    """Evaluations with their runs, by system and set."""
    found = {}
    for path, run in (map(Path, pair) for pair in settings.evaluations):
        evaluation = read_evaluation(path)
        found[evaluation.system, evaluation.set] = Scored(evaluation, path, run)
    return found
