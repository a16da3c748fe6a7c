"""The contrasts of a table: what the paper claims, beside what was found."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.report.cells import badge
from muver.report.embed import text
from muver.report.grids import grid, paragraph
from muver.tables.numbers import bounds, probability

LABELS = {"domain": "Domain", "set": "Set"}


def contrasts(data: Mapping[str, Any], cutoffs: Sequence[str]) -> list[str]:
    """A grid of a table's ``contrasts``; nothing where there are none."""
    found = data.get("contrasts") or []
    if not found:
        return []
    labels = [key for key in LABELS if key in found[0]]
    header = ["method", *(LABELS[key] for key in labels), *(f"R@{k}" for k in cutoffs)]
    cells = [
        [
            text(one["method"]),
            *(text(one[key]) for key in labels),
            *(_cell(one, k) for k in cutoffs),
        ]
        for one in found
    ]
    title = "The paper's contrasts"
    note = (
        f"{title}: one row minus another over the same mentions, in points, with 95% interval and "
        "p-value."
    )
    if any(verdict for one in found for verdict in one["verdict"].values()):
        note += " Below it the paper's difference, and whether what it claims holds here."
    return [paragraph(note), grid(title, header, cells, tuple(range(1 + len(labels))))]


def _cell(one: Mapping[str, Any], k: str) -> str:
    parts = [
        f"<span>{one['difference'][k]:+z.2f}</span>",
        f'<span class="sub">{text(bounds(one["interval"][k], sign=True))}</span>',
        f'<span class="sub">{text(probability(one["p_value"][k]))}</span>',
    ]
    if one["verdict"][k] is not None:
        parts.append(f'<span class="sub">paper {one["paper"][k]:+z.2f}</span>')
        parts.append(badge(one["verdict"][k]))
    return "".join(parts)
