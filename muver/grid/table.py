"""The grid as data: every point's validation recall, the one chosen, means by value."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from muver.grid.points import HYPERPARAMETERS
from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.io.typed import overlay
from muver.tables.keys import row_key
from muver.training.log import kept_validation

RULE = (
    "The point with the greatest recall on the validation worlds is chosen; of several, the one "
    "that stands first. The test worlds are not looked at."
)


def build_grid(
    model: str,
    points: Mapping[str, Mapping[str, Any]],
    cutoff: int,
    base: Mapping[str, Any],
    logs: Sequence[Path],
    dataset: str,
    fingerprint: str,
    encoder: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Read the logs of all points and choose one.

    Parameters
    ----------
    model
        Name of the model that was trained at each point.
    points
        What each sets in the section ``training`` (:func:`muver.grid.points.points`).
    cutoff
        The k of the validation's recall@k.
    base
        The model's settings, which hold at every point but for what it sets.
    logs
        Training logs, each named after its point; their order is that of the rows.
    dataset, fingerprint
        Name and hash of the data.
    encoder
        Identity of the encoder that training started from.

    Returns
    -------
    ``rows`` (one a point, with its whole settings and key), ``chosen`` (a point's name), ``means``
    (of each value of each hyper-parameter, over the points that have it) and ``row_key`` of the
    grid as a whole, which stays when points are added.

    Raises
    ------
    InputError
        If the logs are not those of the points, or one holds no validation at the cutoff.
    """
    by_point = _by_point(points, logs)
    rows = []
    for name, log in by_point.items():
        recall, step = kept_validation(log, cutoff)
        settings = _with_encoder(overlay(base, {"training": points[name]}), encoder)
        rows.append(
            {
                "method": model,
                "system": name,
                "row_key": row_key(settings, fingerprint),
                **{key: points[name][key] for key in HYPERPARAMETERS},
                "recall": recall,
                "step": step,
                "settings": settings,
            }
        )
    chosen = max(rows, key=lambda row: row["recall"])  # the first of equals
    for row in rows:
        row["chosen"] = row is chosen
    return {
        "name": "grid",
        "kind": "grid",
        "model": model,
        "dataset": dataset,
        "fingerprint": fingerprint,
        "cutoff": cutoff,
        "rule": RULE,
        "row_key": _key_of_all(model, base, encoder, fingerprint),
        "chosen": chosen["system"],
        "means": {key: _means(rows, key) for key in HYPERPARAMETERS},
        "rows": rows,
    }


def _by_point(points: Mapping[str, Any], logs: Sequence[Path]) -> dict[str, Path]:
    """The log of each point, in the logs' order."""
    if not points:
        raise InputError("--settings: points is empty: a grid needs at least one.")
    by_point: dict[str, Path] = {}
    for log in logs:
        if log.stem not in points:
            raise InputError(
                f"{log}: is named after no point of the grid.{did_you_mean(log.stem, points)}"
            )
        if log.stem in by_point:
            raise InputError(f"{log}: a second log of {log.stem}, beside {by_point[log.stem]}.")
        by_point[log.stem] = log
    if missing := [name for name in points if name not in by_point]:
        raise InputError(f"--logs: no log of {', '.join(missing)}. Train these points first.")
    return by_point


def _with_encoder(settings: Mapping[str, Any], encoder: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"model": settings} if encoder is None else {"model": settings, "encoder": encoder}


def _key_of_all(
    model: str, base: Mapping[str, Any], encoder: Mapping[str, Any] | None, fingerprint: str
) -> str:
    """The key of what all points share."""
    training = {k: v for k, v in base["training"].items() if k not in HYPERPARAMETERS}
    shared = _with_encoder({**base, "training": training}, encoder)
    return short_hash({"grid": model, "settings": shared, "data": fingerprint})


def _means(rows: Sequence[Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    """Mean recall over the points that share a value, in the order of the values."""
    means = []
    for value in sorted({row[key] for row in rows}):
        recalls = [row["recall"] for row in rows if row[key] == value]
        means.append({"value": value, "points": len(recalls), "recall": fmean(recalls)})
    return means
