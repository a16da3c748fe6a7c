"""Rows and report of a plan, by hand."""

import pytest

from muver.plan.indices import plan_index
from muver.plan.machine import Machine
from muver.plan.rate import Rate
from muver.plan.report import text, totals, unfit
from muver.plan.settings import check
from muver.plan.stages import plan_rows
from muver.plan.storage import Base

SETTINGS = check(
    {
        "entities": 100_000,
        "dump_bytes": 36_000_000,
        "models": {
            "blink": {"kind": "prefix", "max_tokens": 128},
            "muver": {"kind": "sentences", "max_tokens": 40},
        },
        "encoder": {"hidden_size": 64},
        "indices": ["ivf_sq", "hnsw"],
        "mentions": 36,
        "workers": 2,
        "devices": 4,
    }
)
BASE = Base(100_000, 7_000_000, 300_000, "measured")
RATES = {
    "read": Rate(0.5, "MB/s"),
    "exact": Rate(1000.0, "products/s", "measured", "views"),
    "encode": {"muver": Rate(2.5, "views/s", "measured", "views")},
    "build": {"hnsw": Rate(25.0, "views/s")},
    "search": {"ivf_sq": Rate(0.01, "mentions/s")},
}
GPU = Machine("build", 10**12, 10**12, 2, 1)
SMALL = Machine("build", 100_000_000, 90_000_000, 2, 0)


def by_name(rows):
    return {(row.stage, row.model, row.kind): row for row in rows}


def test_rows_by_hand():
    rows = by_name(plan_rows(SETTINGS, BASE, RATES, GPU))
    assert len(rows) == 2 + 2 * (2 + 1 + 2 * 2)
    assert rows["dump", "", ""].disk == 36_000_000
    kb = rows["kb", "", ""]
    assert (kb.disk, kb.size_origin) == (7_000_000, "measured")
    assert kb.hours == pytest.approx(36 / (0.5 * 2) / 3600)
    blink, muver = (rows["encode-part", model, ""] for model in ("blink", "muver"))
    # 64 values of 2 bytes a view, a byte an entity; one view, or three.
    assert (blink.disk, muver.disk) == (100_000 * 129, 300_000 * 128 + 100_000)
    assert (blink.size_origin, muver.size_origin) == ("projected", "projected")
    assert blink.hours is None and muver.hours == pytest.approx(300_000 / (2.5 * 4) / 3600)
    assert muver.gpu_memory > 0 and blink.memory < muver.memory
    assert rows["encode-mentions", "muver", ""].disk == 36 * 64 * 4
    exact = rows["ann-search", "muver", "exact"]
    assert exact.hours == pytest.approx(36 * 300_000 / 1000 / 3600)
    assert exact.memory == 1024 * 2**20 + 36 * 64 * 4
    plan = plan_index("hnsw", 300_000, 64, SETTINGS)
    build = rows["ann-build", "muver", "hnsw"]
    assert (build.index, build.disk, build.memory) == ("HNSW32", plan.disk, plan.build)
    assert build.hours == pytest.approx(300_000 / 25 / 3600)
    assert rows["ann-build", "muver", "ivf_sq"].hours is None
    search = rows["ann-search", "muver", "ivf_sq"]
    assert search.hours == pytest.approx(1.0) and search.index.startswith("IVF")
    assert rows["ann-search", "muver", "hnsw"].memory == plan.search + 36 * 64 * 4


def test_a_given_rate_of_exact_search_is_of_mentions():
    rates = {**RATES, "search": {"exact": Rate(0.01, "mentions/s")}}
    rows = by_name(plan_rows(SETTINGS, BASE, rates, GPU))
    assert rows["ann-search", "blink", "exact"].hours == pytest.approx(1.0)


def test_without_a_gpu_nothing_is_in_its_memory():
    for machine, settings in ((SMALL, SETTINGS), (GPU, {**SETTINGS, "device": "cpu"})):
        rows = plan_rows(settings, BASE, RATES, machine)
        assert {row.gpu_memory for row in rows} == {0}


def test_totals_by_hand():
    rows = plan_rows(SETTINGS, BASE, RATES, GPU)
    kept = 36_000_000 + 7_000_000 + 12_900_000 + 38_500_000 + 2 * 9216
    sums = totals(rows)
    assert list(sums) == ["no index", "ivf_sq", "hnsw"] and sums["no index"] == kept
    both = sum(plan_index("hnsw", views, 64, SETTINGS).disk for views in (100_000, 300_000))
    assert sums["hnsw"] == kept + both


def test_what_does_not_fit_is_said():
    assert unfit(plan_rows(SETTINGS, BASE, RATES, GPU), GPU) == []
    found = unfit(plan_rows(SETTINGS, BASE, RATES, SMALL), SMALL)
    assert found[0] == ("Disk: the run with no index takes 0.09 GB, build has room for 0.09 GB.")
    assert [line.split(" takes")[0] for line in found[1:3]] == [
        "Disk: the run with ivf_sq",
        "Disk: the run with hnsw",
    ]
    assert "Memory: ann-search muver exact takes 1.07 GB, this machine has 0.10 GB." in found
    assert not any("encode-mentions" in line for line in found)
    assert unfit([], SMALL) == []


def test_the_table_says_what_is_what():
    rows = plan_rows(SETTINGS, BASE, RATES, GPU)
    lines = text(rows, GPU).splitlines()
    cells = {tuple(line.split()[:2]): line.split() for line in lines[1 : len(rows) + 1]}
    assert cells["encode-part", "muver"][2:4] == ["0.04", "projected"]
    assert cells["encode-part", "muver"][-4:] == ["8.33", "2.5", "views/s,", "measured"]
    assert cells["encode-part", "blink"][-2:] == ["-", "-"]
    assert cells["kb", "0.01"][-3:] == ["0.5", "MB/s,", "given"]
    assert lines[-1] == "Everything fits this machine."
    assert "disk with no index: 0.09 GB" in lines
    assert any(line.startswith("Hours are projected") for line in lines)
    assert "Disk: the run with hnsw takes" in text(rows, SMALL)
