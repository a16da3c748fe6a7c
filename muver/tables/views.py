"""Table 3: recall against the number of views per entity, for each search of merging."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.io.errors import InputError
from muver.tables import contrasts
from muver.tables.evaluations import Evaluations, TableFiles, head, identity, read_one_set
from muver.tables.footnotes import with_footnotes
from muver.tables.numbers import percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import is_papers, paper, published_views
from muver.tables.sections import intervals, mean_of_worlds, note_of, reference
from muver.tables.settings import Views, ViewsRow, systems_of
from muver.tables.verdict import compare

Table = dict[str, Any]
Row = dict[str, Any]
RELEASED = "as released"
ALIKE = 0.01  # relative difference up to which two numbers of views are the same, as in paper.py


def build(name: str, caption: str, settings: Views, files: TableFiles) -> Table:
    """The table as data, in full precision: a row per system.

    Returns
    -------
    The head; ``contrasts``, distant minus close; and ``rows`` with ``views_per_entity`` (None for a
    system without views), counts and recall in percent with bootstrap intervals, and, if the paper
    has a row with as many views on the same dataset, ``paper_views``, its value, the difference in
    points and a verdict. Rows with merged views also have ``pairs`` ("distant" or "close"), the
    ``reading`` of the search in words, both together as ``searched``, and ``start``, the system
    with the same views before merging (None if there is none).
    """
    found, cutoff = read_one_set(files, systems_of(settings.rows)), settings.cutoff
    table = head(name, "views", caption, {found.first["set"]: found})
    if cutoff not in table["cutoffs"]:
        raise InputError(
            f"--settings: cutoff is {cutoff}, the evaluations have "
            f"{', '.join(map(str, table['cutoffs']))}."
        )
    comparable = is_papers(found.first) and cutoff == paper()[name]["cutoff"]
    built = []
    for row in settings.rows:
        one = found.by_system[row.system]
        search = _search(row, one["settings"])
        views = one["views_per_entity"]
        system = row.sweep_of or row.system
        theirs = published_views(system, search["pairs"], views) if comparable else None
        recall = theirs and {str(cutoff): theirs["recall"]}
        built.append(
            {
                **identity(row, {"": found}),
                "merge_layers": row.merge_layers,
                "search": row.search,
                **search,
                "start": _start(row, settings.rows, found),
                "views_per_entity": views,
                **{key: one[key] for key in ("mentions", "hits", "micro", "interval", "macro")},
                "paper_views": theirs and theirs["views"],
                **compare(one["micro"], recall, one["mentions"]),
            }
        )
    _check_places(built)
    return {**table, "cutoff": cutoff, "rows": built, "contrasts": _contrasts(built, found)}


def _contrasts(rows: list[Row], evaluations: Evaluations) -> list[dict[str, Any]]:
    """Distant minus close after each layer, for searches that differ only in this."""
    built = []
    for line in _lines(rows):
        if not line.keys() >= {"distant", "close"}:
            continue
        pair = [line["distant"], line["close"]]
        papers = {row["system"]: row["paper"] for row in pair}
        systems = [row["system"] for row in pair]
        methods = {row["system"]: row["method"] for row in pair}
        (found,) = contrasts.build([systems], methods, evaluations, papers.get)
        one = pair[0]
        found["method"] = (
            f"{one['method']}, layer {one['merge_layers']} ({one['reading']}): distant minus close"
        )
        built.append(found)
    return built


def _search(row: ViewsRow, settings: Mapping[str, Any]) -> dict[str, str | None]:
    """The pairs that were merged and the reading of the search, from a row's settings."""
    if not row.merge_layers:
        return dict.fromkeys(("pairs", "reading", "searched"))
    merge = settings.get("merge", {})
    if "pairs" not in merge:
        raise InputError(
            f"evaluation of {row.system}: its settings do not say which pairs of views were "
            "merged. Run the evaluate stage again."
        )
    further = {
        "among all views": merge.get("among") == "all",
        "wasted choices replaced": merge.get("wasted") == "replaced",
    }
    reading = ", ".join(words for words, so in further.items() if so)
    searched = ", ".join(filter(None, (f"{merge['pairs']} pairs", reading)))
    return {"pairs": merge["pairs"], "reading": reading or RELEASED, "searched": searched}


def _check_places(rows: Sequence[Row]) -> None:
    seen = set()
    for row in rows:
        place = (row["method"], row["merge_layers"], row["searched"])
        if row["merge_layers"] and place in seen:
            method, layers, searched = place
            raise InputError(
                f"--settings: {method}, layer {layers}, {searched} stands in two rows."
            )
        seen.add(place)


def _start(row: ViewsRow, rows: Sequence[ViewsRow], evaluations: Evaluations) -> str | None:
    """The first row without merging whose other settings are this row's."""

    def before(system: str) -> dict[str, Any]:
        settings = evaluations.by_system[system]["settings"]
        merging = ("merge_layers", "search")
        shared = {key: value for key, value in settings.items() if key not in ("system", "merge")}
        retrieve = settings.get("retrieve", {}).items()
        return {**shared, "retrieve": {k: v for k, v in retrieve if k not in merging}}

    if not row.merge_layers:
        return None
    own = before(row.system)
    starts = (one.system for one in rows if not one.merge_layers and before(one.system) == own)
    return next(starts, None)


def page(table: Table) -> Page:
    """The table for people, with distant and close pairs side by side as in the paper."""
    rows, cutoffs = table["rows"], [table["cutoff"]]
    sections = [
        _main(table),
        *reference(cutoffs, rows, "paper", "Against the paper", paper()["source"]),
        *([_whole(table["name"])] if table["sets"][0]["of_paper"] else []),
        *contrasts.section(table, cutoffs),
        mean_of_worlds(table, cutoffs, rows),
        intervals(table, cutoffs, rows),
    ]
    return Page(f"{table['caption']}, {table['dataset']}", sections)


def _main(table: Table) -> Section:
    k, lines = str(table["cutoff"]), _lines(table["rows"])
    header = [
        "method", "search", "# of Views", "Distant Pairs", "Close Pairs", "# of Views (close)",
        "row_key", "row_key (close)",
    ]  # fmt: skip
    grid = []
    for line in lines:
        plain = line.get(None)
        distant, close = line.get("distant", plain), line.get("close")
        either = distant or close
        grid.append(
            [
                either["method"],
                either["reading"] or "",
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
        f"state after one more layer. {note_of(table)} Without merging there is one recall, "
        f"which stands in both columns.{_unequal(lines)}"
    )
    main = Section("", note, header, grid, best_cells(grid, (3, 4)))
    return with_footnotes(main, table["rows"])


def _lines(rows: Sequence[Row]) -> list[dict[str | None, Row]]:
    """The table's lines: rows by their pairs; distant and close rows share a line."""
    lines: dict[Any, dict[str | None, Row]] = {}
    for row in rows:
        layers = row["merge_layers"]
        place = (row["method"], layers, row["reading"]) if layers else row["system"]
        lines.setdefault(place, {})[row["pairs"]] = row
    return list(lines.values())


def _unequal(lines: Sequence[dict[str | None, Row]]) -> str:
    """The last line of each search whose columns differ in the number of views."""
    last = {}
    for line in lines:
        distant, close = line.get("distant"), line.get("close")
        if not distant or not close:
            continue
        few, many = sorted(row["views_per_entity"] for row in (distant, close))
        if many - few > ALIKE * many:
            last[distant["method"], distant["reading"]] = (
                f"{distant['method']} {distant['reading']}, layer {distant['merge_layers']}: "
                f"{_views(distant)} distant, {_views(close)} close"
            )
    if not last:
        return ""
    return (
        " The columns differ in the number of views as well as in the pairs "
        f"({'; '.join(last.values())}), so that neither alone explains a difference in recall. A "
        "search makes fewer views where a chosen pair makes none (as released, no other takes its "
        "place) and where an entity has no pair left."
    )


def _views(row: Row | None) -> str:
    return (
        "" if row is None or row["views_per_entity"] is None else f"{row['views_per_entity']:.2f}"
    )


def _recall(row: Row | None, k: str) -> str:
    return "" if row is None else percent(row["hits"][k], row["mentions"])


def _whole(name: str) -> Section:
    """The paper's own table."""
    table = paper()[name]
    grid = []
    for row in table["rows"].values():
        recall = f"{row['recall']:.2f}"
        grid.append([row["printed"], f"{row['views']:.2f}", recall, recall])
    for system, lines in table["merged"].items():
        method = paper()["table1"]["rows"][system]["printed"]
        for line in lines:
            numbers = (line["views"], line["distant"], line["close"])
            grid.append([method, *(f"{number:.2f}" for number in numbers)])
    note = (
        f"{paper()['source']}, recall@{table['cutoff']}. Its BLINK is the one of 512 tokens. A row "
        "of ours with merged views is compared with the line whose number of views is within one "
        "per cent of ours; other rows have no counterpart."
    )
    header = ["method", "# of Views", "Distant Pairs", "Close Pairs"]
    return Section("The paper's table", note, header, grid)
