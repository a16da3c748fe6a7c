"""What a recording is given, and what one run in MLflow is to hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any, NamedTuple

from muver.io.files import short_hash
from muver.io.typed import Settings, Some, Text


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


class Work(NamedTuple):
    """The work that made a run: how long it took, and when it ended in POSIX time."""

    seconds: float
    end: float


@dataclass(frozen=True)
class Entry:
    """A run to be: a row of a table, or a parent with runs under it.

    A run in the store is taken for the entry if its name, tags and metrics agree, whatever its
    ``timings`` and ``own_work``.
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
    own_work: Work | None = None  # without it and children's, the run lasts as its recording
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

    def work(self) -> Work | None:
        """The work that made the entry, and its children's."""
        parts = [self.own_work, *(child.work() for child in self.children)]
        known = [part for part in parts if part]
        if not known:
            return None
        return Work(sum(part.seconds for part in known), max(part.end for part in known))


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
