"""The paper's contrasts: which of two rows finds more, and by how much.

Both rows rank the same mentions, so their difference is known far better than either number, and a
verdict on it can fail where one on a number cannot.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muver.evaluation import significance
from muver.tables.evaluations import Evaluations
from muver.tables.numbers import bounds, probability
from muver.tables.page import Section
from muver.tables.paper import Recall, paper
from muver.tables.sections import by_cutoff
from muver.tables.verdict import CLAIMS, claim

Contrast = dict[str, Any]


def build(
    pairs: Sequence[Sequence[str]],
    methods: Mapping[str, str],
    evaluations: Evaluations,
    published: Callable[[str], Recall | None],
    world: str | None = None,
) -> list[Contrast]:
    """The first row minus the second, for each pair of systems that both have rows.

    Parameters
    ----------
    methods
        The rows' methods, by system.
    published
        A function from a system to its published recall in percent by cutoff, or None.
    world
        Compare only on the mentions of this world.

    Returns
    -------
    For each pair ``method``, ``systems``, the result of
    :func:`muver.evaluation.significance.paired`, and by cutoff the published difference ``paper``
    and ``verdict``, one of ``CLAIMS`` (None if nothing is published).
    """
    built = []
    for pair in pairs:
        if not methods.keys() >= {*pair}:
            continue
        found = evaluations.paired(*pair, world)
        theirs = _difference(*map(published, pair), list(found["difference"]))
        verdicts = {
            k: None if value is None else claim(found["difference"][k], found["interval"][k], value)
            for k, value in theirs.items()
        }
        method = " minus ".join(methods[system] for system in pair)
        systems = {"method": method, "systems": list(pair)}
        built.append({**systems, **found, "paper": theirs, "verdict": verdicts})
    return built


def _difference(first: Recall | None, second: Recall | None, cutoffs: list[str]) -> Recall:
    """The difference of two published rows at the cutoffs that both have."""
    both = [((first or {}).get(k), (second or {}).get(k)) for k in cutoffs]
    return {
        k: None if None in pair else pair[0] - pair[1]
        for k, pair in zip(cutoffs, both, strict=True)
    }


def section(table: Mapping[str, Any], cutoffs: Sequence[int]) -> list[Section]:
    """The section of a table's contrasts, if it has any."""
    contrasts = table["contrasts"]
    if not contrasts:
        return []
    verdicts = [verdict for one in contrasts for verdict in one["verdict"].values() if verdict]
    note = (
        "One row minus another in points over the same mentions, its 95% interval and a p-value: "
        f"{significance.method(table['resample'])}. They know nothing of seeds."
    )
    if verdicts:
        counts = Counter(verdicts)
        tally = ", ".join(f"{counts[word]} {word}" for word in CLAIMS)
        note += (
            f" Beside it the difference in {paper()['source']}, and whether what it claims holds: "
            "it does if our interval lies on its side of zero; it does not if the interval lies on "
            "the other side, or if it does not lie on its side and the paper's difference is "
            f"further off than two such differences are. In all: {tally}."
        )

    def cell(one: Contrast, k: str) -> str:
        text = (
            f"{one['difference'][k]:+z.2f} ({bounds(one['interval'][k], sign=True)}), "
            f"{probability(one['p_value'][k])}"
        )
        if one["verdict"][k] is None:
            return text
        return f"{text}; paper {one['paper'][k]:+z.2f}: {one['verdict'][k]}"

    return [by_cutoff(cutoffs, "The paper's contrasts", note, contrasts, cell)]
