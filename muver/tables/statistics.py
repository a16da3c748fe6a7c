"""Table 4: the numbers of mentions and entities of the dataset."""

from typing import Any

from muver.corpus.splits import SPLITS
from muver.io.errors import InputError
from muver.tables.evaluations import TableFiles, read_counts
from muver.tables.page import Page, Section
from muver.tables.paper import comparability, is_papers, paper
from muver.tables.settings import Statistics

Table = dict[str, Any]


def build(name: str, caption: str, settings: Statistics, files: TableFiles) -> Table:
    """The table as data: a row per split.

    Parameters
    ----------
    settings
        Without a ``source``, the column KB has the paper's word for its own dataset, else the
        dataset's name.

    Returns
    -------
    Rows with ``mentions``, ``entities`` and ``worlds``; on the paper's dataset also the paper's
    numbers and whether ours are ``equal``.
    """
    if files.counts is None:
        raise InputError(f"--counts: {name} needs the corpus's counts; none were given.")
    counts = read_counts(files.counts)
    dataset = counts["dataset"]
    known_as = counts["identified_as"]
    published = {row["split"]: row for row in paper()[name]["rows"] if row["dataset"] == known_as}
    rows = []
    for split in SPLITS:
        ours = {"mentions": counts["mentions"][split], "entities": counts["entities"][split]}
        theirs = published.get(split)
        rows.append(
            {
                "dataset": dataset,
                "split": split,
                "kb": settings.source or (theirs["kb"] if theirs else dataset),
                **ours,
                "worlds": {
                    world: {key: part[key] for key in ours}
                    for world, part in counts["worlds"].items()
                    if part["split"] == split
                },
                "paper": theirs and {key: theirs[key] for key in ours},
                "verdict": theirs
                and {key: "equal" if ours[key] == theirs[key] else "not equal" for key in ours},
            }
        )
    return {
        "name": name,
        "kind": "statistics",
        "caption": caption,
        "dataset": dataset,
        **{key: counts[key] for key in ("fingerprint", "identified_as")},
        "paper": {
            "source": paper()["source"],
            "dataset": paper()["dataset"],
            "note": comparability(name, counts),
        },
        "rows": rows,
    }


def page(table: Table) -> Page:
    """The table for people."""
    header = ["Dataset", "Split", "Mention Num", "KB", "Entity Num"]
    grid = [
        [row["dataset"], row["split"], str(row["mentions"]), row["kb"], str(row["entities"])]
        for row in table["rows"]
    ]
    main = Section("", _note(table), header, grid)
    beside = [_paper(table)] if is_papers(table) else []
    return Page(f"{table['caption']}, {table['dataset']}", [main, *beside, _worlds(table)])


def _note(table: Table) -> str:
    note = "Mentions and entities by split; a world, with its entities, belongs to one split."
    return f"{note} {table['paper']['note'] or ''}".strip()


def _paper(table: Table) -> Section:
    def cell(row: dict[str, Any], key: str) -> str:
        return f"{row['paper'][key]} ({row['verdict'][key]})"

    grid = [
        [row["dataset"], row["split"], cell(row, "mentions"), cell(row, "entities")]
        for row in table["rows"]
    ]
    note = f"{table['paper']['source']}: the paper's number, and whether ours is the same."
    header = ["Dataset", "Split", "Mention Num", "Entity Num"]
    return Section("Against the paper", note, header, grid)


def _worlds(table: Table) -> Section:
    grid = [
        [row["split"], world, str(part["mentions"]), str(part["entities"])]
        for row in table["rows"]
        for world, part in row["worlds"].items()
    ]
    empty = [line[1] for line in grid if line[2] == "0"]
    note = "The splits' worlds."
    if empty:
        note += f" Without mentions, and so without a number in other tables: {', '.join(empty)}."
    return Section("By world", note, ["Split", "World", "Mention Num", "Entity Num"], grid)
