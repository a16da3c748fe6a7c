"""The key of a table's row, by which a CSV leads to the row's MLflow run."""

from collections.abc import Mapping
from typing import Any

from muver.io.files import short_hash
from muver.retriever.evaluation.records import Evaluation


def row_key(settings: Mapping[str, Any], fingerprint: str) -> str:
    """Short hash of a row's settings and data: 12 hexadecimal digits.

    Parameters
    ----------
    settings
        All settings of the row, including the seed.
    fingerprint
        Fingerprint of the row's data (:func:`data_fingerprint`).

    Examples
    --------
    >>> row_key({"seed": 1}, "b413d3dfad8b10b4")
    'f0700b6d4d85'
    """
    return short_hash({"settings": dict(settings), "data": fingerprint})


def data_fingerprint(evaluations: Mapping[str, Evaluation]) -> str:
    """The fingerprint of a row's data: the dataset's raw files, or all sets of a knowledge base.

    Parameters
    ----------
    evaluations
        One of the row's evaluations for each set, by name, in any order.
    """
    fingerprints = {name: one.fingerprint for name, one in evaluations.items()}
    first = next(iter(evaluations.values()))
    return first.fingerprint if first.kb is None else sets_fingerprint(fingerprints)


def sets_fingerprint(fingerprints: Mapping[str, str]) -> str:
    """One fingerprint of several sets, from their fingerprints by name."""
    return short_hash(dict(fingerprints), 16)
