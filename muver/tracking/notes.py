"""Descriptions of runs in Markdown: the row beside published numbers, and how to make it again."""

import re
from collections.abc import Mapping, Sequence

from muver.evaluation.records import Evaluation, Percent, World
from muver.tables.numbers import bounds, percent
from muver.tables.records import Part, RecallTable
from muver.tracking.files import Scored

# MLflow keeps 8000 characters of a note. Worlds that do not fit stand in evaluation/worlds.csv.
ROOM = 7000
PUBLISHED = {"paper": "the paper's", "readme": "the released README's"}


def row_note(
    table: RecallTable,
    method: str,
    key: str,
    scored: Mapping[str, Scored],
    parts: Mapping[str, Part],
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
    kb = f", {table.kb.entities} entities" if table.kb else ""
    said = [f"**{method}** on {table.dataset}{kb}: row `{key}` of `{source}`."]
    for one in table.sets:
        if kb:
            said.append(
                f"**{one.column}**, In-KB; {one.outside} more mentions have their entity "
                "outside the knowledge base."
            )
        said.append(_recalls(scored[one.set].evaluation, parts.get(one.set)))
    again = how_to(source, [one.path.as_posix() for one in scored.values()], options)
    if not kb:
        evaluation = next(iter(scored.values())).evaluation
        worlds = _worlds(evaluation)
        if sum(map(len, [*said, worlds, again])) > ROOM:
            number = len(evaluation.worlds)
            worlds = f"By world ({number}): `evaluation/worlds.csv` among the files."
        said.append(worlds)
    return "\n\n".join([*said, again])


def how_to(table: str, paths: Sequence[str] = (), options: str = "") -> str:
    """How to make a run's row again: the files at ``paths`` alone, or the whole table.

    Lines are short, as a long one would push what stands beside it out of MLflow's page.
    """
    end = [options] if options else []
    commands = [
        f"# {what}\n" + " \\\n    ".join(["snakemake --cores all", *files, *end])
        for what, files in {"this row alone": paths, "the table": [table]}.items()
        if files
    ]
    again = "\n".join(commands)
    return (
        "**To make it again**, with the parameters of this run in params.yaml:\n\n"
        f"```\n{again}\n```\n\n"
        "The same settings, seed and data give the same key."
    )


def spaced(markdown: str) -> str:
    """Markdown whose tables have room between columns, where MLflow's pages leave none."""
    return re.sub(
        r"^\|(?! ---).*",
        lambda line: line[0].replace(" |", "&ensp;|"),
        markdown,
        flags=re.MULTILINE,
    )


def grid(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first column is text and whose others are numbers."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return spaced("\n".join(f"| {' | '.join(line)} |" for line in [header, rule, *lines]))


def recalls_by_cutoff(
    first: Sequence[str], cutoffs: Sequence[int], lines: Mapping[str, Percent]
) -> str:
    """A Markdown table of recalls by what stands before them; ``first`` heads the columns."""
    shown = [[name, *(f"{of[k]:.2f}" for k in cutoffs)] for name, of in lines.items()]
    return grid([*first, *(f"R@{k}" for k in cutoffs)], shown)


def _recalls(evaluation: Evaluation, part: Part | None) -> str:
    """Ours with its interval, and what is published with difference and verdict."""
    cutoffs, interval = evaluation.cutoffs, evaluation.interval.micro
    lines = [
        [f"**ours**, {evaluation.mentions} mentions", *(f"**{n}**" for n in _shares(evaluation))],
        ["95% interval", *(bounds(interval[k]) for k in cutoffs)],
    ]
    for source, judged in part.published.items() if part else ():
        found = [judged.get(k) for k in cutoffs]
        lines += [
            [PUBLISHED[source], *(f"{one.recall:.2f}" if one else "" for one in found)],
            ["difference, points", *(f"{one.difference:+.2f}" if one else "" for one in found)],
            ["verdict", *(one.verdict if one else "" for one in found)],
        ]
    return grid(["recall in percent", *(f"R@{k}" for k in cutoffs)], lines)


def _worlds(evaluation: Evaluation) -> str:
    worlds = evaluation.worlds.items()
    lines = [[name, str(part.mentions), *_shares(part)] for name, part in worlds]
    lines.append(["mean of worlds", "", *(f"{value:.2f}" for value in evaluation.macro.values())])
    return grid(["by world", "mentions", *(f"R@{k}" for k in evaluation.cutoffs)], lines)


def _shares(part: Evaluation | World) -> list[str]:
    """Recall in percent at each cutoff, from counts of hits."""
    return [percent(hits, part.mentions) for hits in part.hits.values()]
