"""The tables as HTML: our numbers with intervals, the paper's, differences and verdicts."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.report.embed import text
from muver.report.grids import details, grid, paragraph
from muver.report.problems import Problems
from muver.report.recorded import BASE, Addresses
from muver.report.results import Result
from muver.tables.numbers import bounds, probability

Row = Mapping[str, Any]
# Word and sign, so that the colour adds nothing that is not said.
VERDICTS = {
    "reproduced": ("reproduced", "\u2713"),
    "near": ("near", "\u2248"),
    "not reproduced": ("missed", "\u2717"),
}
LABELS = {"domain": "Domain", "search": "pairs", "merge_layers": "layers"}
REFERENCES = {"paper": "paper", "readme": "README"}


def tables(results: Sequence[Result], addresses: Addresses, problems: Problems) -> str:
    """All results; one whose JSON another version wrote is told, and shown as its CSV says."""
    parts = []
    for result in results:
        try:
            parts.append(table(result, addresses))
        except (KeyError, TypeError, ValueError, AttributeError):
            problems.tell(
                f"{result.name}: its JSON is not as this version writes it. Make the table again."
            )
            parts.append(table(Result(result.name, None, result.grid), addresses))
    return "\n".join(parts)


def table(result: Result, addresses: Addresses) -> str:
    """A section with one result; a result without rows of recall is shown as its CSV says."""
    name = text(result.name)
    parts = [f'<section id="{name}"><h3>{text(result.caption)}</h3>']
    if result.compares:
        parts += _recall(result, addresses)
    elif result.grid:
        parts.append(_as_printed(result, addresses))
    else:
        parts.append(paragraph("This table cannot be shown; see the problems above.", "problem"))
    return "\n".join([*parts, "</section>"])


def key_cell(name: str, key: str, addresses: Addresses) -> str:
    """A row's key, or the two of a figure: to its details, its search and its run in MLflow."""
    return "<wbr>+ ".join(_key(name, one, addresses) for one in key.split("+"))


def _key(name: str, key: str, addresses: Addresses) -> str:
    address = addresses.get((name, key))
    search = text(f"tags.row_key = '{key}'")
    link = (
        f' <a class="mlflow" data-address="{text(address)}" href="{text(BASE + address)}" '
        f'rel="noreferrer" title="the run in MLflow">MLflow</a>'
        if address
        else ""
    )
    if not key:
        return ""
    return (
        f'<a class="key" href="#row-{text(key)}"><code>{text(key)}</code></a> '
        f'<button type="button" class="copy" data-copy="{search}" '
        f'title="copy the search {search} for MLflow">copy search</button>{link}'
    )


def _recall(result: Result, addresses: Addresses) -> list[str]:
    data = result.data
    rows, note = result.rows, (data.get("paper") or {}).get("note")
    cutoffs = [str(k) for k in ([data["cutoff"]] if "cutoff" in data else data["cutoffs"])]
    labels = [key for key in LABELS if key in rows[0]]
    views = ["views_per_entity"] if "cutoff" in data else []
    header = ["method", *(LABELS[key] for key in labels), *("# of Views" for _ in views)]
    best = _best(rows, cutoffs)
    cells = [
        [
            _method(row),
            *(text("" if row[key] is None else row[key]) for key in labels),
            *(text("" if row[key] is None else f"{row[key]:.2f}") for key in views),
            *(_cell(row, k, (_group(row), k, _value(row, k)) in best) for k in cutoffs),
            key_cell(result.name, row["row_key"], addresses),
        ]
        for row in rows
    ]
    texts = (0, *range(1, 1 + len(labels)), len(header) + len(cutoffs))
    said = (
        f"{data['mentions']} mentions of {', '.join(data['worlds'])} in {data['dataset']}. Recall "
        "in percent, below it the 95% bootstrap interval; the greatest of a column is bold and "
        "underlined."
    )
    main = grid(
        result.caption, [*header, *(f"R@{k}" for k in cutoffs), "row_key and run"], cells, texts,
        "recall",
    )  # fmt: skip
    return [
        paragraph(" ".join(filter(None, [said, note]))), _legend(rows), main,
        *_further(result, rows, cutoffs),
    ]  # fmt: skip


def _method(row: Row) -> str:
    precision = row.get("precision") or {}
    told = ", ".join(f"{phase} {used}" for phase, used in precision.items())
    return text(row["method"]) + (f'<span class="sub">{text(told)}</span>' if told else "")


def _value(row: Row, k: str) -> float:
    recall = row["micro"] if "micro" in row else row["recall"]
    return round(recall[k], 2)


def _group(row: Row) -> str:
    """Rows of a domain compete with each other."""
    return row.get("domain", "")


def _best(rows: list[Row], cutoffs: list[str]) -> set[tuple[str, str, float]]:
    best: dict[tuple[str, str], float] = {}
    for row in rows:
        for k in cutoffs:
            place = (_group(row), k)
            best[place] = max(best.get(place, 0.0), _value(row, k))
    return {(*place, value) for place, value in best.items()}


def _cell(row: Row, k: str, best: bool) -> str:
    own = row["interval"].get("micro", row["interval"])
    number = f"{_value(row, k):.2f}"
    parts = [
        f'<b class="best">{number}</b>' if best else f"<span>{number}</span>",
        f'<span class="sub">{text(bounds(own[k]))}</span>',
    ]
    for name, said in REFERENCES.items():
        prefix = "" if name == "paper" else f"{name}_"
        theirs = (row.get(name) or {}).get(k)
        if theirs is not None:
            word = row[f"{prefix}verdict"][k]
            parts.append(
                f'<span class="sub">{said} {theirs:.2f}, {row[f"{prefix}difference"][k]:+z.2f}'
                f"</span>{badge(word)}"
            )
    return "".join(parts)


def badge(verdict: str) -> str:
    """A verdict by sign, word and colour."""
    kind, sign = VERDICTS.get(verdict, ("missed", "?"))
    return f'<span class="verdict {kind}">{sign} {text(verdict)}</span>'


def _legend(rows: list[Row]) -> str:
    if not any(row.get("paper") or row.get("readme") for row in rows):
        return ""
    said = {
        "reproduced": "inside the 95% interval of the difference between two such recalls",
        "near": "within 1.5 points",
        "not reproduced": "further off; both directions count",
    }
    items = "; ".join(f"{badge(word)} {text(meaning)}" for word, meaning in said.items())
    return f'<p class="legend">Against the published number: {items}.</p>'


def _further(result: Result, rows: list[Row], cutoffs: list[str]) -> list[str]:
    """Mean of worlds, paired tests and seeds, where the table has them."""
    header = ["method", *(f"R@{k}" for k in cutoffs)]
    parts = []
    if "domain" not in rows[0]:
        cells = [[text(row["method"]), *(_with_bounds(row, k) for k in cutoffs)] for row in rows]
        parts.append(("Mean of worlds, with intervals", grid("Mean of worlds", header, cells)))
    tested = [row for row in rows if row.get("paired")]
    if tested:
        against = result.data["against"]["method"]
        cells = [[text(row["method"]), *(_tested(row, k) for k in cutoffs)] for row in tested]
        title = f"Paired tests against {against}"
        parts.append((title, grid(f"{title}: difference in points, p-value", header, cells)))
    repeated = [row for row in rows if row.get("seeds")]
    if repeated:
        cells = [[text(row["method"]), *(_seeds(row, k) for k in cutoffs)] for row in repeated]
        parts.append(("Over seeds", grid("Mean and standard deviation", header, cells)))
    return [details(title, content) for title, content in parts]


def _with_bounds(row: Row, k: str) -> str:
    sure = text(bounds(row["interval"]["macro"][k]))
    return f'<span>{row["macro"][k]:.2f}</span><span class="sub">{sure}</span>'


def _tested(row: Row, k: str) -> str:
    found = row["paired"]
    sure = text(bounds(found["interval"][k], sign=True))
    return (
        f"<span>{found['difference'][k]:+z.2f}</span>"
        f'<span class="sub">{sure}</span>'
        f'<span class="sub">{text(probability(found["p_value"][k]))}</span>'
    )


def _seeds(row: Row, k: str) -> str:
    return f"{row['seeds']['mean'][k]:.2f} \u00b1 {row['seeds']['spread'][k]:.2f}"


def _as_printed(result: Result, addresses: Addresses) -> str:
    header, *rows = result.grid
    keys = {n for n, title in enumerate(header) if title == "row_key"}
    cells = [
        [
            key_cell(result.name, cell, addresses) if n in keys else text(cell)
            for n, cell in enumerate(row)
        ]
        for row in rows
        if row
    ]
    texts = [
        n
        for n in range(len(header))
        if n in keys or not all(_is_number(row[n]) for row in rows if len(row) > n)
    ]
    return grid(result.caption, header, cells, texts)


def _is_number(cell: str) -> bool:
    return not cell or cell.rstrip("%M").replace(".", "", 1).replace("-", "", 1).isdigit()
