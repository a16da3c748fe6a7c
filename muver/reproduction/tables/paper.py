"""The published numbers, the paper's and the released README's, and verdicts on ours."""

from collections.abc import Sequence
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import NormalDist, stdev
from typing import Any

import msgspec

from muver.reproduction.tables.records import Size, TableSet
from muver.retriever.evaluation.records import Evaluation, Percent

VERDICTS = ("reproduced", "near", "not reproduced", "cannot tell")
CLAIMS = ("holds", "does not hold", "cannot tell")
CONFIDENCE = 0.95


# What people read above and below tables.
NOTES: dict[str, str] = msgspec.yaml.decode(Path(__file__).with_name("notes.yaml").read_bytes())


@cache
def paper() -> dict[str, Any]:
    """Content of paper.yaml."""
    return msgspec.yaml.decode(Path(__file__).with_name("paper.yaml").read_bytes())


def published(
    name: str, system: str, cutoffs: Sequence[int], domain: str = "", source: str = "paper"
) -> Percent:
    """The published recall of a row in percent, at the cutoffs for which there is a number.

    A ``domain`` is a world of Table 6, or the paper's name of a set of Table 2; the ``source`` is
    ``paper`` or ``readme``, the released README. Of Table 3 rows without merging have numbers here.
    """
    row = paper().get(name, {}).get("rows", {}).get(system, {})
    values = row.get("values" if source == "paper" else source) or {}
    if domain:
        values = values.get(domain)
    if not values:
        return {}
    columns = paper()[name].get("columns", paper()["columns"])
    by_cutoff = dict(zip(columns, values, strict=True))
    return {k: by_cutoff[k] for k in cutoffs if by_cutoff.get(k) is not None}


def published_views(
    system: str, pairs: str, views: float | None, cutoffs: Sequence[int]
) -> Percent:
    """Table 3's recall of a row with merged views, of ``distant`` or ``close`` pairs.

    It is matched by its number of views per entity within one per cent. Layers are not comparable,
    as the paper prints more states of the search than it has layers.
    """
    table = paper()["table3"]
    lines = table["merged"].get(system, []) if views and cutoffs == table["columns"] else []
    near = {abs(views - line["views"]) / line["views"]: line[pairs] for line in lines}
    return {cutoffs[0]: near[min(near)]} if near and min(near) <= 0.01 else {}


def column(evaluation: Evaluation) -> str:
    """The name of a set over a knowledge base in tables; "" for a split of worlds."""
    if evaluation.kb is None:
        return ""
    return paper()["table2"]["sets"].get(evaluation.set, {}).get("column", evaluation.set)


def published_size(evaluation: Evaluation) -> Size | None:
    """The published sizes of a set of Table 2 (of the paper's Table 4); None for other sets."""
    declared = paper()["table2"]["sets"].get(evaluation.set)
    if evaluation.kb is None or declared is None:
        return None
    wanted = (declared["dataset"], "test")
    row = next(r for r in paper()["table4"]["rows"] if (r["dataset"], r["split"]) == wanted)
    return Size(mentions=row["mentions"], entities=row["entities"], support=declared["support"])


def is_papers(evaluation: Evaluation) -> bool:
    """Whether the data are the paper's own, so that its numbers are comparable with ours.

    Counts decide (``identified_as``), not the data's name. Over a knowledge base, as many mentions
    as in BLINK's catalogue must have their gold inside, up to paper.yaml's ``tolerance.support``.
    """
    if evaluation.kb is None:
        return (evaluation.identified_as, evaluation.set) == (paper()["dataset"], paper()["split"])
    theirs = published_size(evaluation)
    if theirs is None or evaluation.identified_as != paper()["table2"]["dataset"]:
        return False
    return (
        abs(evaluation.mentions - theirs.support)
        <= theirs.support * paper()["tolerance"]["support"]
    )


def comparability(
    name: str, dataset: str, identified_as: str | None, split: str | None = None
) -> str | None:
    """Why a table's published numbers are not comparable; None if they are or there are none.

    Without a ``split``, the table is of all splits.
    """
    of_paper = identified_as == paper()["dataset"]
    if (of_paper and split in (None, paper()["split"])) or not paper().get(name, {}).get("rows"):
        return None
    ours = f"{dataset} ({split})" if of_paper else dataset
    if not of_paper and dataset == paper()["dataset"]:
        ours += ", whose counts are not the published ones"
    theirs = f"{paper()['dataset']} ({paper()['split']})"
    return NOTES["other_data"].format(theirs=theirs, ours=ours)


def comparability_of_sets(name: str, first: Evaluation, sets: Sequence[TableSet]) -> str | None:
    """As :func:`comparability`, for a table of one or more sets; ``first`` is of one of them."""
    if first.kb is None:
        return comparability(name, first.dataset, first.identified_as, first.set)
    other = [of_set for of_set in sets if of_set.published and not of_set.of_paper]
    if not other or not paper().get(name, {}).get("rows"):
        return None
    if first.kb.entities != (wanted := other[0].published.entities):
        return NOTES["other_base"].format(theirs=wanted, ours=first.kb.entities)
    counted = ", ".join(
        f"{of_set.column} ({of_set.mentions}, BLINK's numbers are over {of_set.published.support})"
        for of_set in other
    )
    tolerance = paper()["tolerance"]["support"]
    return NOTES["other_mentions"].format(sets=counted, tolerance=tolerance)


def judge(ours: float, theirs: float, mentions: int, seeds: Sequence[float] = ()) -> dict[str, Any]:
    """A published recall in percent, ours minus it in points, the half-width, and the verdict."""
    width, apart = half_width(ours, theirs, mentions, seeds), ours - theirs
    word = verdict(apart, width)
    return {"recall": theirs, "difference": apart, "half_width": width, "verdict": word}


def half_width(ours: float, theirs: float, mentions: int, seeds: Sequence[float] = ()) -> float:
    """Half of the 95% interval of the difference between two equal systems, in points.

    With several seeds, the two numbers differ only by training: ``t sqrt(2) s``, where s is the
    seeds' standard deviation and t Student's quantile with one degree of freedom
    less than seeds.

    With one seed, the effect of training is unknown, and each number counts as a share of
    ``mentions`` independent draws: ``1.96 sqrt(se_ours**2 + se_theirs**2)``. This is too wide, as
    the mentions are the same, and leaves training out (docs/fidelity.md, "What a verdict means").

    ``seeds`` are the row's recall with each seed, including its own; empty with a single one.
    """
    if len(seeds) > 1:
        from scipy.stats import t

        return float(t.ppf((1 + CONFIDENCE) / 2, len(seeds) - 1)) * sqrt(2) * stdev(seeds)
    variance = sum(share * (100 - share) / mentions for share in (ours, theirs))
    return NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sqrt(variance)


def verdict(difference: float, width: float) -> str:
    """Judge one recall in both directions, as a recall that is too high may hide a leak.

    Outside ``width``, the verdict is "near" up to paper.yaml's ``tolerance.near`` points, else "not
    reproduced". Inside, it is "reproduced" if ``width`` is at most these points; a wider interval
    would hold nearly any number, so the verdict is "cannot tell".
    """
    tolerance = paper()["tolerance"]["near"]
    if abs(difference) > width:
        return "near" if abs(difference) <= tolerance else "not reproduced"
    return "reproduced" if width <= tolerance else "cannot tell"


def claim(difference: float, interval: Sequence[float], theirs: float) -> str:
    """Judge whether the difference between two of our rows supports the published one.

    "holds": the interval lies on the published side of zero. "does not hold": it lies on the other
    side, or it includes zero and the published difference is more than ``sqrt(2)`` half-widths
    away, the distance of two such differences. Else "cannot tell". A published difference of zero
    claims equal rows, which no interval can show: "cannot tell", or "does not hold" if ours is
    that far away.
    """
    low, high = interval
    if theirs < 0:
        difference, low, high, theirs = -difference, -high, -low, -theirs
    if low > 0 and theirs > 0:
        return "holds"
    apart = abs(theirs - difference) > sqrt(2) * (high - low) / 2
    return "does not hold" if high < 0 or apart else "cannot tell"
