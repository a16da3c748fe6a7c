"""Table 3: recall against the number of views per entity, for each search of merging."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from muver.reproduction.tables import contrasts
from muver.reproduction.tables.evaluations import (
    Evaluations,
    TableFiles,
    read_one_set,
    row_of,
    table_of,
)
from muver.reproduction.tables.numbers import percent
from muver.reproduction.tables.page import (
    Page,
    Section,
    best_cells,
    intervals,
    mean_of_worlds,
    note_of,
    reference,
    with_footnotes,
)
from muver.reproduction.tables.paper import compare, is_papers, paper, published_views
from muver.reproduction.tables.records import Contrast, LayersRow, Part, ViewsTable
from muver.reproduction.tables.settings import Views, ViewsRow, systems_of

Line = dict[str | None, LayersRow]  # by its pairs; None without merging
RELEASED = "as released"
ALIKE = 0.01  # relative difference up to which two numbers of views are the same, as in paper.py


def build(name: str, caption: str, settings: Views, files: TableFiles) -> ViewsTable:
    """A row per system, compared with the paper's that has as many views, on the same dataset."""
    found, cutoff = read_one_set(files, systems_of(settings.rows)), settings.cutoff
    by_set = {found.first.set: found}
    comparable = is_papers(found.first) and cutoff == paper()[name]["cutoff"]
    rows = []
    for row in settings.rows:
        one = found.by_system[row.system]
        search, views = _search(row, one.settings), one.views_per_entity
        system = row.sweep_of or row.system
        theirs = published_views(system, search["pairs"], views) if comparable else None
        judged = compare(one.micro, {cutoff: theirs["recall"]} if theirs else {}, one.mentions)
        rows.append(
            row_of(
                LayersRow,
                row,
                by_set,
                merge_layers=row.merge_layers,
                search=row.search,
                **search,
                start=_start(row, settings.rows, found),
                views_per_entity=views,
                paper_views=theirs and theirs["views"],
                sets={one.set: Part(**asdict(one.scores), paper=judged, readme={})},
            )
        )
    contrasted = _contrasts(rows, found)
    return table_of(
        ViewsTable, name, caption, by_set, cutoff=cutoff, rows=rows, contrasts=contrasted
    )


def _contrasts(rows: Sequence[LayersRow], evaluations: Evaluations) -> list[Contrast]:
    """Distant minus close after each layer, for searches that differ only in this."""
    built = []
    for line in _lines(rows):
        if not line.keys() >= {"distant", "close"}:
            continue
        pair = {line[pairs].system: line[pairs] for pairs in ("distant", "close")}
        published = {
            system: {k: one.recall for k, one in row.part.paper.items()}
            for system, row in pair.items()
        }
        methods = {system: row.method for system, row in pair.items()}
        (found,) = contrasts.build([[*pair]], methods, evaluations, published.__getitem__)
        one = line["distant"]
        method = f"{one.method}, layer {one.merge_layers} ({one.reading}): distant minus close"
        built.append(replace(found, method=method))
    return built


def _search(row: ViewsRow, settings: Mapping[str, Any]) -> dict[str, str | None]:
    """The pairs that were merged and the reading of the search, from a row's settings."""
    if not row.merge_layers:
        return dict.fromkeys(("pairs", "reading", "searched"))
    merge = settings["merge"]
    further = {
        "among all views": merge.get("among") == "all",
        "wasted choices replaced": merge.get("wasted") == "replaced",
    }
    reading = ", ".join(words for words, so in further.items() if so)
    searched = ", ".join(filter(None, (f"{merge['pairs']} pairs", reading)))
    return {"pairs": merge["pairs"], "reading": reading or RELEASED, "searched": searched}


def _start(row: ViewsRow, rows: Sequence[ViewsRow], evaluations: Evaluations) -> str | None:
    """The first row without merging whose other settings are this row's."""

    def before(system: str) -> dict[str, Any]:
        settings = evaluations.by_system[system].settings
        merging = ("merge_layers", "search")
        shared = {key: value for key, value in settings.items() if key not in ("system", "merge")}
        retrieve = settings.get("retrieve", {}).items()
        return {**shared, "retrieve": {k: v for k, v in retrieve if k not in merging}}

    if not row.merge_layers:
        return None
    own = before(row.system)
    starts = (one.system for one in rows if not one.merge_layers and before(one.system) == own)
    return next(starts, None)


def page(table: ViewsTable) -> Page:
    """The table for people, with distant and close pairs side by side as in the paper."""
    cutoffs = [table.cutoff]
    lines = [
        (
            {"method": row.method, "merging": row.searched or "", "layers": str(row.merge_layers)},
            row.part,
        )
        for row in table.rows
    ]
    sections = [
        _main(table),
        *reference(cutoffs, lines),
        *([_whole(table.name)] if table.sets[0].of_paper else []),
        *contrasts.section(table, cutoffs),
        mean_of_worlds(table, cutoffs, lines),
        intervals(table, cutoffs, lines),
    ]
    return Page(f"{table.caption}, {table.dataset}", sections)


def _main(table: ViewsTable) -> Section:
    k, lines = table.cutoff, _lines(table.rows)
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
                either.method,
                either.reading or "",
                _views(distant),
                _recall(distant, k),
                _recall(close or plain, k),
                _views(close),
                distant.row_key if distant else "",
                close.row_key if close else "",
            ]
        )
    note = (
        f"Recall@{k} against the mean number of views an entity; a line of merged views is the "
        f"state after one more layer. {note_of(table)} Without merging there is one recall, "
        f"which stands in both columns.{_unequal(lines)}"
    )
    main = Section("", note, header, grid, best_cells(grid, (3, 4)))
    return with_footnotes(main, table.rows)


def _lines(rows: Sequence[LayersRow]) -> list[Line]:
    """The table's lines: rows by their pairs; distant and close rows share a line."""
    lines: dict[Any, Line] = {}
    for row in rows:
        layers = row.merge_layers
        place = (row.method, layers, row.reading) if layers else row.system
        lines.setdefault(place, {})[row.pairs] = row
    return list(lines.values())


def _unequal(lines: Sequence[Line]) -> str:
    """The last line of each search whose columns differ in the number of views."""
    last = {}
    for line in lines:
        distant, close = line.get("distant"), line.get("close")
        if not distant or not close:
            continue
        few, many = sorted(row.views_per_entity for row in (distant, close))
        if many - few > ALIKE * many:
            last[distant.method, distant.reading] = (
                f"{distant.method} {distant.reading}, layer {distant.merge_layers}: "
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


def _views(row: LayersRow | None) -> str:
    return "" if row is None or row.views_per_entity is None else f"{row.views_per_entity:.2f}"


def _recall(row: LayersRow | None, k: int) -> str:
    return "" if row is None else percent(row.part.hits[k], row.part.mentions)


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
