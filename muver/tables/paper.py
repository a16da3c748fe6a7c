"""The paper's numbers, and how ours compare."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def paper() -> dict[str, Any]:
    """Content of paper.yaml."""
    return yaml.safe_load(Path(__file__).with_name("paper.yaml").read_text(encoding="utf-8"))


def published(
    table: int, method: str, cutoffs: Sequence[int], domain: str | None = None
) -> dict[str, float | None] | None:
    """The paper's recall of a row by cutoff, in percent; None for a row it does not have.

    Parameters
    ----------
    domain
        A world, for table 6.
    """
    row = paper()[f"table{table}"]["rows"].get(method)
    values = row and (row["values"] if domain is None else row["values"].get(domain))
    if values is None:
        return None
    by_cutoff = dict(zip(paper()["columns"], values, strict=True))
    return {str(k): by_cutoff.get(k) for k in cutoffs}


def difference(
    ours: Mapping[str, float], theirs: Mapping[str, float | None]
) -> dict[str, float | None]:
    """Ours minus theirs in percentage points; None where the paper has no number."""
    return {k: None if theirs[k] is None else ours[k] - theirs[k] for k in ours}


def verdict(points: float | None) -> str | None:
    """Say "OK", "near" or "off" by paper.yaml's tolerance; higher is as suspect as lower."""
    if points is None:
        return None
    tolerance = paper()["tolerance"]
    if abs(points) <= tolerance["ok"]:
        return "OK"
    return "near" if abs(points) <= tolerance["near"] else "off"
