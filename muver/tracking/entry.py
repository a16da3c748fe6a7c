"""What MLflow is told of one run, complete before the first call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from pathlib import Path
from typing import NamedTuple


class Point(NamedTuple):
    """A value of a metric at a step: of training, or of merging."""

    name: str
    step: int
    value: float


class Data(NamedTuple):
    """A dataset as MLflow lists a run's inputs.

    Attributes
    ----------
    name
        The dataset's.
    digest
        Its fingerprint.
    source
        Where it comes from: an address, a folder, or empty where nobody said.
    context
        What the run used it for: the split that was scored.
    profile
        Its size, by name.
    """

    name: str
    digest: str
    source: str
    context: str
    profile: Mapping[str, int]


@dataclass(frozen=True)
class Entry:
    """A run to be: a row of a table, or a parent with runs under it.

    Attributes
    ----------
    key
        What the run is found by, its tag ``row_key``.
    name
        The run's name.
    tags
        Further tags. They must agree, as the metrics must, for a run to be taken for this one.
    metrics
        Numbers without a step.
    curves
        Numbers by step.
    timings
        Numbers of the machine. They need not agree: a run keeps those of the first recording.
    parameters
        Settings as flat names and texts.
    note
        The description, in Markdown.
    source
        The table it belongs to, as the workflow names it.
    data
        What it was made of.
    hashed
        Files whose hash DVC knows, by what follows ``dvc_md5`` in the name of the tag.
    files
        Files to keep with the run, each with its folder there.
    texts
        Further files by name, as text.
    children
        Runs under this one.
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


SHARED = ("method", "system", "dataset", "data_fingerprint", "mentions", "precision")


def shared_parameters(runs: Sequence[Entry]) -> dict[str, str]:
    """The parameters that all runs have with the same value."""
    return dict(sorted(reduce(and_, (run.parameters.items() for run in runs))))


def shared_tags(runs: Sequence[Entry]) -> dict[str, str]:
    """What their parent can say of all runs alike."""
    both = reduce(and_, (run.tags.items() for run in runs))
    return {name: value for name, value in sorted(both) if name in SHARED}
