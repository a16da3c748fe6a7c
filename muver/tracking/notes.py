"""A run's description in Markdown: the row beside published numbers, and how to make it again."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from muver.tables.numbers import bounds, percent

# MLflow keeps 8000 characters of a note. Worlds that do not fit stand in evaluation/worlds.csv.
ROOM = 7000
PUBLISHED = (("paper", "", "the paper's"), ("readme", "readme_", "the released README's"))


def row_note(
    evaluation: Mapping[str, Any],
    row: Mapping[str, Any],
    key: str,
    table: str,
    path: str,
    options: str,
) -> str:
    """The description of a row's run.

    Parameters
    ----------
    row
        The table's: ``method``, and what is published where it stands beside.
    key
        The row's key.
    table, path
        The table's CSV and the row's evaluation, as the workflow names them.
    options
        What follows a call of snakemake: ``--config preset=zeshel``, or nothing.
    """
    head = f"**{row['method']}** on {evaluation['dataset']}: row `{key}` of `{table}`."
    tables = recalls(evaluation, row)
    again = how_to(table, path, options)
    worlds = _worlds(evaluation)
    if len(head) + len(tables) + len(worlds) + len(again) > ROOM:
        worlds = f"By world ({len(evaluation['worlds'])}): `evaluation/worlds.csv` among the files."
    return "\n\n".join([head, tables, worlds, again])


def how_to(table: str, path: str | None, options: str) -> str:
    """How to make a run's row again, as Markdown."""
    end = f" {options}" if options else ""
    alone = f"snakemake --cores all {path}{end}  # this row alone\n" if path else ""
    return (
        f"**To make it again**, with the parameters of this run in params.yaml:\n\n"
        f"```\n{alone}snakemake --cores all {table}{end}\n```\n\n"
        "The same settings, seed and data give the same key."
    )


def grid(lines: Iterable[Sequence[str]], header: Sequence[str]) -> str:
    """A Markdown table whose first column is text and whose others are numbers."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, rule, *lines])


def recalls(evaluation: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Ours with its interval, and what is published with difference and verdict, as Markdown.

    ``row`` is the table's, or of a row's sets the one that was evaluated.
    """
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    own = [percent(evaluation["hits"][k], evaluation["mentions"]) for k in cutoffs]
    interval = evaluation["interval"]["micro"]
    lines = [
        [f"**ours**, {evaluation['mentions']} mentions", *(f"**{number}**" for number in own)],
        ["95% interval", *(bounds(interval[k]) for k in cutoffs)],
    ]
    for name, prefix, spoken in PUBLISHED:
        published = row.get(name) or {}
        if any(published.get(k) is not None for k in cutoffs):
            difference, verdict = (
                row.get(f"{prefix}{of}") or {} for of in ("difference", "verdict")
            )
            lines += [
                [spoken, *(_number(published.get(k), "{:.2f}") for k in cutoffs)],
                ["difference, points", *(_number(difference.get(k), "{:+.2f}") for k in cutoffs)],
                ["verdict", *(verdict.get(k) or "" for k in cutoffs)],
            ]
    return grid(lines, ["recall in percent", *(f"R@{k}" for k in cutoffs)])


def _worlds(evaluation: Mapping[str, Any]) -> str:
    cutoffs = [str(k) for k in evaluation["cutoffs"]]
    lines = []
    for name, part in evaluation["worlds"].items():
        shares = [percent(part["hits"][k], part["mentions"]) for k in cutoffs]
        lines.append([name, str(part["mentions"]), *shares])
    lines.append(["mean of worlds", "", *(f"{evaluation['macro'][k]:.2f}" for k in cutoffs)])
    return grid(lines, ["by world", "mentions", *(f"R@{k}" for k in cutoffs)])


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
