"""A table as entries of MLflow: one run a row; several seeds, and sweeps, have a parent run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import yaml

from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.io.text import counted
from muver.io.typed import Settings, Some, Text
from muver.reproduction.costs import measured
from muver.reproduction.tables.evaluations import data_fingerprint
from muver.reproduction.tables.records import Line, Table, TableRow, merging_curves
from muver.reproduction.tracking import describe
from muver.retriever.evaluation.records import Evaluation, read_evaluation
from muver.retriever.training.log import VALIDATION, read_log

# Names of logs and the groups of their curves. A point of the grid has a log of another name.
LOGS = {"training_log.jsonl": "curves", "pretraining_log.jsonl": "curves_pretraining"}
NAMES = ("loss", "cloze_loss", "masked_loss", "learning_rate", "gradient_norm")
LIMIT = 500  # steps; more than MLflow's charts draw. The whole log is kept with the run


class Recording(Settings, kw_only=True):
    """A table, or the grid, and what its rows are recorded from; files as paths."""

    table: Text  # its JSON
    out: Text  # CSV file to write: the run and its address of each row key
    experiment: str = ""  # its name; that of the table's file if empty
    enabled: bool = True  # else nothing is recorded, and the list of runs has no lines
    source: str = ""  # where the dataset comes from: an address or a folder
    config: dict[str, Any] = {}  # settings of a call of snakemake that makes the table again
    # Of a table: JSON from `muver stage evaluate`, each with the run that it is of
    evaluations: list[tuple[str, str]] = []
    artifacts: dict[str, list[str]] = {}  # by system: further files, such as its training log
    benchmarks: dict[str, dict[str, str]] = {}  # Snakemake's, by system or point, and stage
    figures: list[str] = []  # of a table with a sweep: to keep with its parent run
    logs: list[str] = []  # of the grid: training logs, each named after its point


class Recordings(Settings):
    """What one call of `muver record` records."""

    tables: Some[Recording]


class Point(NamedTuple):
    """A value of a metric at a step: of training, or of merging."""

    name: str
    step: int
    value: float


class Data(NamedTuple):
    """A dataset as MLflow lists a run's inputs."""

    name: str
    digest: str  # its fingerprint
    source: str  # an address or a folder; empty if unknown
    context: str  # the split, or the sets, that the run was scored on
    profile: Mapping[str, int]  # its size


class Job(NamedTuple):
    """A part of the work that made a run: how long it took, and when it ended in POSIX time."""

    seconds: float
    end: float


@dataclass(frozen=True)
class Entry:
    """A run to be: a row of a table, or a parent with runs under it.

    A run in the store is taken for the entry if its name, tags and metrics agree, whatever its
    ``timings`` and ``jobs``.
    """

    key: str  # what the run is found by: its tag row_key
    name: str
    tags: Mapping[str, str]  # beside the key
    metrics: Mapping[str, float]  # without a step
    parameters: Mapping[str, str]
    note: str  # the description: what makes it again
    source: str  # the table it belongs to, as the workflow names it
    curves: Sequence[Point] = ()  # metrics by step
    timings: Mapping[str, float] = field(default_factory=dict)  # metrics of the machine
    jobs: Sequence[Job] = ()  # without its own and children's, the run lasts as its recording
    data: Data | None = None
    columns: Sequence[str] = ()  # what the list of runs shows of it, such as params.`seed`
    hashed: Mapping[str, Path] = field(default_factory=dict)  # by what follows dvc_md5 in the tag
    files: Sequence[tuple[Path, str]] = ()  # to keep with the run, each with its folder there
    texts: Mapping[str, str] = field(default_factory=dict)  # further files, by name
    children: Sequence["Entry"] = ()

    def final(self) -> dict[str, float]:
        """What MLflow shows of each metric: the value at its last step."""
        by_step = sorted(self.curves, key=lambda point: point.step)
        return {**{point.name: point.value for point in by_step}, **self.metrics}

    def tree(self) -> Iterator["Entry"]:
        """The entry and all below it, each above its children."""
        yield self
        for child in self.children:
            yield from child.tree()


SHARED = ("method", "system", "dataset", "data_fingerprint", "mentions", "precision")


def parent(runs: Sequence[Entry], tags: Mapping[str, str] | None = None, **fields: Any) -> Entry:
    """An entry above others.

    It has the parameters and the :data:`SHARED` tags that all of ``runs`` have alike, further
    ``tags``, the source and the dataset of the first run, and its own fields.
    """
    alike = reduce(and_, (run.tags.items() for run in runs))
    parameters = reduce(and_, (run.parameters.items() for run in runs))
    return Entry(
        tags={
            **{name: value for name, value in alike if name in SHARED},
            "role": "parent",
            "config_hash": short_hash([run.key for run in runs]),
            **(tags or {}),
        },
        source=runs[0].source,
        data=runs[0].data,
        children=runs,
        **{"parameters": dict(sorted(parameters)), **fields},
    )


def entries(table: Table, source: str, settings: Recording) -> list[Entry]:
    """What is recorded of each row, in the table's order.

    ``source`` is the path of the table's CSV, as the workflow names it.
    """
    builder = _Builder(table, source, settings)
    of_rows = [builder.of_row(row) for row in table.rows]
    if any(row.merged for row in table.rows):
        return builder.above_layers(of_rows)
    times = Counter(row.method for row in table.rows)
    return [
        replace(entry, name=f"{entry.name} ({row.system})") if times[row.method] > 1 else entry
        for row, entry in zip(table.rows, of_rows, strict=True)
    ]


def of_settings(
    settings: Mapping[str, Any], logs: Iterable[Path], stages: Mapping[str, str]
) -> dict[str, Any]:
    """The fields of an entry that come from its settings, training logs and benchmark files."""
    times, jobs = timings(stages)
    text = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
    return {
        "parameters": describe.parameters(settings),
        "texts": {"configuration.yaml": text},
        "curves": [point for log in logs for point in curves(log)],
        "timings": times,
        "jobs": jobs,
    }


def curves(log: Path) -> list[Point]:
    """Losses, learning rate and gradient norm by step, and recall on validation.

    Of a long training every n-th step is taken, with the last one; of the validations all. Names
    begin with ``curves/``, those of the encoder's pre-training with ``curves_pretraining/``.
    """
    lines = read_log(log)
    steps = [line for line in lines if "loss" in line]
    validations = [line for line in lines if "loss" not in line]
    stride = -(-len(steps) // LIMIT) or 1
    thinned = steps[::-1][::stride][::-1]
    group = LOGS.get(log.name, "curves")
    return [
        Point(f"{group}/{name}", line["step"], value)
        for line in thinned + validations
        for name, value in line.items()
        if name in NAMES or name.startswith(VALIDATION)
    ]


def timings(stages: Mapping[str, str]) -> tuple[dict[str, float], list[Job]]:
    """Metrics such as ``work/train_seconds``, and the jobs, from benchmark files by stage.

    A job ended when its file was written. Results that were pulled from elsewhere have no files.
    """
    metrics, jobs = {}, []
    for stage, path in stages.items():
        if numbers := measured(Path(path)):
            metrics |= {f"work/{stage}_{name}": number for name, number in numbers.items()}
            jobs.append(Job(numbers.get("seconds", 0), Path(path).stat().st_mtime))
    return metrics, jobs


class _Builder:
    """Makes the entries of one table's rows."""

    def __init__(self, table: Table, source: str, settings: Recording):
        self.table, self.source, self.settings = table, source, settings
        self.scored: dict[tuple[str, str], tuple[Evaluation, Path, Path]] = {}  # with file and run
        for path, run in (map(Path, pair) for pair in settings.evaluations):
            evaluation = read_evaluation(path)
            self.scored[evaluation.system, evaluation.set] = evaluation, path, run
        # Over a knowledge base there are several sets; then they end the names of metrics.
        self.ends = {of_set.set: f"_{of_set.set}" if table.kb else "" for of_set in table.sets}

    def of_row(self, row: TableRow) -> Entry:
        """A row's run; with several seeds, the parent of one run a seed."""
        runs = [self.run(row, system) for system in row.seeds]
        return self.above_seeds(row, runs) if len(runs) > 1 else runs[0]

    def lines(self, key: str, name: str = "") -> list[Line]:
        """The lines of a key, on a set or on all."""
        return [line for line in self.table.lines if line.key == key and name in ("", line.set)]

    def run(self, row: TableRow, system: str) -> Entry:
        """The run of a row's system, its own or one with a further seed."""
        key = row.seeds[system]
        if lost := [name for name in self.ends if (system, name) not in self.scored]:
            raise InputError(
                f"row {row.method}: needs the evaluation and run of {system} on {lost[0]}."
            )
        scored = {name: self.scored[system, name] for name in self.ends}
        evaluations = {name: evaluation for name, (evaluation, *_) in scored.items()}
        first = next(iter(evaluations.values()))
        tags, metrics, files = describe.tags(row.method, evaluations), {}, []
        for name, (evaluation, path, run) in scored.items():
            end = self.ends[name]
            numbers, verdicts = describe.metrics(self.lines(key, name), self.table, end)
            metrics |= numbers | describe.of_set(evaluation, end)
            tags |= verdicts
            folder = end.replace("_", "/", 1)
            files += [(run, f"run{folder}"), (path, f"evaluation{folder}")]
        whole_sets = tuple(f"on{end}/" if end else "all/" for end in self.ends.values())
        further = list(map(Path, self.settings.artifacts.get(system, [])))
        logs = (path for path in further if path.name in LOGS)
        fields = of_settings(first.settings, logs, self.settings.benchmarks.get(system, {}))
        fields["texts"]["evaluation/worlds.csv"] = describe.worlds_csv(self.table, key)
        size = {"entities": first.kb.entities} if first.kb else {"worlds": len(first.worlds)}
        mentions = sum(evaluation.mentions for evaluation in evaluations.values())
        return Entry(
            key=key,
            name=row.method,
            tags=tags,
            metrics=metrics,
            note=self.note(key, [path.as_posix() for _, path, _ in scored.values()]),
            source=self.source,
            data=Data(
                first.dataset, data_fingerprint(evaluations), self.settings.source,
                ", ".join(evaluations), {"num_rows": mentions, **size},
            ),
            columns=[describe.column(name) for name in metrics if name.startswith(whole_sets)],
            hashed={self.ends[name]: run for name, (_, _, run) in scored.items()},
            files=[*files, *((path, "training") for path in further)],
            **fields,
        )  # fmt: skip

    def note(self, key: str, files: Sequence[str] = ()) -> str:
        return describe.note(key, self.source, self.settings.config, files)

    def above_seeds(self, row: TableRow, runs: Sequence[Entry]) -> Entry:
        """A parent above a row's own run and those of its further seeds."""
        # By their names, as a row that is made of others has no model of its own with a seed.
        seeds = [system.removeprefix(f"{row.system}_seed") for system in row.seeds]
        seeds[0] = runs[0].parameters["seed"]
        key, metrics = short_hash({"seeds_of": row.row_key}), {}
        cutoffs = sorted({line.k for line in self.lines(row.row_key)})
        for name, end in self.ends.items():
            for k in cutoffs:
                drawn = [self.table.line(seed, k, name).recall for seed in row.seeds.values()]
                for group, number in (("mean", mean(drawn)), ("spread", stdev(drawn))):
                    called = describe.metric(f"seeds_{group}{end}", k, cutoffs[-1])
                    metrics[called] = round(number, describe.DECIMALS)
        return parent(
            [
                replace(run, name=f"{row.method} (seed {seed})")
                for run, seed in zip(runs, seeds, strict=True)
            ],
            {"system": row.system},
            key=key,
            name=row.method,
            metrics=metrics,
            columns=[describe.column(name) for name in metrics if name.startswith("seeds_mean")],
            note=self.note(key),
        )

    def above_layers(self, entries: Sequence[Entry]) -> list[Entry]:
        """The entries of Table 3, those of one method and search under a parent.

        The parent stands in place of the first of them. Its curves are the table's columns: a step
        for each number of layers merged, from the row before any merging at 0.
        """
        by_system = dict(zip((row.system for row in self.table.rows), entries, strict=True))
        for name, rows in merging_curves(self.table.rows).items():
            merged = [row for row in rows if row.merged]
            if not merged:
                continue
            runs = [
                replace(
                    by_system[row.system], name=f"{name}, {counted(row.merged.layers, 'layer')}"
                )
                for row in merged
            ]
            key, points = short_hash({"layers_of": [run.key for run in runs]}), []
            for row in rows:
                layers = row.merged.layers if row.merged else 0
                numbers, _ = describe.metrics(self.lines(row.row_key), self.table)
                points += [
                    Point(metric, layers, number)
                    for metric, number in numbers.items()
                    if metric.startswith("all/")
                ]
                points.append(Point(describe.VIEWS, layers, row.views_per_entity))
            first, *others = [row.system for row in merged]
            by_system[first] = parent(
                runs,
                key=key,
                name=name,
                metrics={},
                curves=points,
                note=self.note(key),
                files=[(Path(figure), "figures") for figure in self.settings.figures],
            )
            for system in others:
                del by_system[system]
        return [*by_system.values()]
