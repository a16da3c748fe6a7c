"""Table 1 over the invented data's ``one_aspect``: docs/results/one_aspect.csv and its figure.

``make aspects`` runs this. How many contexts keep to one part of a description decides how much
views can show; the figure draws every row's recall at 16, and its difference from BLINK (128
tokens), where none, half and all of them do. It leaves the last one's table in results/; `make
table1` brings the default's back.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from muver.io.files import atomic_path, write_text
from muver.reproduction.figures.plots import CURVES, house_style
from muver.reproduction.settings.file import written
from muver.reproduction.tables.records import Table, read_result
from muver.reproduction.tables.render import csv_text

SHARES = {0.0: "none", 0.5: "half", 1.0: "all"}
AGAINST, CUTOFF = "blink_128", 16
WIKIS, NUMBERS = Path("build/wikis"), Path("docs/results/one_aspect.csv")
DRAWING = Path("docs/images/one_aspect.svg")


class Line(NamedTuple):
    """A row at a share; the difference from BLINK (128 tokens), with its 95% interval, in points.

    Of BLINK itself the difference and its bounds are 0.
    """

    one_aspect: float
    method: str
    recall: float
    difference: float
    low: float
    high: float
    row_key: str


def measure(share: float) -> list[Line]:
    """Table 1 on the data with this share, each row tested against BLINK (128 tokens)."""
    wikis = WIKIS / f"one_aspect_{share}"
    generator = [sys.executable, "-m", "miniwikia", "miniwikia"]
    subprocess.run([*generator, wikis, f"one_aspect={share}"], check=True)
    config = {
        "preset": "miniwikia", "dataset": str(wikis), "tables": {"table1": {"against": AGAINST}},
        "tracking": {"enabled": False},
    }  # fmt: skip
    command = ["snakemake", "--cores", "all", "results/table1.csv", "--config", *written(config)]
    subprocess.run(command, check=True)
    table = read_result(Path("results", wikis.name, "table1.json"), Table)
    against = {row.first: (row.difference, row.low, row.high) for row in table.contrasts
               if (row.kind, row.k) == ("against", CUTOFF)}  # fmt: skip
    return [
        Line(
            share, row.method, table.line(row.row_key, CUTOFF).recall,
            *against.get(row.system, (0.0, 0.0, 0.0)), row.row_key,
        )
        for row in table.rows
    ]  # fmt: skip


def draw(lines: list[Line]) -> None:
    """Both panels, a line for each method."""
    with house_style():
        figure = Figure(figsize=(8.3, 3.4), layout="constrained")
        recall, difference = figure.subplots(1, 2)
        methods = dict.fromkeys(line.method for line in lines)
        for number, (method, (colour, marker)) in enumerate(zip(methods, CURVES, strict=False)):
            shares, _, recalls, middle, low, high, _ = zip(
                *(line for line in lines if line.method == method), strict=True
            )
            style: dict[str, Any] = {"color": colour, "marker": marker, "label": method}
            recall.plot(shares, recalls, **style)
            bounds = [np.subtract(middle, low), np.subtract(high, middle)]
            aside = np.add(shares, 0.02 * (number - 3))  # so that intervals don't hide each other
            difference.errorbar(aside, middle, bounds, capsize=2, **style)
        recall.set_title(f"Recall@{CUTOFF} in percent")
        difference.set_title("minus BLINK (128 tokens), points, 95% intervals")
        for axes in (recall, difference):
            axes.set_xticks([*SHARES], [*SHARES.values()])
            axes.set_xlabel("contexts that keep to one part of a description")
        figure.legend(*recall.get_legend_handles_labels(), loc="outside right center")
        with atomic_path(DRAWING) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None})


def main() -> None:
    """Measure each share, write the numbers and draw them."""
    lines = [line for share in SHARES for line in measure(share)]
    write_text(NUMBERS, csv_text(Line._fields, lines))
    draw(lines)


if __name__ == "__main__":
    main()
