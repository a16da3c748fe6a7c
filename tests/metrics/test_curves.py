"""Points of each kind of plot."""

import pytest

from muver.io.errors import InputError
from muver.metrics.curves import curves_of

NOTHING = dict.fromkeys(("search", "searched", "start"))
CLOSE = {"search": "close", "searched": "close pairs", "start": "sentences"}


def row(method: str, **more) -> dict:
    recall = {"1": 10.0, "64": 50.5}
    interval = {"micro": {"1": [5.0, 15.0], "64": [45.5, 55.5]}}
    return {
        "method": method,
        "system": method.lower(),
        "micro": recall,
        "interval": interval,
        **more,
    }


def test_recall_by_cutoff():
    rows = [{"method": name, "sets": {"test": row(name)}} for name in ("BM25", "MuVER, max")]
    sets = [{"set": "test", "column": ""}]
    head = {"kind": "comparison", "kb": None, "sets": sets, "cutoffs": [1, 64]}
    assert curves_of({**head, "rows": rows}).splitlines() == [
        "row,k,recall,low,high",
        "BM25,1,10.0,5.0,15.0",
        "BM25,64,50.5,45.5,55.5",
        '"MuVER, max",1,10.0,5.0,15.0',
        '"MuVER, max",64,50.5,45.5,55.5',
    ]


def test_recall_by_views_starts_where_nothing_is_merged():
    rows = [
        row("SOM", merge_layers=0, **NOTHING, views_per_entity=None),
        row("Sentences", merge_layers=0, **NOTHING, views_per_entity=15.0),
        row("MuVER", merge_layers=1, **CLOSE, views_per_entity=18.5),
    ]
    assert curves_of({"kind": "views", "cutoff": 64, "rows": rows}).splitlines() == [
        "row,views,recall,low,high",
        "Sentences,15.0,50.5,45.5,55.5",
        '"MuVER, close pairs",15.0,50.5,45.5,55.5',
        '"MuVER, close pairs",18.5,50.5,45.5,55.5',
    ]


def test_errors_by_length_leave_out_bins_without_mentions():
    bins = [
        {"first": 1, "last": 5, "mentions": 4, "error": [25.0, 50.0], "interval": [[1, 2], [3, 4]]},
        {"first": 6, "last": 10, "mentions": 0},
    ]
    figure = {"kind": "lengths", "rows": [{"method": "BLINK"}, {"method": "MuVER"}], "bins": bins}
    assert curves_of(figure).splitlines() == [
        "row,sentences,error,low,high",
        "BLINK,1,25.0,1,2",
        "MuVER,1,50.0,3,4",
    ]


def test_what_has_no_recall_is_refused():
    with pytest.raises(InputError, match="table4: its rows have no recall"):
        curves_of({"name": "table4", "rows": [{"split": "train"}]})
