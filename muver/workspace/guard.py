"""Refusing results that the workflow has no record of.

Snakemake compares a file with the record it kept when it made it: parameters, inputs, code. For a
file without a record (fetched by ``dvc pull``, copied by hand) it has nothing to compare with and
takes it as up to date, whatever params.yaml says now. Better to stop and ask.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path

from muver.io.errors import InputError

RECORDS = Path(".snakemake")
# Of finished files; and of those that a running or killed job has begun, which are made again.
KINDS = ("metadata", "incomplete")


def has_record(file: str, records: Path = RECORDS) -> bool:
    """Whether Snakemake (its file backend) knows of a file that it made or began to make."""
    name = urlsafe_b64encode(file.encode()).decode()
    return any((records / kind / name).is_file() for kind in KINDS)


def check_records(files: Iterable[str], records: Path = RECORDS) -> None:
    """Raise InputError if one of ``files`` lies here without a record."""
    unknown = [file for file in files if Path(file).exists() and not has_record(file, records)]
    if not unknown:
        return
    more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
    raise InputError(
        f"{unknown[0]}{more}: here, but not made by the workflow here, so it cannot be told "
        "whether params.yaml still asks for it. If it came by `dvc pull` and `dvc status` is "
        "clean, adopt it with `make pull`. Otherwise remove it, and it will be made again."
    )
