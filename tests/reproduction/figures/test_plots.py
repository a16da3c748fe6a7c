"""What stands in the drawings: points where there are numbers, gaps where there are none."""

import numpy as np
import pytest
from msgspec.structs import replace

from muver.cli import main
from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.figures import plots, stage
from muver.reproduction.figures.plots import house_style
from muver.reproduction.figures.stage import make_figure
from muver.reproduction.tables.records import Merged, merging_curves, read_result
from tests.blank import blank, made_table


@pytest.fixture
def figure2(tmp_path, evaluations, settings, monkeypatch):
    """The numbers of figure 2, with the paper's beside them."""
    files = evaluations(identified_as="zeshel")
    settings = {**settings, "cutoff": 64}
    with monkeypatch.context() as patch:
        patch.setattr(stage, "save", lambda *_: None)
        make_figure("figure2", tmp_path, files, out=tmp_path / "figure2.csv", settings=settings)
    return read_result(tmp_path / "figure2.json")


def test_bins_without_mentions_are_gaps(figure2):
    with house_style():
        above, middle, below = plots.draw_lengths(figure2).axes
    blink, muver = [line for line in above.lines if len(line.get_xdata()) == 4]
    np.testing.assert_array_equal(blink.get_ydata(), [50, np.nan, 100, np.nan])
    np.testing.assert_array_equal(muver.get_ydata(), [25, np.nan, 50, np.nan])
    assert (blink.get_xdata() < muver.get_xdata()).all()  # equal values do not hide each other
    for axes, bands in ((above, 2), (middle, 1)):
        assert len(axes.collections) == bands
        for band in axes.collections:
            spans = [path.get_extents().intervalx.tolist() for path in band.get_paths()]
            assert spans == [[0.5, 5.5], [10.5, 15.5]]
    difference = next(line for line in middle.lines if len(line.get_xdata()) == 4)
    np.testing.assert_array_equal(difference.get_xdata(), [3, 8, 13, 18])
    np.testing.assert_array_equal(difference.get_ydata(), [-25, np.nan, -50, np.nan])
    assert [bar.get_height() for bar in below.patches] == [4, 0, 2, 0]
    assert [text.get_text() for text in below.texts] == ["4", "0", "2", "0"]
    assert above.get_ylabel() == "error of recall@64 (%)"
    assert middle.get_ylabel() == "difference\n(points)"
    assert middle.get_title(loc="left") == "MuVER minus BLINK (128 tokens)"
    assert below.get_ylabel() == "mentions"
    assert below.get_xlabel() == "sentences in the gold entity's description"
    bins = [label.get_text() for label in below.get_xticklabels()]
    assert bins == ["1–5", "6–10", "11–15", "16–20"]
    hollow = [line for line in above.lines if line.get_markerfacecolor() == "none"]  # the paper's
    assert [line.get_xdata().tolist() for line in hollow] == [[7.5, 77.5]] * 2
    assert [line.get_ydata().tolist() for line in hollow] == [[7.79, 39.91], [6.78, 17.65]]


def test_a_bin_of_one_mention_has_a_marker_and_no_line(figure2):
    figure2.bins[2] = replace(figure2.bins[2], mentions=1)
    with house_style():
        above = plots.draw_lengths(replace(figure2, paper=None)).axes[0]
    line, alone = (one for one in above.lines if one.get_color() == plots.BLUE)
    np.testing.assert_array_equal(line.get_ydata(), [25, np.nan, np.nan, np.nan])
    assert (alone.get_linestyle(), alone.get_ydata().tolist()) == ("None", [50])


def make_row(method, layers, search, views, recall):
    start = {"start": PLAIN["system"], "searched": f"{search} pairs"} if search else {}
    merged = blank(Merged, layers=layers, **start) if search else None
    system = f"{method}{layers}{search}"
    return {"method": method, "system": system, "recall": {64: recall}, "views": views,
            "merged": merged}  # fmt: skip


def make_table(*rows):
    return made_table(*rows, caption="Table 3", layout="views", figure="vectors")


BLINK = make_row("BLINK (512 tokens)", 0, None, 1, 80.0)
SOM = make_row("SOM", 0, None, 128.0, 82.0)
PLAIN = make_row("Sentences", 0, None, 10.0, 84.0)  # its name says nothing of what starts there
MERGED = [
    make_row("MuVER", 1, "distant", 14.0, 85.0),
    make_row("MuVER", 2, "distant", 18.0, 86.0),
    make_row("MuVER", 1, "close", 13.0, 84.5),
]


def test_curves_start_where_nothing_is_merged():
    rows = make_table(BLINK, SOM, PLAIN, *MERGED).rows
    curves = merging_curves(rows)
    assert curves.pop("MuVER, distant pairs") == rows[2:5]
    assert curves.pop("MuVER, close pairs") == [rows[2], rows[5]]
    assert [*curves.values()] == [[row] for row in rows[:3]]
    alone = merging_curves(make_table(BLINK, SOM, *MERGED).rows)
    assert len(alone["MuVER, distant pairs"]) == 2


def test_table3_drawn():
    with house_style():
        figure = plots.draw_recall(make_table(BLINK, SOM, PLAIN, *MERGED[::-1]))
    everything, merging = figure.axes
    drawn = {
        axes: {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
        for axes in figure.axes
    }
    start = [10.0, 84.0]
    curves = {
        "MuVER, close pairs": [start, [13.0, 84.5]],
        "MuVER, distant pairs": [start, [14.0, 85.0], [18.0, 86.0]],
        "Sentences": [start],
    }
    assert drawn[merging] == curves
    points = {"BLINK (512 tokens)": [[1.0, 80.0]], "SOM": [[128.0, 82.0]]}
    assert drawn[everything] == curves | points
    looks = {(line.get_color(), line.get_marker()) for line in everything.lines}
    assert len(looks) == 5
    assert everything.get_title(loc="left") == "recall@64 (%)"
    assert merging.get_xlabel() == "vectors an entity, on average (log scale)"
    ticks = [label.get_text() for label in everything.get_xticklabels()]
    assert ticks == ["1", "2", "3", "5", "10", "20", "30", "50", "100"]


def test_rows_without_views_have_no_place():
    lexical = make_row("BM25", 0, None, None, 70.0)
    with house_style():
        figure = plots.draw_recall(make_table(lexical, BLINK))
    assert [line.get_label() for line in figure.axes[0].lines] == ["BLINK (512 tokens)"]
    assert len(figure.axes) == 1  # nothing is merged
    with pytest.raises(InputError, match="table1: no row has vectors"):
        plots.draw_recall(make_table(lexical))


def test_table3_from_its_json(tmp_path):
    table = tmp_path / "table3.json"
    write_json(table, make_table(BLINK, PLAIN, *MERGED))
    arguments = ["stage", "figure", "--name", "table3", "--table", str(table)]
    arguments += ["--figures", str(tmp_path)]
    assert main(arguments) == 0
    assert (tmp_path / "table3.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "table3.png").read_bytes().startswith(b"\x89PNG")


def test_other_json(tmp_path):
    write_json(tmp_path / "table3.json", [])
    with pytest.raises(InputError, match="table3.json"):
        make_figure("table3", tmp_path, table=tmp_path / "table3.json")


def compared(*rows, figure="vectors"):
    """A comparison of rows: method, vectors an entity, recall at 16 and perhaps share of labels."""
    made = [
        {"method": method, "system": method, "recall": {16: recall}, "views": vectors}
        | {"labelled": labelled[0] if labelled else None}
        for method, vectors, recall, *labelled in rows
    ]
    return made_table(*made, name="tradeoff", caption="Trade", figure=figure)


def test_recall_against_vectors(tmp_path, monkeypatch):
    """A curve a method, from few vectors to many; a row without vectors has no place."""
    rows = [("BM25", None, 60.0), ("SOM", 115.0, 90.0), ("SOM, 8 pooled vectors", 7.5, 85.0)]
    table = compared(*rows, ("BLINK (128 tokens)", 1.0, 70.0))
    with house_style():
        (axes,) = plots.draw_recall(table).axes
    drawn = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert drawn == {"SOM": [[7.5, 85], [115, 90]], "BLINK (128 tokens)": [[1, 70]]}
    assert axes.get_title(loc="left") == "recall@16 (%)"
    write_json(tmp_path / "tradeoff.json", table)
    saved = []
    monkeypatch.setattr(stage, "save", lambda figure, *where: saved.append((figure, *where)))
    make_figure("tradeoff", tmp_path, table=tmp_path / "tradeoff.json")
    ((figure, *where),) = saved
    assert len(figure.axes) == 1 and where == [tmp_path, "tradeoff"]
    with pytest.raises(InputError, match="tradeoff: no row has vectors"):
        plots.draw_recall(compared(rows[0]))


def test_recall_against_labelled_mentions():
    """Shares stand side by side, none of them too; a row without training has no place."""
    rows = [("BM25", None, 60.0), ("SOM", 115.0, 90.0, 1), ("SOM, no labels", 115.0, 40.0, 0)]
    table = compared(*rows, ("BLINK, 10% of the labels", 1.0, 50.0, 0.1), figure="labelled")
    with house_style():
        (axes,) = plots.draw_recall(table).axes
    drawn = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert drawn == {"SOM": [[0, 40], [2, 90]], "BLINK": [[1, 50]]}
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "10", "100"]
