"""The key of a table's row: what leads from a CSV to the MLflow run behind it."""

from collections.abc import Mapping
from typing import Any

from muver.io.files import short_hash


def row_key(settings: Mapping[str, Any], fingerprint: str) -> str:
    """Short hash of everything that made a row: 12 hexadecimal digits.

    Parameters
    ----------
    settings
        The row's whole settings, the seed among them.
    fingerprint
        Of the data that the row is measured on (:func:`data_fingerprint`).

    Examples
    --------
    >>> row_key({"seed": 1}, "b413d3dfad8b10b4")
    'f0700b6d4d85'
    """
    return short_hash({"settings": dict(settings), "data": fingerprint})


def data_fingerprint(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    """The fingerprint of the data that a row is measured on.

    Of worlds it is that of the dataset's raw files; over a knowledge base, that of all sets.

    Parameters
    ----------
    evaluations
        One of the row's evaluations for each set, by name; the order does not matter.
    """
    fingerprints = {name: one["fingerprint"] for name, one in evaluations.items()}
    first = next(iter(evaluations.values()))
    return first["fingerprint"] if first["kb"] is None else sets_fingerprint(fingerprints)


def sets_fingerprint(fingerprints: Mapping[str, str]) -> str:
    """One fingerprint of several sets, from theirs by name."""
    return short_hash(dict(fingerprints), 16)
