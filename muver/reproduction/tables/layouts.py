"""How people read the long table: the lines and columns of each layout."""

from muver.io.text import percent
from muver.reproduction.tables import sections
from muver.reproduction.tables.cells import Page, Place, Section, main_section
from muver.reproduction.tables.paper import NOTES, paper
from muver.reproduction.tables.records import LEFT_OUT, MEAN, Line, Table, TableRow, layers_of


def places(table: Table) -> list[Place]:
    """The lines of a table's page, in order."""
    lines = []
    for of_set in table.sets:
        for world in (*of_set.worlds, MEAN) if table.layout == "domains" else ("",):
            for row in table.rows:
                labels = {"method": row.method}
                if table.kb:
                    labels["Set"] = of_set.column
                if world:
                    labels["Domain"] = world
                if table.layout == "views":
                    labels["merging"] = row.merged.searched if row.merged else ""
                    labels["layers"] = str(row.merged.layers if row.merged else 0)
                lines.append(Place(labels, row, of_set.set, world))
    return lines


def page(table: Table) -> Page:
    """A table of recall for people: the table itself, and what is known of its numbers."""
    shown, layout = places(table), table.layout
    of_kb = layout == "comparison" and table.kb is not None
    of_worlds = layout != "domains" and not of_kb
    protocols = {line.protocol for line in table.lines}
    left_out = protocols == {LEFT_OUT} and LEFT_OUT not in table.caption
    return Page.of(
        ", ".join([table.caption, *([LEFT_OUT] if left_out else []), table.dataset]),
        _views(table) if layout == "views" else _main(table, shown),
        sections.counts_of_sets(table.sets if of_kb else []),
        sections.reference(table, shown, "paper", "Against the paper"),
        sections.reference(table, shown, "readme", "Against the released README"),
        sections.both_protocols(table),
        sections.contrasts(table, "contrast", "Contrasts"),
        sections.mean_of_worlds(table, shown if of_worlds else []),
        sections.categories(table),
        sections.intervals(table, shown),
        sections.contrasts(table, "against", "Paired tests against {}"),
        sections.over_seeds(table, shown),
        sections.contrasts(table, "seeds", "Contrasts over seeds"),
        sections.search(shown if of_kb else []),
    )


def _main(table: Table, shown: list[Place]) -> Section:
    """A line for each row, or for each row in a domain."""
    further = _further(table)
    notes = [sections.note_of(table), *(NOTES[name] for name in further)]
    if table.layout == "domains":
        notes.append(f"{MEAN.capitalize()}: the mean of the domains, each counting the same.")
    else:
        shown = [Place({"method": row.method}, row, "") for row in table.rows]
    lines = [
        {
            **place.labels,
            **{name: texts[n] for name, texts in further.items()},
            **{
                f"{of_set.column} R@{k}".strip(): place._replace(set=of_set.set).line(table, k)
                for of_set in table.sets
                for k in table.cutoffs
            },
            "row_key": place.row.row_key,
        }
        for n, place in enumerate(shown)
    ]
    return main_section(table, " ".join(notes), lines, [place.world for place in shown])


def _further(table: Table) -> dict[str, list[str]]:
    """Columns that a table has beside recall: a cell for each row.

    The paper's have none, and over a knowledge base pages of mentions are no entities.
    """
    if table.name in paper() or table.kb:
        return {}
    only, columns = table.sets[0], {}
    vectors = [row.views_per_entity for row in table.rows]
    if any(vectors):
        columns["vectors"] = [f"{n:.1f}" if n else "" for n in vectors]
    first = [row.sets[only.set].own_page_first for row in table.rows]
    if None not in first:
        columns["own page"] = [percent(n, only.mentions) for n in first]
    return columns


def _views(table: Table) -> Section:
    """Distant and close pairs side by side, as in the paper."""
    (k,) = table.cutoffs

    def recall(row: TableRow | None) -> Line | str:
        return table.line(row.row_key, k) if row else ""

    def views(row: TableRow | None) -> str:
        return "" if row is None or row.views_per_entity is None else f"{row.views_per_entity:.2f}"

    lines = []
    for by_pairs in layers_of(table.rows):
        unmerged, close = by_pairs.get(None), by_pairs.get("close")
        distant = by_pairs.get("distant", unmerged)
        first = distant or close
        lines.append(
            {
                "method": first.method,
                "search": first.merged.reading if first.merged else "",
                "# of Views": views(distant),
                "Distant Pairs": recall(distant),
                "Close Pairs": recall(close or unmerged),
                "# of Views (close)": views(close),
                "row_key": distant.row_key if distant else "",
                "row_key (close)": close.row_key if close else "",
            }
        )
    note = NOTES["views"].format(k=k, note=sections.note_of(table))
    return main_section(table, note, lines, [""] * len(lines))
