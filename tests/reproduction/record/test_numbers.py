"""The numbers of record: what is kept of a run, and how far apart machines and seeds lie."""

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.record.numbers import (
    Measured,
    OfRecord,
    RowOfRecord,
    has_model,
    joined,
    measured,
    read_numbers,
    replaced,
    spread,
)
from muver.reproduction.settings.entries import ByViews, Fused, Named
from muver.reproduction.tables.records import (
    ComparedPart,
    ComparedRow,
    ComparisonTable,
    LayersRow,
    Part,
    Seeds,
    StatisticsTable,
    ViewsTable,
)
from muver.reproduction.tracking.provenance import this_machine
from tests.blank import blank


def record(machine="a", data="f0", seeds=None, **rows):
    """Rows of 200 mentions on one machine: key, and the mentions found at 1 and at 8.

    ``seeds`` has by row the same of further seeds.
    """
    further = {
        key: {f"{key}_seed{n}": {1: hits[0], 8: hits[1]} for n, hits in enumerate(own, 1)}
        for key, own in (seeds or {}).items()
    }
    recorded = {
        key: RowOfRecord(
            key,
            key.upper(),
            ["table1"],
            {"test": Measured(200, {machine: {1: hits[0], 8: hits[1]}}, further.get(key, {}))},
        )
        for key, hits in rows.items()
    }
    return OfRecord("tiny", data, recorded)


def added(old, new):
    rows = {key: joined(row, new.rows.get(key)) for key, row in old.rows.items()}
    return replace(old, rows=rows)


def machines(of, key):
    return of.rows[key].sets["test"].machines


def test_rows_of_tables_are_counted_once_by_key():
    seeds = blank(Seeds, values={"muver": {1: 10.0}, "muver_seed1": {1: 12.5}})
    part = blank(ComparedPart, mentions=200, hits={1: 20}, seeds=seeds)
    row = blank(ComparedRow, system="muver", row_key="k1", sets={"test": part})
    layers = [
        blank(LayersRow, row_key=key, sets={"test": blank(Part, mentions=200, hits={1: hits})})
        for key, hits in (("k2", 7), ("k1", 20))
    ]
    data = {"dataset": "tiny", "fingerprint": "f0"}
    tables = {
        "table1": blank(ComparisonTable, name="table1", **data, rows=[row]),
        "table3": blank(ViewsTable, name="table3", **data, rows=layers),
        "table4": blank(StatisticsTable, name="table4", **data),
    }
    found = measured(tables, "here")
    assert (found.dataset, found.fingerprint, [*found.rows]) == ("tiny", "f0", ["k1", "k2"])
    assert found.rows["k1"].results == ["table1", "table3"]
    assert found.rows["k1"].sets["test"] == Measured(
        200, {"here": {1: 20}}, {"muver_seed1": {1: 25}}
    )
    assert found.rows["k2"].sets["test"].machines == {"here": {1: 7}}
    assert measured({"table4": tables["table4"]}, "here") is None


def test_a_page_made_again_keeps_other_machines_and_drops_rows_that_no_table_has():
    old = added(record(muver=(20, 40), gone=(1, 2)), record("b", muver=(21, 45), gone=(1, 1)))
    elsewhere = replace(old.rows["gone"], results=["fidelity"])
    old = replace(old, rows={**old.rows, "kept": elsewhere})
    new = replaced(old, record("c", muver=(22, 41), fresh=(5, 6)), ["table1"])
    assert {*new.rows} == {"muver", "fresh", "kept"}
    assert [*machines(new, "muver")] == ["c", "a", "b"]  # the page's first
    again = replaced(new, record("b", muver=(30, 50), fresh=(5, 6)), ["table1"])
    assert machines(again, "muver") == {
        "b": {1: 30, 8: 50}, "c": {1: 22, 8: 41}, "a": {1: 20, 8: 40},
    }  # fmt: skip
    assert [*machines(again, "muver")] == ["b", "c", "a"]


def test_other_data_begin_a_record_anew():
    new = record(data="f1", other=(1, 2))
    assert replaced(record(muver=(20, 40)), new, ["table1"]) == new


def test_a_further_machine_adds_to_known_rows_alone():
    found = added(record(muver=(20, 40)), record("b", muver=(19, 45), unknown=(1, 2)))
    assert machines(found, "muver") == {"a": {1: 20, 8: 40}, "b": {1: 19, 8: 45}}
    assert [*found.rows] == ["muver"]


def test_the_spread_is_the_widest_range_of_a_row():
    one = record(muver=(20, 40), som=(10, 60))
    assert widest(one, "machines") is None and widest(one, "seeds") is None
    three = added(
        added(one, record("b", muver=(21, 45), som=(10, 60))), record("c", muver=(20, 44))
    )
    assert str(widest(three, "machines")) == "up to 2.50 points (MUVER, R@8, 3 machines)"
    seeded = record(muver=(20, 40), seeds={"muver": [(28, 42)]})
    assert str(widest(seeded, "seeds")) == "up to 4.00 points (MUVER, R@1, 2 seeds)"
    first = replaced(seeded, record("b", muver=(27, 42), seeds={"muver": [(28, 42)]}), ["table1"])
    assert [*machines(first, "muver")] == ["b", "a"]
    assert str(widest(first, "seeds")) == "up to 4.00 points (MUVER, R@1, 2 seeds)"


def widest(of, over):
    return spread(of.rows.values(), over)


def test_a_row_made_of_a_model_s_row_has_a_model():
    systems = {
        "bm25": Named(method="BM25", retriever="bm25"),
        "twice": Fused(fuse=("bm25", "bm25_200"), by="reciprocal_rank"),
        "muver": ByViews(model="muver"),
        "both": Fused(fuse=("bm25", "muver"), by="reciprocal_rank"),
        "bm25_200": Named(method="BM25", retriever="bm25"),
        "reranked": Named(retriever="rerank", model="cross", from_="bm25"),
    }
    named = [name for name in systems if has_model(name, systems)]
    assert named == ["muver", "both", "reranked"]
    assert has_model("renamed since", systems)  # it is not held to be equal everywhere


def test_seeds_stay_whichever_table_comes_first():
    part = blank(ComparedPart, mentions=200, hits={1: 20})
    seeds = blank(Seeds, values={"muver": {1: 10.0}, "muver_seed1": {1: 12.5}})
    tables = {
        name: blank(
            ComparisonTable,
            name=name,
            rows=[blank(ComparedRow, system="muver", row_key="k", sets={"test": own})],
        )
        for name, own in (("table1", part), ("seeds", replace(part, seeds=seeds)))
    }
    for order in (("table1", "seeds"), ("seeds", "table1")):
        (row,) = measured({name: tables[name] for name in order}, "here").rows.values()
        assert row.results == [*order]
        assert row.sets["test"] == Measured(200, {"here": {1: 20}}, {"muver_seed1": {1: 25}})


def test_a_further_machine_leaves_the_seeds_of_the_page_s_machine():
    page = record(muver=(20, 40), seeds={"muver": [(28, 42)]})
    other = record("b", muver=(21, 41), seeds={"muver": [(1, 2), (22, 44)]})
    found = added(page, other).rows["muver"].sets["test"].seeds
    assert found == {"muver_seed1": {1: 28, 8: 42}, "muver_seed2": {1: 22, 8: 44}}


def test_a_record_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "tiny.json"
    assert read_numbers(path) is None
    write_json(path, record(muver=(20, 40)))
    assert read_numbers(path) == record(muver=(20, 40))
    write_json(path, {"dataset": "tiny", "fingerprint": "f0"})
    with pytest.raises(InputError, match=r"tiny\.json: not numbers of record .*`rows`"):
        read_numbers(path)


def test_a_machine_is_named_without_its_host():
    import platform

    assert "torch " in this_machine() and " cores" in this_machine()
    assert platform.node() not in this_machine()
