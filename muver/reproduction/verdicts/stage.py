"""The verdicts stage: measures the claims on a dataset's runs, and writes the pages that show them.

The README has a matrix of claims and data; the page of verdicts has each test.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.io.text import bounds, probability
from muver.io.typed import read_record
from muver.reproduction.tables.records import ALL_PAGES
from muver.reproduction.tables.render import TEMPLATES
from muver.reproduction.tracking.provenance import refuse_changes
from muver.reproduction.verdicts.claims import (
    CONTRADICTED,
    HOLDS,
    NOT_RUN,
    OPEN,
    AllMeasured,
    Claim,
    Claims,
    Measured,
    Verdict,
    judge,
    measured,
    read_claims,
)

BEGIN, END = "<!-- verdicts -->", "<!-- end of verdicts -->"  # in README
# Runs for claims on worlds, and on sets; of several that with most seeds of a claim's rows counts,
# of equal ones the first
COLUMNS: dict[str, tuple[list[str], list[str]]] = {
    "default": (["miniwikia"], ["miniwikipedia"]),
    "public real text": (["realworlds_searched", "realworlds_again", "realworlds"], []),
    "ZESHEL, Wikipedia": (["zeshel"], ["wikipedia"]),
}
TALLY = {  # a word in a sentence, of one and of several
    HOLDS: ("holds", "hold"),
    CONTRADICTED: ("is contradicted", "are contradicted"),
    OPEN: ("can't be told", "can't be told"),
    NOT_RUN: ("was not run", "were not run"),
}
HEAD, NOTE = TEMPLATES / "verdicts.md", TEMPLATES / "matrix.md"
Judged = Mapping[str, Mapping[str, Mapping[str, Verdict]]]  # by dataset, protocol and claim


def write_verdicts(
    dataset: str | None = None,
    project: Path = Path("."),
    out: Path = Path("docs/verdicts.md"),
    readme: Path = Path("README.md"),
    uncommitted: bool = False,
) -> None:
    """Test the claims of the paper, and write docs/verdicts.md and the matrix in README.

    Both are made from the record of what was measured.

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
        if not uncommitted:
            refuse_changes(project)
        known = AllMeasured({**known.datasets, dataset: measured(claims, project, dataset)})
        write_json(path, known)
    judged = {
        name: {protocol: judge(claims.all, parts, record.parameters)
               for protocol, parts in record.protocols.items()}
        for name, record in known.datasets.items()
    }  # fmt: skip
    write_text(out, _details(claims, known.datasets, judged))
    before, begin, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise InputError(f"{readme}: has no place for the matrix, from {BEGIN} to {END}.")
    write_text(readme, f"{before}{begin}\n{_matrix(claims, judged)}\n{end}{after}")


def _matrix(claims: Claims, judged: Judged) -> str:
    """The claims on worlds as Markdown: under the paper's protocol, a column for each kind of data
    that was run. Those of Table 2 and on numbers of parameters are counted alone.
    """
    columns = {
        title: runs
        for title, runs in COLUMNS.items()
        if any(ALL_PAGES in _run(judged.get(name, {})) for name in chain(*runs))
    }
    lines = [_line(["Claim", "Paper", *columns]), _line(["---"] * (2 + len(columns)))]
    words: dict[str, list[tuple[str, bool]]] = {title: [] for title in columns}
    for number, group in enumerate((claims.worlds, claims.sets)):
        for name, claim in group.items():
            verdicts = [_verdict(judged, both[number], name) for both in columns.values()]
            for title, (word, *_) in zip(columns, verdicts, strict=True):
                words[title].append((word, claim.test is None))
            if claim.test and group is claims.worlds:
                lines.append(_line([claim.says, _range(claim), *map(" ".join, verdicts)]))
    said = [f"**{title}**: {_counted(found)}." for title, found in words.items()]
    note = NOTE.read_text(encoding="utf-8").rstrip()
    return "\n".join([" ".join(said), "", *lines, "", note])


def _run(protocols: Mapping[str, Mapping[str, Verdict]]) -> list[str]:
    """The protocols under which a claim on mentions was tested."""
    return [name for name, verdicts in protocols.items() if any(v.parts for v in verdicts.values())]


def _details(claims: Claims, measured: Mapping[str, Measured], judged: Judged) -> str:
    """A table of tests for each dataset, its protocols side by side, as Markdown."""
    sections = [HEAD.read_text(encoding="utf-8").rstrip()]
    linked = {name for _, over_kb in COLUMNS.values() for name in over_kb}
    for dataset, protocols in judged.items():
        record = measured[dataset]
        prints = ", ".join(f"`{mark}` ({name})" for name, mark in record.fingerprints.items())
        sections += [f"## {dataset}", f"Data {prints}; commit {record.commit}; {record.machine}."]
        tested = _run(protocols)
        header = ["Claim", "Paper", "Test"]
        header += [f"{of}, {name}" for name in tested for of in TESTED]
        lines = [_line(header), _line(["---"] * len(header))]
        for name, claim in (claims.sets if dataset in linked else claims.worlds).items():
            verdicts = [protocols[protocol][name] for protocol in tested]
            if any(verdict.word != NOT_RUN for verdict in verdicts):
                lines += map(_line, _tests(claim, verdicts))
        sections.append("\n".join(lines))
    return "\n\n".join(sections) + "\n"


TESTED = ["Difference (95%), mentions × seeds", "Verdict (p)"]  # under each protocol


def _tests(claim: Claim, verdicts: Sequence[Verdict]) -> Iterator[list[str]]:
    """A line for each part of a claim's test; the first has what is said of the whole."""
    head = [claim.says, f"{claim.where.split(', ')[-1]}: {printed(claim)}"]
    for number in range(max([1, *(len(verdict.parts) for verdict in verdicts)])):
        cells, label = [], ""
        for verdict in verdicts:
            p_value, found = verdict.p_value, ""
            sure = "" if p_value is None else f" ({probability(p_value).removeprefix('p = ')})"
            if part := next(iter(verdict.parts[number:]), None):
                label = part.label
                found = f"{part.difference:+.2f} ({bounds(part.interval, sign=True)})"
                found += f", {part.mentions} × {part.seeds}"
            cells += [found, f"{verdict.word}{sure}" if number == 0 else ""]
        yield [*(head if number == 0 else ["", ""]), label, *cells]


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


def _counted(found: Sequence[tuple[str, bool]]) -> str:
    """How often each word was said, and how often of a number of parameters, which has no line.

    >>> _counted([("contradicted", False), ("holds", True), ("holds", False)])
    '2 hold (1 on numbers of parameters), 1 is contradicted'
    """
    counts = []
    for word, (of_one, of_several) in TALLY.items():
        if among := [on_parameters for other, on_parameters in found if other == word]:
            note = f" ({sum(among)} on numbers of parameters)" if any(among) else ""
            counts.append(f"{len(among)} {of_one if len(among) == 1 else of_several}{note}")
    return ", ".join(counts)


def _range(claim: Claim) -> str:
    """The paper's numbers; of more than one the least and the greatest difference."""
    if len(claim.printed) == 1:
        return printed(claim)
    found = [first - second for first, second in claim.printed.values()]
    return f"{min(found):+.2f} to {max(found):+.2f}"


def _verdict(judged: Judged, runs: Sequence[str], name: str) -> tuple[str, ...]:
    """A word, and in brackets the least difference if there is one."""
    if not runs:
        return ("no such data",)
    verdicts = [judged.get(run, {}).get(ALL_PAGES, {}).get(name) for run in runs]
    said = [verdict for verdict in verdicts if verdict and verdict.word != NOT_RUN]
    if not said:
        return (NOT_RUN,)
    verdict = max(said, key=lambda verdict: min((part.seeds for part in verdict.parts), default=0))
    least = min(verdict.parts, key=lambda part: part.difference, default=None)
    return (verdict.word,) if least is None else (verdict.word, f"({least.difference:+.2f})")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
