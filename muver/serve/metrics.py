"""Counts and times of the service, in the text form that Prometheus reads.

The form is described at https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Numbers that only grow, and times by bucket; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._buckets: dict[tuple[str, Labels], list[int]] = {}
        self._sums: Counter[tuple[str, Labels]] = Counter()

    def count(self, name: str, amount: int = 1, **labels: str) -> None:
        """Add to a number."""
        with self._lock:
            self._counts[name, tuple(labels.items())] += amount

    def time(self, name: str, seconds: float, **labels: str) -> None:
        """Add a time to its bucket."""
        key = name, tuple(labels.items())
        with self._lock:
            buckets = self._buckets.setdefault(key, [0] * (len(SECONDS) + 1))
            buckets[bisect_left(SECONDS, seconds)] += 1
            self._sums[key] += seconds

    def text(self, now: Mapping[tuple[str, Labels], float]) -> str:
        """All of them as Prometheus reads them; ``now`` has numbers of this moment."""
        with self._lock:
            lines = [
                *_lines("counter", dict(self._counts)),
                *self._histograms(),
                *_lines("gauge", now),
            ]
        return "\n".join(lines) + "\n"

    def _histograms(self) -> Iterator[str]:
        names: set[str] = set()
        for (name, labels), buckets in sorted(self._buckets.items()):
            if name not in names:
                names.add(name)
                yield f"# TYPE {name} histogram"
            total = 0
            for bound, number in zip((*SECONDS, "+Inf"), buckets, strict=True):
                total += number
                yield f"{name}_bucket{_braces((*labels, ('le', str(bound))))} {total}"
            yield f"{name}_sum{_braces(labels)} {self._sums[name, labels]:.6f}"
            yield f"{name}_count{_braces(labels)} {total}"


def _lines(kind: str, values: Mapping[tuple[str, Labels], float]) -> Iterator[str]:
    names: set[str] = set()
    for (name, labels), value in sorted(values.items()):
        if name not in names:
            names.add(name)
            yield f"# TYPE {name} {kind}"
        yield f"{name}{_braces(labels)} {value}"


def _braces(labels: Labels) -> str:
    """Labels with their values quoted.

    >>> _braces((("model", 'a"b'), ("status", "200")))
    '{model="a\\\\"b",status="200"}'
    """
    if not labels:
        return ""
    escapes = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    pairs = (f'{key}="{value.translate(escapes)}"' for key, value in labels)
    return "{" + ",".join(pairs) + "}"
