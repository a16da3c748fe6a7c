"""Points of each kind of plot."""

import pytest

from muver.io.errors import InputError
from muver.reproduction.metrics.curves import curves_of
from muver.reproduction.tables.records import (
    ComparedPart,
    ComparedRow,
    ComparisonTable,
    LayersRow,
    LengthsFigure,
    Part,
    Row,
    StatisticsTable,
    TableSet,
    ViewsTable,
)
from muver.retriever.evaluation.lengths import Bin
from muver.retriever.evaluation.records import Means
from tests.blank import blank

CLOSE = {"search": "close", "searched": "close pairs", "start": "sentences"}
SCORES = {
    "micro": {1: 10.0, 64: 50.5},
    "interval": Means(micro={1: [5.0, 15.0], 64: [45.5, 55.5]}, macro={}),
}


def layers(method: str, number: int, views: float | None, **more) -> LayersRow:
    return blank(
        LayersRow,
        method=method,
        system=method.lower(),
        merge_layers=number,
        views_per_entity=views,
        sets={"test": blank(Part, **SCORES)},
        **more,
    )


def test_recall_by_cutoff():
    part = blank(ComparedPart, **SCORES)
    rows = [blank(ComparedRow, method=name, sets={"test": part}) for name in ("BM25", "MuVER, max")]
    sets = [blank(TableSet, set="test")]
    table = blank(ComparisonTable, sets=sets, cutoffs=[1, 64], rows=rows)
    assert curves_of(table).splitlines() == [
        "row,k,recall,low,high",
        "BM25,1,10.0,5.0,15.0",
        "BM25,64,50.5,45.5,55.5",
        '"MuVER, max",1,10.0,5.0,15.0',
        '"MuVER, max",64,50.5,45.5,55.5',
    ]


def test_recall_by_views_starts_where_nothing_is_merged():
    rows = [
        layers("SOM", 0, None), layers("Sentences", 0, 15.0), layers("MuVER", 1, 18.5, **CLOSE)
    ]  # fmt: skip
    assert curves_of(blank(ViewsTable, cutoff=64, rows=rows)).splitlines() == [
        "row,views,recall,low,high",
        "Sentences,15.0,50.5,45.5,55.5",
        '"MuVER, close pairs",15.0,50.5,45.5,55.5',
        '"MuVER, close pairs",18.5,50.5,45.5,55.5',
    ]


def test_errors_by_length_leave_out_bins_without_mentions():
    bins = [Bin(1, 5, 4, [1, 2], [25.0, 50.0], [[1, 2], [3, 4]]), Bin(6, 10, 0, [0, 0])]
    rows = [blank(Row, method=method) for method in ("BLINK", "MuVER")]
    assert curves_of(blank(LengthsFigure, rows=rows, bins=bins)).splitlines() == [
        "row,sentences,error,low,high",
        "BLINK,1,25.0,1,2",
        "MuVER,1,50.0,3,4",
    ]


def test_what_has_no_recall_is_refused():
    with pytest.raises(InputError, match="table4: its rows have no recall"):
        curves_of(blank(StatisticsTable, name="table4"))
