"""The key of a table's row, by which a CSV leads to the row's MLflow run."""

from collections.abc import Mapping
from typing import Any

from muver.io.files import short_hash
from muver.retriever.evaluation.records import Evaluation


def row_key(settings: Mapping[str, Any], fingerprint: str) -> str:
    """12 hexadecimal digits, from all settings of a row with its seed, and its data's fingerprint.

    >>> row_key({"seed": 1}, "b413d3dfad8b10b4")
    'f0700b6d4d85'
    """
    return short_hash({"settings": dict(settings), "data": fingerprint})


def data_fingerprint(evaluations: Mapping[str, Evaluation]) -> str:
    """The fingerprint of a row's data: of the dataset's raw files, or of all sets over a base.

    ``evaluations`` has one of the row's evaluations for each set, by name, in any order.
    """
    first = next(iter(evaluations.values()))
    if first.kb is None:
        return first.fingerprint
    return short_hash({name: one.fingerprint for name, one in evaluations.items()}, 16)
