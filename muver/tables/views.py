"""Table 3: recall against the number of views an entity, by how views are merged."""

from typing import Any

from muver.checking import did_you_mean
from muver.errors import InputError
from muver.evaluation.bootstrap import METHOD
from muver.tables.evaluations import Evaluations
from muver.tables.footnotes import with_footnotes
from muver.tables.numbers import bounds, percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import is_papers, paper, published_views
from muver.tables.sections import RULE, mentions_note, tally
from muver.tables.verdict import compare

Table = dict[str, Any]
Row = dict[str, Any]
SEARCHES = ("distant", "close")


def build(name: str, caption: str, rows: list[Row], cutoff: int, evaluations: Evaluations) -> Table:
    """The table as data, in full precision: a row a system.

    Parameters
    ----------
    rows
        ``method``, ``system``, ``merge_layers`` (0: nothing merged) and ``search``: which pairs
        of views were merged, ``distant`` or ``close``, or None where nothing was.
    cutoff
        The k of recall@k that the table shows; the data have all.

    Returns
    -------
    Of each row ``views_per_entity`` (None for a system without views), the counts and recall in
    percent with bootstrap intervals, and, where the dataset is the paper's and it has a row of as
    many views, ``paper_views``, its value, the difference in points and a verdict.
    """
    shared = evaluations.shared(name)
    if cutoff not in shared["cutoffs"]:
        raise InputError(
            f"--settings: cutoff is {cutoff}, the evaluations have "
            f"{', '.join(map(str, shared['cutoffs']))}."
        )
    _check(rows)
    comparable = is_papers(shared["dataset"]) and cutoff == paper()[name]["cutoff"]
    built = []
    for row in rows:
        found = evaluations.by_system[row["system"]]
        views = found["views_per_entity"]
        theirs = published_views(row["method"], row["search"], views) if comparable else None
        recall = theirs and {str(cutoff): theirs["recall"]}
        built.append(
            {
                **evaluations.identity(row),
                "merge_layers": row["merge_layers"],
                "search": row["search"],
                "views_per_entity": views,
                **{key: found[key] for key in ("mentions", "hits", "micro", "interval", "macro")},
                "paper_views": theirs and theirs["views"],
                **compare(found["micro"], recall, found["mentions"]),
            }
        )
    return {
        "name": name,
        "caption": caption,
        **shared,
        "cutoff": cutoff,
        "interval": METHOD,
        "rows": built,
    }


def _check(rows: list[Row]) -> None:
    seen = set()
    for row in rows:
        layers, search = row["merge_layers"], row["search"]
        if type(layers) is not int or layers < 0:
            raise InputError(
                f"--settings: {row['system']}: merge_layers is {layers!r}, expected 0 or more."
            )
        if (search in SEARCHES) if layers == 0 else (search not in SEARCHES):
            allowed = "null" if layers == 0 else " or ".join(SEARCHES)
            raise InputError(
                f"--settings: {row['system']}: search is {search!r}, expected {allowed} with "
                f"{layers} merged layers.{did_you_mean(str(search), SEARCHES)}"
            )
        place = (row["method"], layers, search)
        if layers and place in seen:
            raise InputError(
                f"--settings: {row['method']}, layer {layers}, {search} stands in two rows."
            )
        seen.add(place)


def page(table: Table) -> Page:
    """The table for people: the two ways of merging side by side, as the paper has them."""
    sections = [_main(table), *_papers(table), _intervals(table)]
    return Page(f"{table['caption']}, {table['dataset']}", sections)


def _main(table: Table) -> Section:
    k = str(table["cutoff"])
    lines: dict[Any, dict[str | None, Row]] = {}
    for row in table["rows"]:
        merged = row["merge_layers"] > 0
        place = (row["method"], row["merge_layers"]) if merged else row["system"]
        lines.setdefault(place, {})[row["search"]] = row
    header = [
        "method", "# of Views", "Distant Pairs", "Close Pairs", "# of Views (close)", "row_key",
        "row_key (close)",
    ]  # fmt: skip
    grid = []
    for line in lines.values():
        plain = line.get(None)
        distant, close = line.get("distant", plain), line.get("close")
        either = distant or close
        grid.append(
            [
                either["method"],
                _views(distant),
                _recall(distant, k),
                _recall(close or plain, k),
                _views(close),
                distant["row_key"] if distant else "",
                close["row_key"] if close else "",
            ]
        )
    note = (
        f"Recall@{k} against the mean number of views an entity; a line of merged views is the "
        f"state after one more layer. {mentions_note(table)} Without merging there is one recall, "
        "which stands in both columns."
    )
    main = Section("", note, header, grid, best_cells(grid, (2, 3)))
    return with_footnotes(main, table["rows"])


def _views(row: Row | None) -> str:
    return (
        "" if row is None or row["views_per_entity"] is None else f"{row['views_per_entity']:.2f}"
    )


def _recall(row: Row | None, k: str) -> str:
    return "" if row is None else percent(row["hits"][k], row["mentions"])


def _papers(table: Table) -> list[Section]:
    """Our rows beside the paper's of as many views, and the paper's whole table."""
    if not is_papers(table["dataset"]):
        return []
    source, k = paper()["source"], str(table["cutoff"])
    compared = [row for row in table["rows"] if row["paper"] is not None]
    grid = [
        [
            row["method"],
            row["search"] or "",
            _views(row),
            _recall(row, k),
            f"{row['paper_views']:.2f}",
            f"{row['paper'][k]:.2f}",
            f"{row['difference'][k]:+z.2f}",
            row["verdict"][k],
        ]
        for row in compared
    ]
    header = [
        "method", "pairs", "# of Views", f"R@{k}", "paper's # of Views", f"paper's R@{k}",
        "difference", "verdict",
    ]  # fmt: skip
    note = (
        f"{source}. A row with merged views is compared with the paper's whose number of views is "
        f"within one per cent of ours; the others have no counterpart. {RULE} "
        f"{tally([row['verdict'][k] for row in compared])}"
    )
    beside = [Section("Against the paper", note, header, grid)] if grid else []
    return [*beside, _whole(table["name"], source)]


def _whole(name: str, source: str) -> Section:
    table = paper()[name]
    grid = []
    for method, row in table["rows"].items():
        recall = f"{row['recall']:.2f}"
        grid.append([method, f"{row['views']:.2f}", recall, recall])
    for method, lines in table["merged"].items():
        for line in lines:
            numbers = (line["views"], line["distant"], line["close"])
            grid.append([method, *(f"{number:.2f}" for number in numbers)])
    note = f"{source}, recall@{table['cutoff']}. Its BLINK is the one of 512 tokens."
    header = ["method", "# of Views", "Distant Pairs", "Close Pairs"]
    return Section("The paper's table", note, header, grid)


def _intervals(table: Table) -> Section:
    k = str(table["cutoff"])
    grid = [
        [
            row["method"],
            row["search"] or "",
            str(row["merge_layers"]),
            bounds(row["interval"]["micro"][k]),
            f"{row['macro'][k]:.2f}",
            bounds(row["interval"]["macro"][k]),
        ]
        for row in table["rows"]
    ]
    header = ["method", "pairs", "layers", f"R@{k}, interval", "mean of worlds", "its interval"]
    return Section("How sure the numbers are", f"{METHOD}.", header, grid)
