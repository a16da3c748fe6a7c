"""What one run in MLflow is to hold, complete before the first call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any, NamedTuple

from muver.io.files import short_hash


class Point(NamedTuple):
    """A value of a metric at a step: of training, or of merging."""

    name: str
    step: int
    value: float


class Data(NamedTuple):
    """A dataset as MLflow lists a run's inputs.

    Attributes
    ----------
    digest
        Its fingerprint.
    source
        An address or a folder; empty if unknown.
    context
        The split, or the sets, that the run was scored on.
    profile
        Its size, by name.
    """

    name: str
    digest: str
    source: str
    context: str
    profile: Mapping[str, int]


class Work(NamedTuple):
    """The work that made a run: how long it took, and when it ended in POSIX time."""

    seconds: float
    end: float


@dataclass(frozen=True)
class Entry:
    """A run to be: a row of a table, or a parent with runs under it.

    Attributes
    ----------
    key
        What the run is found by, its tag ``row_key``.
    tags
        Further tags. They must agree, as the metrics must, for a run to be taken for this one.
    metrics, curves
        Numbers without a step, and by step.
    timings
        Numbers of the machine. They need not agree: a run keeps those of its first recording.
    own_work
        Without it the run lasts as long as its recording, or as its children's work.
    parameters
        Settings as flat names and texts.
    note
        The description, in Markdown.
    source
        The table it belongs to, as the workflow names it.
    hashed
        Files whose hash DVC knows, by what follows ``dvc_md5`` in the name of the tag.
    files
        Files to keep with the run, each with its folder there.
    texts
        Further files by name, as text.
    """

    key: str
    name: str
    tags: Mapping[str, str]
    metrics: Mapping[str, float]
    parameters: Mapping[str, str]
    note: str
    source: str
    curves: Sequence[Point] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    own_work: Work | None = None
    data: Data | None = None
    hashed: Mapping[str, Path] = field(default_factory=dict)
    files: Sequence[tuple[Path, str]] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    children: Sequence["Entry"] = ()

    def final(self) -> dict[str, float]:
        """What MLflow shows of each metric: the value at its last step."""
        last: dict[str, Point] = {}
        for point in self.curves:
            if point.name not in last or point.step >= last[point.name].step:
                last[point.name] = point
        return {**{name: point.value for name, point in last.items()}, **self.metrics}

    def folders(self) -> set[str]:
        """Names that stand at the top of the run's artifacts."""
        kept = [folder for _, folder in self.files] + list(self.texts)
        return {path.partition("/")[0] for path in kept}

    def work(self) -> Work | None:
        """The work that made the entry, and its children's."""
        parts = [self.own_work, *(child.work() for child in self.children)]
        known = [part for part in parts if part]
        if not known:
            return None
        return Work(sum(part.seconds for part in known), max(part.end for part in known))


SHARED = ("method", "system", "dataset", "data_fingerprint", "mentions", "precision")


def parent(runs: Sequence[Entry], tags: Mapping[str, str] | None = None, **own: Any) -> Entry:
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
        **{"parameters": dict(sorted(parameters)), **own},
    )
