"""Descriptions of runs in Markdown: the row beside published numbers, and how to make it again."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from muver.tables.numbers import bounds, percent
from muver.tracking.files import Scored

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
        The row's key.
    scored, parts
        By set, the row's evaluations, and what the table has of it.
    source
        The table's CSV, as the workflow names it.
    options
        What follows a call of snakemake: ``--config preset=zeshel``, or nothing.
    """
    kb = f", {table['kb']['entities']} entities" if table["kb"] else ""
    said = [f"**{method}** on {table['dataset']}{kb}: row `{key}` of `{source}`."]
    for one in table["sets"]:
        if kb:
            said.append(
                f"**{one['column']}**, In-KB; {one['outside']} more mentions have their entity "
                "outside the knowledge base."
            )
        said.append(recalls(scored[one["set"]].evaluation, parts.get(one["set"], {})))
    again = how_to(source, " ".join(one.path.as_posix() for one in scored.values()), options)
    if not kb:
        evaluation = scored[table["sets"][0]["set"]].evaluation
        worlds = _worlds(evaluation)
        if sum(map(len, [*said, worlds, again])) > ROOM:
            number = len(evaluation["worlds"])
            worlds = f"By world ({number}): `evaluation/worlds.csv` among the files."
        said.append(worlds)
    return "\n\n".join([*said, again])


def how_to(table: str, paths: str = "", options: str = "") -> str:
    """How to make a run's row again, as Markdown: the table, or the files at ``paths`` alone."""
    end = f" {options}" if options else ""
    alone = f"snakemake --cores all {paths}{end}  # this row alone\n" if paths else ""
    return (
        "**To make it again**, with the parameters of this run in params.yaml:\n\n"
        f"```\n{alone}snakemake --cores all {table}{end}\n```\n\n"
        "The same settings, seed and data give the same key."
    )


def grid(lines: Iterable[Sequence[str]], header: Sequence[str]) -> str:
    """A Markdown table whose first column is text and whose others are numbers."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, rule, *lines])


def by_cutoff(first: str, cutoffs: Iterable[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table with a column a cutoff."""
    return grid(lines, [*first.split("|"), *(f"R@{k}" for k in cutoffs)])


def recalls(evaluation: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    """Ours with its interval, and what is published with difference and verdict."""
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    own = [percent(evaluation["hits"][k], evaluation["mentions"]) for k in cutoffs]
    interval = evaluation["interval"]["micro"]
    lines = [
        [f"**ours**, {evaluation['mentions']} mentions", *(f"**{number}**" for number in own)],
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
    return by_cutoff("recall in percent", cutoffs, lines)


def _worlds(evaluation: Mapping[str, Any]) -> str:
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    lines = []
    for name, part in evaluation["worlds"].items():
        shares = [percent(part["hits"][k], part["mentions"]) for k in cutoffs]
        lines.append([name, str(part["mentions"]), *shares])
    lines.append(["mean of worlds", "", *(f"{evaluation['macro'][k]:.2f}" for k in cutoffs)])
    return by_cutoff("by world|mentions", cutoffs, lines)


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
