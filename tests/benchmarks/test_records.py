"""Stored runs stay as they are, and their ratios follow from their figures."""

import statistics
import subprocess

import pytest

from benchmarks import records
from benchmarks.records import ROOT, Run, read_runs
from benchmarks.rows import Findings, Row

PEAK_AGAIN = "2026-11-28"  # since when a share is of a peak of the same minute, in its remark
MACHINE = {"device": "Kind A", "CPU": "Kind A", "threads": "2", "vector instructions": "AVX2"}


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git knows what was stored first")
def test_no_stored_run_was_edited_or_removed():
    first: dict[str, str] = {}
    format = "--reverse", "--format=", "--raw", "--no-renames", "--abbrev=40", "--diff-filter=A"
    for line in _git("log", *format, "--", ":(glob)benchmarks/figures/*/*.json"):
        *_, blob, _, path = line.split()
        first.setdefault(path, blob)
    assert [path for path in first if not (ROOT / path).exists()] == []
    now = dict(zip(first, _git("hash-object", *first), strict=True)) if first else {}
    assert now == first


def _recomputed(row: Row, run: Run) -> float | None:
    """A ratio from the other figures of its run; None if it is a figure itself."""
    named = {one.what: one.ours for one in run.rows}
    if row.ratios:
        return statistics.median(row.ratios)
    if "share of the" in row.what:
        if run.date >= PEAK_AGAIN:
            return row.ours / float(row.remark.split()[1].rstrip(";").replace(",", ""))
        precision = row.what.split()[-2]
        return row.ours / named[f"matrix product, {precision}"]
    if row.what.startswith("memory over"):
        return row.ours / named["memory over that of batch 16, batch 16"]
    if "over our most expensive setting" in row.what:
        return row.ours / float(row.remark.split()[3])
    if row.baseline is None:
        return row.ours if row.what.endswith(": seconds") else None
    faster = row.unit == "s" or row.what.endswith("beside making all afresh")
    return row.baseline / row.ours if faster else row.ours / row.baseline


@pytest.mark.parametrize(
    "run", [run for runs in read_runs().values() for run in runs], ids=lambda run: run.commit
)
def test_ratios_follow_from_figures(run: Run):
    for row in run.rows:
        value = _recomputed(row, run)
        if value is None:  # of these only gigabytes have a reach
            assert row.reach is None or row.phase == "large world", row.what
        else:
            rounded = "setting takes" in row.remark or "real tokens only" in row.remark
            assert row.ratio == pytest.approx(value, rel=2e-3 if rounded else 1e-9), row.what


def test_a_run_is_added_beside_the_older(tmp_path):
    findings = Findings([Row("ranking", "max", "mentions/s", 40.0, 1000.0, 25.0, 20.0)])
    given = findings, MACHINE, "made", "python -m benchmarks", tmp_path
    paths = [records.save(*given, name) for name in ("2026-01-01T010203-bb", "2026-01-01T010204-a")]
    before = paths[0].read_bytes()
    assert b"verdict" not in before
    with pytest.raises(FileExistsError):
        records.save(*given, paths[0].stem)
    assert paths[0].read_bytes() == before
    [runs] = read_runs(tmp_path).values()
    assert [run.commit for run in runs] == ["bb", "a"]
    assert runs[0].rows[0].verdict == "met"


@pytest.mark.parametrize(("dirty", "end"), [("false", "-aaaaaaa"), ("true", "-aaaaaaa-changed")])
def test_a_run_is_named_by_its_commit(monkeypatch, dirty, end):
    code = {"git_commit": "a" * 40, "git_dirty": dirty}
    monkeypatch.setattr(records, "code_version", lambda _: code)
    assert records.name_run().endswith(end)
