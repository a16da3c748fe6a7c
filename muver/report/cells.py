"""Cells of the tables: keys, numbers with intervals, the paper's, differences and verdicts."""

from collections.abc import Iterable, Mapping
from typing import Any

from muver.report.embed import text
from muver.report.recorded import BASE, Addresses
from muver.tables.footnotes import notes_of
from muver.tables.numbers import bounds, probability

Row = Mapping[str, Any]
Best = set[tuple[str, str, float]]  # group of rows, cutoff, number
# Word and sign, so that the colour adds nothing that is not said.
VERDICTS = {
    "reproduced": ("reproduced", "\u2713"),
    "near": ("near", "\u2248"),
    "not reproduced": ("missed", "\u2717"),
    "cannot tell": ("open", "?"),
    "holds": ("reproduced", "\u2713"),
    "does not hold": ("missed", "\u2717"),
}
REFERENCES = {"paper": "paper", "readme": "README"}


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


def method_cell(row: Row) -> str:
    """A row's method, and what of it was not computed in fp32."""
    precision = row.get("precision") or {}
    told = ", ".join(f"{phase} {used}" for phase, used in precision.items())
    return text(row["method"]) + (f'<span class="sub">{text(told)}</span>' if told else "")


def _value(row: Row, k: str) -> float:
    recall = row["micro"] if "micro" in row else row["recall"]
    return round(recall[k], 2)


def _group(row: Row) -> str:
    """Rows of a domain compete with each other."""
    return row.get("domain", "")


def best_values(rows: Iterable[Row], cutoffs: Iterable[str]) -> Best:
    """The greatest number of each cutoff, to two decimals, among the rows of a group."""
    best: dict[tuple[str, str], float] = {}
    for row in rows:
        for k in cutoffs:
            place = (_group(row), k)
            best[place] = max(best.get(place, 0.0), _value(row, k))
    return {(*place, value) for place, value in best.items()}


def recall_cell(row: Row, k: str, best: Best) -> str:
    """A number with its interval, what is published beside it, the difference and the verdict."""
    own = row["interval"].get("micro", row["interval"])
    number = f"{_value(row, k):.2f}"
    greatest = (_group(row), k, _value(row, k)) in best
    parts = [
        f'<b class="best">{number}</b>' if greatest else f"<span>{number}</span>",
        f'<span class="sub">{text(bounds(own[k]))}</span>',
    ]
    for name, said in REFERENCES.items():
        prefix = "" if name == "paper" else f"{name}_"
        theirs = (row.get(name) or {}).get(k)
        if theirs is not None:
            word, width = row[f"{prefix}verdict"][k], row[f"{prefix}half_width"][k]
            parts.append(
                f'<span class="sub">{said} {theirs:.2f}, {row[f"{prefix}difference"][k]:+z.2f}'
                f" \u00b1 {width:.2f}</span>{badge(word)}"
            )
    return "".join(parts)


def badge(verdict: str) -> str:
    """A verdict by sign, word and colour."""
    kind, sign = VERDICTS.get(verdict, ("missed", "?"))
    return f'<span class="verdict {kind}">{sign} {text(verdict)}</span>'


def legend(rows: Iterable[Row]) -> str:
    """What the verdicts mean, if there is any."""
    if not any(row.get("paper") or row.get("readme") for row in rows):
        return ""
    said = {
        "reproduced": "inside the 95% interval of the difference between two such recalls",
        "cannot tell": "inside an interval of more than 1.5 points to either side",
        "near": "outside, within 1.5 points",
        "not reproduced": "further off; both directions count",
    }
    items = "; ".join(f"{badge(word)} {text(meaning)}" for word, meaning in said.items())
    return f'<p class="legend">Against the published number: {items}.</p>'


def notes(rows: Iterable[Row]) -> str:
    """Where rows are not quite what their names say: a line a note, with its methods."""
    methods: dict[str, list[str]] = {}
    for method, note in notes_of([*rows]).items():
        methods.setdefault(note, []).append(method)
    lines = "".join(
        f"<li><b>{text(', '.join(some))}</b>: {text(note)}</li>" for note, some in methods.items()
    )
    return f'<ul class="legend notes">{lines}</ul>' if lines else ""


def tested_cell(row: Row, k: str) -> str:
    """A difference between two rows, its interval and p-value."""
    found = row["paired"]
    sure = text(bounds(found["interval"][k], sign=True))
    return (
        f"<span>{found['difference'][k]:+z.2f}</span>"
        f'<span class="sub">{sure}</span>'
        f'<span class="sub">{text(probability(found["p_value"][k]))}</span>'
    )
