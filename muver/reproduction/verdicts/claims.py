"""The paper's claims: measured on a run, from the ranks of gold entities, and judged."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from muver.io.errors import InputError
from muver.io.typed import Count, Record, Settings, Some, read
from muver.reproduction.settings.derive import ELSEWHERE
from muver.reproduction.tables.evaluations import row_key
from muver.reproduction.tables.records import ALL_PAGES, LEFT_OUT, ParametersTable, read_result
from muver.reproduction.tracking.provenance import commit, this_machine
from muver.reproduction.verdicts import tests
from muver.reproduction.verdicts.tests import Part, Ranks
from muver.retriever.evaluation.recall import read_ranks
from muver.retriever.evaluation.records import Evaluation, read_evaluation

WITHIN = 0.02  # of the printed number of parameters
ALPHA = 0.05
PROTOCOLS = {ALL_PAGES: "", LEFT_OUT: ELSEWHERE}  # and what ends the names of their rows
HOLDS, CONTRADICTED, OPEN, NOT_RUN = "holds", "contradicted", "can't be told", "not run"


class More(Settings):
    """The first row finds more than the second, at each cut-off and, if so told, in each world."""

    rows: tuple[str, str]
    at: Some[Count]
    second_at: Some[Count] | None = None
    than: float = 0  # points
    each_world: bool = False
    sentences: tuple[int, int] | None = None  # of the gold entity's description
    set: str = "test"

    def parts(self, rows: Sequence[Ranks]) -> list[Part]:
        """What the test gives: a part for each cut-off, and for each world if so told."""
        return [
            part
            for at in zip(self.at, self.second_at or self.at, strict=True)
            for part in tests.more(*rows, at, self.than, self.sentences, self.each_world)
        ]


class Rising(Settings):
    """Recall rises along the rows."""

    rows: Some[str]
    at: Count
    set: str = "test"

    def parts(self, rows: Sequence[Ranks]) -> list[Part]:
        """What the test gives."""
        return [tests.rising(rows, self.at)]


class Widening(Settings):
    """The first row's lead over the second grows with the length of the description."""

    rows: tuple[str, str]
    at: Count
    set: str = "test"

    def parts(self, rows: Sequence[Ranks]) -> list[Part]:
        """What the test gives."""
        return [tests.widening(*rows, self.at)]


class Claim(Settings):
    """A line of claims.yaml, with one of the tests."""

    says: str
    where: str
    printed: dict[str, list[float]]
    more: More | None = None
    rising: Rising | None = None
    widening: Widening | None = None
    parameters: str | None = None  # a row of Table 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.test is None) == (self.parameters is None):
            raise ValueError("a claim has one of more, rising, widening and parameters.")

    @property
    def test(self) -> More | Rising | Widening | None:
        """Its test on mentions; none for a number of parameters."""
        return self.more or self.rising or self.widening


class Claims(Settings):
    """All claims by name: those on ``worlds``, and on ``sets`` over one knowledge base."""

    worlds: dict[str, Claim]
    sets: dict[str, Claim]

    @property
    def all(self) -> dict[str, Claim]:
        """All by name."""
        return {**self.worlds, **self.sets}


class Verdict(Record):
    """What is said of a claim; a number of parameters has neither parts nor p-value."""

    word: str
    parts: list[Part] = []
    p_value: float | None = None  # after Holm's correction


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


def read_claims() -> Claims:
    """The claims of the file beside this module."""
    path = Path(__file__).with_name("claims.yaml")
    return read(Claims, msgspec.yaml.decode(path.read_bytes()), "claims.yaml")


def measured(claims: Claims, project: Path, dataset: str) -> Measured:
    """Measure all claims of whose rows the project has evaluations, under each protocol."""
    folder = project / "build" / dataset / "current" / "evaluations"
    read: dict[str, Evaluation] = {}
    protocols: dict[str, dict[str, list[Part]]] = {protocol: {} for protocol in PROTOCOLS}
    for protocol, ending in PROTOCOLS.items():
        for name, claim in claims.all.items():
            if test := claim.test:
                rows = [_ranks(folder / test.set, f"{row}{ending}", read) for row in test.rows]
                if all(rows):
                    protocols[protocol][name] = test.parts(rows)
    if not read:
        raise InputError(f"{folder}: has no evaluation of a claim's row. Make the tables first.")
    table5 = project / "results" / dataset / "table5.json"
    sizes = read_result(table5, ParametersTable, "Table 5").rows if table5.is_file() else []
    return Measured(
        commit="".join(commit(project)) or "not known",
        machine=this_machine(),
        fingerprints={evaluation.set: evaluation.fingerprint for evaluation in read.values()},
        rows={
            name: row_key(evaluation.settings, evaluation.fingerprint)
            for name, evaluation in read.items()
        },
        protocols=protocols,
        parameters={row.method: row.parameters for row in sizes},
    )


def _ranks(folder: Path, row: str, read: dict[str, Evaluation]) -> Ranks:
    """The ranks of a row by seed on a set of mentions; what was ``read`` is added to."""
    found = {}
    for path in [folder / f"{row}.json", *sorted(folder.glob(f"{row}_seed*.json"))]:
        if path.is_file():
            read[f"{folder.name}/{path.stem}"] = read_evaluation(path)
            seed = path.stem.removeprefix(f"{row}_seed").removeprefix(row)
            found[seed or "own"] = read_ranks(path.with_suffix(".parquet"))
    return found


def judge(
    claims: Mapping[str, Claim],
    parts: Mapping[str, Sequence[Part]],
    parameters: Mapping[str, int] | None = None,
) -> dict[str, Verdict]:
    """The verdict on each claim, with Holm's correction over those that were run.

    ``parameters`` are those of Table 5's models.
    """
    sided = {name: tests.joined(of_claim) for name, of_claim in parts.items()}
    corrected = tests.holm({name: min(1.0, 2 * min(both)) for name, both in sided.items()})
    verdicts = {}
    for name, claim in claims.items():
        if claim.parameters:
            verdicts[name] = Verdict(_counted(claim, (parameters or {}).get(claim.parameters)))
        elif name not in parts:
            verdicts[name] = Verdict(NOT_RUN)
        else:
            against, word = sided[name][0] > sided[name][1], OPEN
            if corrected[name] <= ALPHA:
                word = CONTRADICTED if against else HOLDS
            verdicts[name] = Verdict(word, list(parts[name]), corrected[name])
    return verdicts


def _counted(claim: Claim, found: int | None) -> str:
    if found is None:
        return NOT_RUN
    ((millions,),) = claim.printed.values()
    return HOLDS if abs(found / 1e6 - millions) <= WITHIN * millions else CONTRADICTED
