"""The verdicts stage: measure the claims on a dataset's runs, write the pages that show them."""

from functools import partial
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.io.typed import Record, read_record
from muver.reproduction.tables.evaluations import row_key
from muver.reproduction.tables.records import ParametersTable, read_result
from muver.reproduction.tracking.provenance import changed_since_commit, commit, this_machine
from muver.reproduction.verdicts import page
from muver.reproduction.verdicts.claims import Claims, judge, measure, read_claims
from muver.reproduction.verdicts.tests import Part, Ranks
from muver.retriever.evaluation.recall import read_ranks
from muver.retriever.evaluation.records import Evaluation, read_evaluation

BEGIN, END = "<!-- verdicts -->", "<!-- end of verdicts -->"  # in README
# What ends the names of a protocol's rows
PROTOCOLS = {"all pages": "", "own page left out": "_elsewhere"}


class Measured(Record):
    """What the claims' tests gave on a dataset, and what made it."""

    commit: str
    machine: str
    fingerprints: dict[str, str]  # of the data, by set
    rows: dict[str, str]  # the row keys, by set and row
    protocols: dict[str, dict[str, list[Part]]]  # by claim
    parameters: dict[str, int]  # of Table 5's models


class AllMeasured(Record):
    """The record beside the page, by dataset."""

    datasets: dict[str, Measured]


def write_verdicts(
    dataset: str | None = None,
    project: Path = Path("."),
    out: Path = Path("docs/verdicts.md"),
    readme: Path = Path("README.md"),
    uncommitted: bool = False,
) -> None:
    """Write the page of verdicts and the README's matrix from the record of what was measured.

    Parameters
    ----------
    dataset
        Measure it anew first, from build/DATASET/current and results/DATASET of the project.
    project
        The run's folder.
    out
        The page; results/verdicts.json beside it is the record.
    readme
        Gets the matrix, in place of the one that it has.
    uncommitted
        Measure although what makes the numbers differs from the commit; the record says so.
    """
    path, claims = out.parent / "results" / "verdicts.json", read_claims()
    known = read_record(path, AllMeasured, "a record of verdicts", "Remove it and measure again.")
    if dataset:
        if not uncommitted and (changed := changed_since_commit(project)):
            raise InputError(
                f"{changed[0]}: not as in the last commit, which the record names as what made its "
                "numbers. Commit, make the rows and measure again; or give --uncommitted."
            )
        known = AllMeasured({**known.datasets, dataset: measured(claims, project, dataset)})
        write_json(path, known)
    judged = {
        name: {protocol: judge(claims.all, parts, record.parameters)
               for protocol, parts in record.protocols.items()}
        for name, record in known.datasets.items()
    }  # fmt: skip
    write_text(out, page.details(claims, known.datasets, judged))
    before, begin, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise InputError(f"{readme}: has no place for the matrix, from {BEGIN} to {END}.")
    write_text(readme, f"{before}{begin}\n{page.matrix(claims, judged)}\n{end}{after}")


def measured(claims: Claims, project: Path, dataset: str) -> Measured:
    """Measure all claims of whose rows the project has evaluations, under each protocol."""
    folder = project / "build" / dataset / "current" / "evaluations"
    read: dict[str, Evaluation] = {}
    protocols = {
        name: measure(claims.all, partial(_ranks, folder, ending, read))
        for name, ending in PROTOCOLS.items()
    }
    if not read:
        raise InputError(f"{folder}: has no evaluation of a claim's row. Make the tables first.")
    head = commit(project)
    table5 = project / "results" / dataset / "table5.json"
    return Measured(
        commit=head["hash"] + head["changed"] if head else "not known",
        machine=this_machine(),
        fingerprints={evaluation.set: evaluation.fingerprint for evaluation in read.values()},
        rows={
            name: row_key(evaluation.settings, evaluation.fingerprint)
            for name, evaluation in read.items()
        },
        protocols=protocols,
        parameters=_parameters(table5) if table5.is_file() else {},
    )


def _ranks(
    folder: Path, ending: str, read: dict[str, Evaluation], mentions: str, row: str
) -> Ranks | None:
    """The ranks of a row's seeds on a set of mentions; what was ``read`` is added to."""
    of_set, found = folder / mentions, {}
    for path in [of_set / f"{row}{ending}.json", *sorted(of_set.glob(f"{row}{ending}_seed*.json"))]:
        if path.is_file():
            read[f"{mentions}/{path.stem}"] = read_evaluation(path)
            seed = path.stem.removeprefix(f"{row}{ending}_seed").removeprefix(f"{row}{ending}")
            found[seed or "own"] = read_ranks(path.with_suffix(".parquet"))
    return found or None


def _parameters(path: Path) -> dict[str, int]:
    table = read_result(path, ParametersTable, "Table 5")
    return {row.method: row.parameters for row in table.rows}
