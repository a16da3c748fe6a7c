"""Numbers by row, from each form of table."""

import pytest

from muver.io.errors import InputError
from muver.reproduction.metrics.numbers import numbers_of
from muver.reproduction.tables.records import (
    ComparedPart,
    ComparedRow,
    ComparisonTable,
    DomainRow,
    DomainsTable,
    GridResult,
    LayersRow,
    ParametersTable,
    Part,
    PointRow,
    ViewsTable,
)
from muver.retriever.evaluation.records import KnowledgeBase
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


def test_a_table_without_recall_is_refused():
    with pytest.raises(InputError, match="table5: its rows have no recall"):
        numbers_of(blank(ParametersTable, name="table5"))
