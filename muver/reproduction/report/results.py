"""The results that the page shows, and where their rows are recorded in MLflow."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass

from muver.io.errors import InputError
from muver.reproduction.report.files import Problems, RunFiles
from muver.reproduction.tables.records import AnyResult, caption_of, read_result

Addresses = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Result:
    """A table or figure by its name in ``results:``; ``table`` is None if it cannot be read."""

    name: str
    table: AnyResult | None

    @property
    def title(self) -> str:
        """Its name for people."""
        return caption_of(self.name)

    @property
    def caption(self) -> str:
        """Its heading."""
        return caption_of(self.name, self.table.caption if self.table else "")


def read_results(names: Sequence[str], files: RunFiles, problems: Problems) -> list[Result]:
    """Read the results named; a problem for each that is missing or damaged."""
    results = []
    for name in names:
        try:
            results.append(Result(name, read_result(files.table(name))))
        except InputError as error:
            problems.add(f"{name}: {files.without_folders(error)}")
            results.append(Result(name, None))
    return results


def read_recorded(results: Sequence[Result], files: RunFiles) -> Addresses:
    """Addresses in MLflow's pages, after its base, by table and row key.

    A table without a list of runs was not recorded, or on another machine.
    """
    addresses = {}
    for result in results:
        recorded = files.recorded(result.name)
        text = recorded.read_text(encoding="utf-8") if recorded.is_file() else ""
        for line in csv.DictReader(text.splitlines()):
            if line["address"].startswith("/"):
                addresses[result.name, line["row_key"]] = line["address"]
    return addresses
