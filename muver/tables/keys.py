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
        Hash of the dataset's raw files.

    Examples
    --------
    >>> row_key({"seed": 1}, "b413d3dfad8b10b4")
    'f0700b6d4d85'
    """
    return short_hash({"settings": dict(settings), "data": fingerprint})


def sets_fingerprint(fingerprints: Mapping[str, str]) -> str:
    """The fingerprint of the data of a row that is measured on several sets.

    Parameters
    ----------
    fingerprints
        Of each set, by name; their order does not matter.
    """
    return short_hash(dict(fingerprints), 16)
