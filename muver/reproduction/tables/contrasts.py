"""Contrasts: which of two rows finds more, and by how much.

Both rows rank the same mentions, so their difference is known far better than either number, and a
verdict on it can fail where one on a number cannot.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import asdict

from muver.reproduction.tables.evaluations import Evaluations
from muver.reproduction.tables.page import Section, by_cutoff, difference
from muver.reproduction.tables.paper import CLAIMS, claim, paper
from muver.reproduction.tables.records import Contrast, RecallTable
from muver.retriever.evaluation import significance
from muver.retriever.evaluation.records import Percent

SEEDS = (
    "They know nothing of seeds.",
    "A document is drawn and swapped with its outcomes of all seeds. What other seeds would give "
    "is no part of the interval.",
)


def build(
    pairs: Sequence[Sequence[str]],
    methods: Mapping[str, str],
    evaluations: Evaluations,
    published: Callable[[str], Percent],
    column: str = "",
    world: str | None = None,
    seeds: Mapping[str, Sequence[str]] | None = None,
) -> list[Contrast]:
    """The first row minus the second, for each pair of systems that both have rows (``methods``).

    ``column`` tells this set or domain from others; with ``world`` only its mentions count. With
    ``seeds``, the systems of each row's seeds count together.
    """
    built = []
    for pair in pairs:
        if not (seeds or methods).keys() >= {*pair}:
            continue
        own = [(seeds or {}).get(system, [system]) for system in pair]
        found = evaluations.paired(*own, world)
        first, second = map(published, pair)
        theirs = {k: first[k] - second[k] for k in found.difference if k in first and k in second}
        verdicts = {
            k: claim(found.difference[k], found.interval[k], value) for k, value in theirs.items()
        }
        method = " minus ".join(methods[system] for system in pair)
        built.append(
            Contrast(
                **asdict(found),
                method=method,
                systems=list(pair),
                column=column,
                paper=theirs,
                verdict=verdicts,
            )
        )
    return built


def section(
    table: RecallTable, cutoffs: Sequence[int], heads: str = "", over_seeds: bool = False
) -> list[Section]:
    """The section of a table's contrasts, if it has any; ``heads`` heads what tells them apart."""
    contrasts = table.over_seeds if over_seeds else table.contrasts
    if not contrasts:
        return []
    note = (
        "One row minus another in points over the same mentions, its 95% interval and a p-value: "
        f"{significance.method(table.resample)}. {SEEDS[over_seeds]}"
    )
    if counts := Counter(verdict for one in contrasts for verdict in one.verdict.values()):
        tally = ", ".join(f"{counts[word]} {word}" for word in CLAIMS)
        note += (
            f" Beside it the difference in {paper()['source']}, and whether what it claims holds: "
            "it does if our interval lies on its side of zero; it does not if the interval lies on "
            "the other side, or if it does not lie on its side and the paper's difference is "
            f"further off than two such differences are. In all: {tally}."
        )

    def cell(one: Contrast, k: int) -> str:
        text = difference(one, k)
        if k not in one.verdict:
            return text
        return f"{text}; paper {one.paper[k]:+z.2f}: {one.verdict[k]}"

    lines = [
        ({"method": one.method, **({heads: one.column} if heads else {})}, one) for one in contrasts
    ]
    heading = "Contrasts over seeds" if over_seeds else "Contrasts"
    return [by_cutoff(cutoffs, heading, note, lines, cell)]
