"""Cells of the tables: keys, numbers with intervals, the paper's, differences and verdicts."""

from muver.reproduction.report.markup import text
from muver.reproduction.report.recorded import BASE, Addresses
from muver.reproduction.tables.numbers import bounds
from muver.reproduction.tables.records import Part

# Sign and word say what the colour says.
VERDICTS = {
    "reproduced": ("reproduced", "\u2713"),
    "near": ("near", "\u2248"),
    "not reproduced": ("missed", "\u2717"),
    "cannot tell": ("open", "?"),
}
REFERENCES = {"paper": "paper", "readme": "README"}


def key_cell(name: str, keys: str, addresses: Addresses) -> str:
    """The key of a row, or the two of a figure: to its details, its search and run in MLflow."""
    return "<wbr>+ ".join(_key(name, key, addresses) for key in keys.split("+") if key)


def _key(name: str, key: str, addresses: Addresses) -> str:
    address = addresses.get((name, key))
    link = (
        f' <a class="mlflow" data-address="{text(address)}" href="{text(BASE + address)}" '
        f'rel="noreferrer" title="the run in MLflow">MLflow</a>'
        if address
        else ""
    )
    return (
        f'<a class="key" href="#row-{text(key)}"><code>{text(key)}</code></a> '
        f"{copy_button(key)}{link}"
    )


def copy_button(key: str) -> str:
    """A button that copies what finds a row's run in MLflow."""
    search = text(f"tags.row_key = '{key}'")
    return (
        f'<button type="button" class="copy" data-copy="{search}" '
        f'title="copy the search {search} for MLflow">copy search</button>'
    )


def recall_cell(number: str, part: Part, k: int, best: bool) -> str:
    """Recall with its interval; beside it the published one, the difference and the verdict."""
    lines = [
        f'<b class="best">{number}</b>' if best else f"<span>{number}</span>",
        f'<span class="sub">{text(bounds(part.interval.micro[k]))}</span>',
    ]
    for source, judged in part.published.items():
        if one := judged.get(k):
            lines.append(
                f'<span class="sub">{REFERENCES[source]} {one.recall:.2f}, '
                f"{one.difference:+z.2f} \u00b1 {one.half_width:.2f}</span>{badge(one.verdict)}"
            )
    return "".join(lines)


def badge(verdict: str) -> str:
    """A verdict by sign, word and colour."""
    kind, sign = VERDICTS.get(verdict, ("missed", "?"))
    return f'<span class="verdict {kind}">{sign} {text(verdict)}</span>'
