"""Descriptions of runs in Markdown: the row beside published numbers, and how to make it again."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.tables.numbers import bounds, percent
from muver.tracking.files import Scored

Evaluation = Mapping[str, Any]
# MLflow keeps 8000 characters of a note. Worlds that do not fit stand in evaluation/worlds.csv.
ROOM = 7000
PUBLISHED = (("paper", "", "the paper's"), ("readme", "readme_", "the released README's"))


def row_note(
    table: Mapping[str, Any],
    method: str,
    key: str,
    scored: Mapping[str, Scored],
    parts: Mapping[str, Any],
    source: str,
    options: str,
) -> str:
    """The description of a row's run.

    Parameters
    ----------
    key
        The row's.
    scored, parts
        By set, the row's evaluations, and what the table has of it.
    source, options
        The table's CSV, and what follows a call of snakemake that makes it.
    """
    kb = f", {table['kb']['entities']} entities" if table["kb"] else ""
    said = [f"**{method}** on {table['dataset']}{kb}: row `{key}` of `{source}`."]
    for one in table["sets"]:
        if kb:
            said.append(
                f"**{one['column']}**, In-KB; {one['outside']} more mentions have their entity "
                "outside the knowledge base."
            )
        said.append(_recalls(scored[one["set"]].evaluation, parts.get(one["set"], {})))
    again = how_to(source, " ".join(one.path.as_posix() for one in scored.values()), options)
    if not kb:
        evaluation = next(iter(scored.values())).evaluation
        worlds = _worlds(evaluation)
        if sum(map(len, [*said, worlds, again])) > ROOM:
            number = len(evaluation["worlds"])
            worlds = f"By world ({number}): `evaluation/worlds.csv` among the files."
        said.append(worlds)
    return "\n\n".join([*said, again])


def how_to(table: str, paths: str = "", options: str = "") -> str:
    """How to make a run's row again: the whole table, or the files at ``paths`` alone."""
    end = f" {options}" if options else ""
    alone = f"snakemake --cores all {paths}{end}  # this row alone\n" if paths else ""
    return (
        "**To make it again**, with the parameters of this run in params.yaml:\n\n"
        f"```\n{alone}snakemake --cores all {table}{end}\n```\n\n"
        "The same settings, seed and data give the same key."
    )


def grid(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first column is text and whose others are numbers."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, rule, *lines])


def recalls_by_cutoff(
    first: Sequence[str], cutoffs: Sequence[int], lines: Mapping[str, Mapping[str, float]]
) -> str:
    """A Markdown table of recalls by what stands before them; ``first`` heads the columns."""
    shown = [[name, *(f"{of[str(k)]:.2f}" for k in cutoffs)] for name, of in lines.items()]
    return grid([*first, *(f"R@{k}" for k in cutoffs)], shown)


def _recalls(evaluation: Evaluation, part: Mapping[str, Any]) -> str:
    """Ours with its interval, and what is published with difference and verdict."""
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    interval = evaluation["interval"]["micro"]
    lines = [
        [
            f"**ours**, {evaluation['mentions']} mentions",
            *(f"**{n}**" for n in _shares(evaluation)),
        ],
        ["95% interval", *(bounds(interval[k]) for k in cutoffs)],
    ]
    for name, prefix, spoken in PUBLISHED:
        keys = (name, f"{prefix}difference", f"{prefix}verdict")
        published, difference, verdict = (part.get(key) or {} for key in keys)
        if any(published.get(k) is not None for k in cutoffs):
            lines += [
                [spoken, *(_number(published.get(k), "{:.2f}") for k in cutoffs)],
                ["difference, points", *(_number(difference.get(k), "{:+.2f}") for k in cutoffs)],
                ["verdict", *(verdict.get(k) or "" for k in cutoffs)],
            ]
    return grid(["recall in percent", *(f"R@{k}" for k in cutoffs)], lines)


def _worlds(evaluation: Evaluation) -> str:
    worlds = evaluation["worlds"].items()
    lines = [[name, str(part["mentions"]), *_shares(part)] for name, part in worlds]
    lines.append(
        ["mean of worlds", "", *(f"{value:.2f}" for value in evaluation["macro"].values())]
    )
    return grid(["by world", "mentions", *(f"R@{k}" for k in evaluation["cutoffs"])], lines)


def _shares(part: Mapping[str, Any]) -> list[str]:
    """Recall in percent at each cutoff, from counts of hits."""
    return [percent(hits, part["mentions"]) for hits in part["hits"].values()]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
