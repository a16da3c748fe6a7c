"""The paper's claims and the verdicts on them, from the ranks of gold entities."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from muver.io.typed import Count, Record, Settings, Some, read
from muver.reproduction.verdicts import tests
from muver.reproduction.verdicts.tests import Part, Ranks

WITHIN = 0.02  # of the printed number of parameters
ALPHA = 0.05
HOLDS, CONTRADICTED, OPEN, NOT_RUN = "holds", "contradicted", "can't be told", "not run"


class More(Settings):
    """The first row finds more than the second, at each cut-off and, if so told, in each world."""

    rows: tuple[str, str]
    at: Some[Count]
    second_at: Some[Count] | UnsetType = UNSET
    than: float = 0  # points
    each_world: bool = False
    sentences: tuple[int, int] | UnsetType = UNSET  # of the gold entity's description
    set: str = "test"


class Rising(Settings):
    """Recall rises along the rows."""

    rows: Some[str]
    at: Count
    set: str = "test"


class Widening(Settings):
    """The first row's lead over the second grows with the length of the description."""

    rows: tuple[str, str]
    at: Count
    set: str = "test"


class Claim(Settings):
    """A line of claims.yaml, with one of the tests."""

    says: str
    where: str
    printed: dict[str, list[float]]
    more: More | UnsetType = UNSET
    rising: Rising | UnsetType = UNSET
    widening: Widening | UnsetType = UNSET
    parameters: str | UnsetType = UNSET  # a row of Table 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(test is not UNSET for test in (self.test, self.parameters)) != 1:
            raise ValueError("a claim has one of more, rising, widening and parameters.")

    @property
    def test(self) -> More | Rising | Widening | UnsetType:
        """Its test on mentions; none for a number of parameters."""
        tests_named = (
            test for test in (self.more, self.rising, self.widening) if test is not UNSET
        )
        return next(tests_named, UNSET)


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


Reader = Callable[[str, str], Ranks | None]  # of a set and a row; None if it was not run


def read_claims() -> Claims:
    """The claims of the file beside this module."""
    path = Path(__file__).with_name("claims.yaml")
    return read(Claims, msgspec.yaml.decode(path.read_bytes()), "claims.yaml")


def measure(claims: Mapping[str, Claim], ranks: Reader) -> dict[str, list[Part]]:
    """What the test of each claim gives; a claim one of whose rows was not run has none."""
    found = {}
    for name, claim in claims.items():
        if (test := claim.test) is UNSET:
            continue
        rows = [ranks(test.set, row) for row in test.rows]
        if None not in rows:
            found[name] = _parts(test, rows)
    return found


def _parts(test: More | Rising | Widening, rows: Sequence[Ranks]) -> list[Part]:
    match test:
        case Rising():
            return [tests.rising(rows, test.at)]
        case Widening():
            return [tests.widening(*rows, test.at)]
    second = test.at if test.second_at is UNSET else test.second_at
    lengths = None if test.sentences is UNSET else test.sentences
    return [
        part
        for at in zip(test.at, second, strict=True)
        for part in tests.more(*rows, at, test.than, lengths, test.each_world)
    ]


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
        if claim.parameters is not UNSET:
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
