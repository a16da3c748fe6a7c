"""What MLflow is told of one run, complete before the first call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


class Point(NamedTuple):
    """A value of a metric at a training step."""

    name: str
    step: int
    value: float


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
        Numbers by training step.
    parameters
        Settings as flat names and texts.
    note
        The description, in Markdown.
    source
        The table it belongs to, as the workflow names it.
    hashed
        The file whose hash DVC knows, if any.
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
    hashed: Path | None = None
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
