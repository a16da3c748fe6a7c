"""Which MLflow run belongs to which row, as ``muver record`` wrote it down."""

import csv
from collections.abc import Sequence

from muver.reproduction.report.files import RunFiles
from muver.reproduction.report.problems import Problems
from muver.reproduction.report.results import Result
from muver.reproduction.tracking.listed import read_list

BASE = "http://127.0.0.1:5000"  # where `make audit` opens the user interface
Addresses = dict[tuple[str, str], str]


def read_recorded(results: Sequence[Result], files: RunFiles, problems: Problems) -> Addresses:
    """Addresses in MLflow's user interface, after its base, by table and row key.

    A table without a list of runs was not recorded, or on another machine: its rows have no
    address, which is no problem. A list none of whose keys is in the table is one.
    """
    addresses: Addresses = {}
    for result in results:
        path = files.recorded(result.name)
        if result.table is None or not path.is_file():
            continue
        try:
            own = {line["row_key"]: str(line["address"]) for line in read_list(path)}
        except (OSError, UnicodeDecodeError, csv.Error, KeyError):
            problems.add(f"{result.name}: its list of recorded runs cannot be read.")
            continue
        keys = {getattr(row, "row_key", "") for row in result.table.rows}
        if own and not keys & own.keys():
            problems.add(
                f"{result.name}: the runs recorded in MLflow are of other rows (none of their keys "
                "is in the table). Record them again: snakemake --cores all record."
            )
        addresses |= {
            (result.name, key): address
            for key, address in own.items()
            if key in keys and address.startswith("/")
        }
    return addresses
