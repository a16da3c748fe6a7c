"""The verdicts for people: a matrix of claims and data, and each test."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from muver.reproduction.tables.numbers import probability
from muver.reproduction.verdicts.claims import NOT_RUN, Claim, Claims, Verdict
from muver.reproduction.verdicts.tests import Part

MAIN = "all pages"  # the paper's protocol, of which the matrix is
# Of a claim on worlds, and of one on sets; without a dataset there are no such claims
COLUMNS = {
    "default": ("miniwikia", "miniwikipedia"),
    "public real text": ("realworlds", None),
    "ZESHEL, Wikipedia": ("zeshel", "wikipedia"),
}
NOTE = (
    "The default's data were made anew after MuVER had lost by 11.25 points on the first ones, and "
    "its towers read 32 tokens of a context: it is no evidence for the paper. "
    "[The protocol](docs/protocol.md) came before the runs, [each test](docs/verdicts.md) has its "
    "p-value."
)
HEAD = """\
# Which claims of the paper hold

Written by `make verdicts` from [results/verdicts.json](results/verdicts.json). [The
protocol](protocol.md) says how each claim is tested and what the words mean. A difference is the
first row's recall minus the second's in points (of a trend, points a step), with the interval of a
bootstrap over documents and seeds; p is corrected by Holm's method over the claims of its table."""
Judged = Mapping[str, Mapping[str, Mapping[str, Verdict]]]  # by dataset, protocol and claim


class Made(Protocol):
    """What a dataset's claims were measured on."""

    commit: str
    machine: str
    fingerprints: dict[str, str]
    rows: dict[str, str]


def matrix(claims: Claims, judged: Judged) -> str:
    """The claims with a column for the print and each kind of data that was run, as Markdown."""
    run = {title: own for title, own in COLUMNS.items() if any(name in judged for name in own)}
    lines = [_line(["Claim", "Print", *run]), _line(["---"] * (2 + len(run)))]
    for number, group in enumerate((claims.worlds, claims.sets)):
        for name, claim in group.items():
            cells = [_cell(judged, datasets[number], name) for datasets in run.values()]
            lines.append(_line([claim.says, printed(claim), *cells]))
    missing = (name for own in COLUMNS.values() for name in own if name and name not in judged)
    commands = ", ".join(f"`snakemake --cores all --config preset={name}`" for name in missing)
    return "\n".join([*lines, "", f"{NOTE} Not tested here yet: {commands}."])


def details(claims: Claims, made: Mapping[str, Made], judged: Judged) -> str:
    """A table of tests for each dataset and protocol, as Markdown."""
    sections = [HEAD]
    for dataset, protocols in judged.items():
        one = made[dataset]
        prints = ", ".join(f"`{mark}` ({name})" for name, mark in one.fingerprints.items())
        sections += [f"## {dataset}", f"Data {prints}; commit {one.commit}; {one.machine}."]
        for protocol, verdicts in protocols.items():
            lines = [_line(HEADER), _line(["---"] * len(HEADER))]
            own = {name: claims.all[name] for name in verdicts if verdicts[name].word != NOT_RUN}
            for name, claim in own.items():
                lines += map(_line, _tests(claim, verdicts[name]))
            if own:
                sections += [f"### {dataset}, {protocol}", "\n".join(lines)]
    return "\n\n".join(sections) + "\n"


HEADER = [
    "Claim",
    "Where",
    "Print",
    "Test",
    "Difference (95%)",
    "Mentions",
    "Seeds",
    "p",
    "Verdict",
]


def _tests(claim: Claim, verdict: Verdict) -> Iterator[list[str]]:
    """A line for each part of a claim's test; the first has what is said of the whole."""
    p_value = "" if verdict.p_value is None else probability(verdict.p_value)
    head = [claim.says, claim.where, printed(claim)]
    for number, part in enumerate(verdict.parts or [None]):
        cells = ["", "", "", ""] if part is None else [
            part.label, _difference(part), str(part.mentions), str(part.seeds)
        ]  # fmt: skip
        whole = [p_value, verdict.word] if number == 0 else ["", ""]
        yield [*(head if number == 0 else ["", "", ""]), *cells, *whole]


def printed(claim: Claim) -> str:
    """The paper's numbers; of two their difference.

    >>> from muver.reproduction.verdicts.claims import read_claims
    >>> claims = read_claims().worlds
    >>> printed(claims["muver_over_som"]), printed(claims["parameters_base"])
    ('R@64 +3.22', 'millions 220')
    """
    found = []
    for label, values in claim.printed.items():
        said = f"{values[0]:g}" if len(values) == 1 else f"{values[0] - values[1]:+.2f}"
        found.append(f"{label} {said}")
    return ", ".join(found)


def _cell(judged: Judged, dataset: str | None, name: str) -> str:
    if dataset is None:
        return "no such data"
    verdict = judged.get(dataset, {}).get(MAIN, {}).get(name)
    if verdict is None or verdict.word == NOT_RUN:
        return "not run here"
    least = min(verdict.parts, key=lambda part: part.difference, default=None)
    return verdict.word if least is None else f"{verdict.word} ({least.difference:+.2f})"


def _difference(part: Part) -> str:
    low, high = part.interval
    return f"{part.difference:+.2f} ({low:+.2f} to {high:+.2f})"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
