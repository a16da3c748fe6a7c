"""How people read the long table: the lines and columns of each layout."""

from muver.io.text import percent
from muver.reproduction.tables import sections
from muver.reproduction.tables.cells import (
    Column,
    Layout,
    Page,
    Place,
    Section,
    main_section,
)
from muver.reproduction.tables.paper import NOTES, paper
from muver.reproduction.tables.records import (
    LEFT_OUT,
    MEAN,
    Line,
    Table,
    TableRow,
    layers_of,
)


def places(table: Table) -> list[Place]:
    """The lines of a table's page, in order."""
    only, rows = table.sets[0], table.rows
    match table.layout:
        case "domains":
            return [
                Place({"method": row.method, "Domain": world}, row, only.set, world)
                for world in (*only.worlds, MEAN)
                for row in rows
            ]
        case "views":
            merging = [(row.merged.searched, row.merged.layers) if row.merged else ("", 0)
                       for row in rows]  # fmt: skip
            return [
                Place({"method": row.method, "merging": words, "layers": str(n)}, row, only.set)
                for row, (words, n) in zip(rows, merging, strict=True)
            ]
    return [
        Place(
            {"method": row.method} | ({"Set": of_set.column} if table.kb else {}), row, of_set.set
        )
        for of_set in table.sets
        for row in rows
    ]


def page(table: Table) -> Page:
    """A table of recall for people: the table itself, and what is known of its numbers."""
    layout = table.layout
    shown = Layout(table, places(table), [Column(f"R@{k}", k) for k in table.cutoffs])
    by_set = layout == "comparison" and table.kb is not None
    of_worlds = layout != "domains" and not by_set
    found = [
        _views(table) if layout == "views" else _main(shown),
        *([sections.counts_of_sets(table)] if by_set else []),
        *sections.reference(shown, "paper", "Against the paper"),
        *sections.reference(shown, "readme", "Against the released README"),
        *sections.both_protocols(shown),
        *sections.contrasts(shown, "contrast", "Contrasts"),
        *(sections.mean_of_worlds(shown) if of_worlds else []),
        *sections.categories(shown),
        *shown.section("How sure the numbers are", f"{table.interval}.", sections.bounds_of),
        *sections.contrasts(shown, "against", "Paired tests against {}"),
        *sections.over_seeds(shown),
        *sections.contrasts(shown, "seeds", "Contrasts over seeds"),
        *([sections.search(shown.places)] if by_set else []),
    ]
    protocols = {line.protocol for line in table.lines}
    if protocols == {LEFT_OUT} and LEFT_OUT not in table.caption:
        return Page(f"{table.caption}, {LEFT_OUT}, {table.dataset}", found)
    return Page(f"{table.caption}, {table.dataset}", found)


def _main(shown: Layout) -> Section:
    """A line for each row, or for each row in a domain."""
    table, lines, columns = shown
    note, first, group = sections.note_of(table), {}, None
    match table.layout:
        case "domains":
            note += f" {MEAN.capitalize()}: the mean of the domains, each counting the same."
            group = [place.world for place in lines]
        case "comparison":
            first = _further(table)
            note = " ".join([note, *(NOTES[name] for name in first)])
            lines = [Place({"method": row.method}, row, "") for row in table.rows]
            columns = [
                column._replace(title=f"{of_set.column} {column.title}".strip(), set=of_set.set)
                for of_set in table.sets
                for column in columns
            ]
    header = [*lines[0].labels, *first, *(column.title for column in columns), "row_key"]
    grid = [
        [
            *place.labels.values(),
            *(texts[n] for texts in first.values()),
            *(column.line(table, place) for column in columns),
            place.row.row_key,
        ]
        for n, place in enumerate(lines)
    ]
    return main_section(table, note, header, grid, group)


def _further(table: Table) -> dict[str, list[str]]:
    """Columns that a table has beside recall: a cell for each row.

    The paper's have none, and over a knowledge base pages of mentions are no entities.
    """
    if table.name in paper() or table.kb:
        return {}
    only, found = table.sets[0], {}
    vectors = [row.views_per_entity for row in table.rows]
    if any(vectors):
        found["vectors"] = [f"{n:.1f}" if n else "" for n in vectors]
    first = [row.sets[only.set].own_page_first for row in table.rows]
    if None not in first:
        found["own page"] = [percent(n, only.mentions) for n in first]
    return found


def _views(table: Table) -> Section:
    """Distant and close pairs side by side, as in the paper."""
    (k,) = table.cutoffs
    header = [
        "method", "search", "# of Views", "Distant Pairs", "Close Pairs", "# of Views (close)",
        "row_key", "row_key (close)",
    ]  # fmt: skip

    def told(row: TableRow | None) -> tuple[str, Line | None, str]:
        """The number of views, recall and the key; empty without a row."""
        if row is None:
            return "", None, ""
        views = row.views_per_entity
        return "" if views is None else f"{views:.2f}", table.line(row.row_key, k), row.row_key

    grid = []
    for line in layers_of(table.rows):
        unmerged = line.get(None)
        distant, close = line.get("distant", unmerged), line.get("close")
        (views, recall, key), (views_close, recall_close, key_close) = told(distant), told(close)
        first = distant or close
        reading = first.merged.reading if first.merged else ""
        beside = recall_close or (recall if unmerged else None)
        grid.append([first.method, reading, views, recall, beside, views_close, key, key_close])
    note = NOTES["views"].format(k=k, note=sections.note_of(table))
    return main_section(table, note, header, grid)
