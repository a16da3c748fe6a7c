"""Numbers by row and points of curves, from each kind of result, and their files."""

import json

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.metrics import curves_of, numbers_of, write_metrics
from muver.reproduction.tables.records import (
    ComparedPart,
    ComparedRow,
    ComparisonTable,
    DomainRow,
    DomainsTable,
    GridResult,
    LayersRow,
    LengthsFigure,
    Linked,
    LinkedRow,
    LinkingTable,
    Measure,
    Part,
    PointRow,
    Row,
    TableSet,
    ViewsTable,
)
from muver.retriever.evaluation.lengths import Bin
from muver.retriever.evaluation.records import KnowledgeBase, Means
from tests.blank import blank


def part(**micro: float) -> dict[str, Part]:
    """A row's part on its one set; ``at_64=60.5``."""
    return {
        "test": blank(Part, micro={int(k.removeprefix("at_")): one for k, one in micro.items()})
    }


def test_a_table_of_rows_has_recall_at_its_cutoffs():
    sets = {"test": blank(ComparedPart, micro={1: 7.25, 64: 57.75})}
    rows = [blank(ComparedRow, system="muver", sets=sets)]
    assert numbers_of(blank(ComparisonTable, cutoffs=[1, 64], rows=rows)) == {
        "muver": {"R@01": 7.25, "R@64": 57.75}
    }


def test_a_table_of_views_has_its_cutoff_and_the_views_of_rows_that_have_any():
    rows = [
        blank(LayersRow, system="som", sets=part(at_1=1.0, at_64=60.5)),
        blank(LayersRow, system="d1", views_per_entity=17.5, sets=part(at_64=59.0)),
    ]
    assert numbers_of(blank(ViewsTable, cutoff=64, cutoffs=[1, 64], rows=rows)) == {
        "som": {"R@64": 60.5},
        "d1": {"R@64": 59, "views": 17.5},
    }


def test_domains_stand_in_one_file_a_row():
    rows = [
        blank(DomainRow, system=system, domain=domain, sets=part(at_1=0.0, at_64=recall))
        for domain, system, recall in (
            ("lego", "a", 10.0),
            ("lego", "b", 20.0),
            ("mean", "a", 30.0),
        )
    ]
    assert numbers_of(blank(DomainsTable, cutoffs=[1, 64], rows=rows)) == {
        "a": {"R@64 lego": 10.0, "R@64 mean": 30.0},
        "b": {"R@64 lego": 20.0},
    }


def test_linking_has_its_shares_and_the_curves_of_a_comparison():
    measures = {"found": Measure(72.5, [70.0, 75.0]), "normalised": Measure(62.5, [60.0, 65.0])}
    sets = {"test": blank(ComparedPart, **SCORES)}
    row = blank(LinkedRow, method="A", system="a", linked=Linked(measures, None), sets=sets)
    made = {"sets": [blank(TableSet, set="test")], "cutoffs": [1, 64], "rows": [row]}
    table = blank(LinkingTable, **made)
    assert numbers_of(table) == {"a": {"found": 72.5, "normalised": 62.5}}
    assert curves_of(table).splitlines()[1:] == ["A,1,10.0,5.0,15.0", "A,64,50.5,45.5,55.5"]


def test_sets_stand_in_one_file_a_row():
    sets = {
        "msnbc": blank(ComparedPart, micro={10: 90.5, 100: 95.0}),
        "wnedwiki": blank(ComparedPart, micro={10: 1.0, 100: 2.0}),
    }
    rows = [blank(ComparedRow, system="blink", sets=sets)]
    kb = blank(KnowledgeBase, entities=9)
    assert numbers_of(blank(ComparisonTable, kb=kb, cutoffs=[10, 100], rows=rows)) == {
        "blink": {
            "R@010 msnbc": 90.5, "R@100 msnbc": 95.0, "R@010 wnedwiki": 1.0, "R@100 wnedwiki": 2.0,
        }
    }  # fmt: skip


def test_points_of_the_grid_have_validation_recall_and_step():
    rows = [blank(PointRow, system="lr1", recall=37.0, step=126)]
    assert numbers_of(blank(GridResult, cutoff=16, rows=rows)) == {
        "lr1": {"R@16 validation": 37.0, "step": 126}
    }


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


INTERVAL = Means(micro={1: [20.0, 30.0]}, macro={})
SETS = {"test": blank(ComparedPart, micro={1: 25.0}, interval=INTERVAL)}
ROWS = [
    blank(ComparedRow, method=method, system=system, sets=SETS)
    for method, system in (("BM25", "bm25"), ("MuVER", "muver"))
]
TABLE = blank(ComparisonTable, cutoffs=[1], sets=[blank(TableSet, set="test")], rows=ROWS)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table1.json"
    write_json(path, TABLE)
    return path


def files(folder) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_a_row_and_a_file_a_plot(table, tmp_path):
    write_metrics([table], [table], tmp_path / "metrics", tmp_path / "plots")
    assert files(tmp_path / "metrics") == ["table1/bm25.json", "table1/muver.json"]
    assert json.loads((tmp_path / "metrics/table1/muver.json").read_text()) == {"R@1": 25.0}
    assert (tmp_path / "plots/table1.csv").read_text().count("\n") == 3


def test_dropped_rows_and_results_leave_the_folders(table, tmp_path):
    write_metrics([table], [table], tmp_path / "metrics", tmp_path / "plots")
    write_json(table, replace(TABLE, rows=ROWS[:1]))
    write_metrics([table], [], tmp_path / "metrics", tmp_path / "plots")
    assert files(tmp_path / "metrics") == ["table1/bm25.json"]
    assert files(tmp_path / "plots") == []


@pytest.mark.parametrize("content", [{}, {"kind": "parameters"}])
def test_what_has_no_recall_is_refused(tmp_path, content):
    write_json(tmp_path / "x.json", content)
    with pytest.raises(InputError, match=r"x\.json: not the JSON of rows with recall"):
        write_metrics([tmp_path / "x.json"], [], tmp_path / "m", tmp_path / "p")
