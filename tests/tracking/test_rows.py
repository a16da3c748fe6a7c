"""What is recorded of the tables as the table stage writes them."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.tables.stage import make_table
from muver.tracking.entry import Entry
from muver.tracking.files import Files
from muver.tracking.rows import entries
from tests.tables.conftest import ZESHEL, make, write

__all__ = ["write"]  # a fixture


def entries_of(table: Path, evaluations: list[Path]) -> list[Entry]:
    runs = [path.with_suffix(".run") for path in evaluations]
    for run in runs:
        run.touch()
    return entries(read_json(table), "results/table.csv", Files(evaluations, runs, []))


def zeshel(system: str, hits: int, seed: int = 1, **other: Any) -> dict[str, Any]:
    settings = {"system": system, "seed": seed}
    return make(system, (hits, 8), (1, 3), **ZESHEL, settings=settings, **other)


def test_a_comparison_on_the_papers_dataset(tmp_path: Path, write):
    paths = write(zeshel("blink_128", 1), zeshel("muver", 4), zeshel("muver_seed7", 6, seed=7))
    rows = [
        {"method": "BLINK (128 tokens)", "system": "blink_128"},
        {"method": "MuVER", "system": "muver", "repeats": ["muver_seed7"]},
    ]
    make_table("table1", paths, tmp_path / "table1.csv", {"rows": rows, "against": "blink_128"})
    blink, above = entries_of(tmp_path / "table1.json", paths)
    assert not blink.children
    assert blink.tags["verdict_at_64"] in {"reproduced", "near", "not reproduced", "cannot tell"}
    first, second = above.children
    assert above.metrics["mean/recall_at_01"] == 100 * 6 / 11
    assert [first.name, second.name] == ["MuVER (seed 1)", "MuVER (seed 7)"]
    found = first.metrics["recall_at_64"], first.metrics["paper/recall_at_64"]
    assert found[0] == 100
    assert first.metrics["difference/recall_at_64"] == found[0] - found[1]
    assert first.metrics["low/recall_at_01"] < 100 * 5 / 11 < first.metrics["high/recall_at_01"]
    assert "readme/recall_at_64" in first.metrics
    assert "paper/recall_at_64" not in second.metrics


def test_table_3(tmp_path: Path, write):
    merged = zeshel("muver_distant_1", 4, views_per_entity=9.5)
    merged["settings"]["merge"] = {"pairs": "distant", "among": "neighbours"}
    paths = write(zeshel("blink_128", 1, views_per_entity=1.0), merged)
    rows = [
        {"method": "BLINK", "system": "blink_128", "merge_layers": 0, "search": None},
        {"method": "MuVER", "system": "muver_distant_1", "merge_layers": 1, "search": "distant"},
    ]
    make_table("table3", paths, tmp_path / "table3.csv", {"rows": rows, "cutoff": 64})
    blink, sweep = entries_of(tmp_path / "table3.json", paths)
    assert (blink.name, blink.metrics["views_per_entity"]) == ("BLINK", 1.0)
    assert sweep.name == "MuVER, distant pairs"
    (layer,) = sweep.children
    assert layer.name == "MuVER, distant pairs, 1 layer"
    assert layer.metrics["views_per_entity"] == 9.5


def test_a_run_that_was_changed_after_it_was_scored_is_refused(tmp_path: Path, write):
    (path,) = write(make("muver", (4, 8), (1, 3), run_sha256="0" * 64))
    settings = {"rows": [{"method": "MuVER", "system": "muver"}]}
    make_table("table1", [path], tmp_path / "table1.csv", settings)
    with pytest.raises(InputError, match=r"muver\.run: changed since .*muver\.json scored it"):
        entries_of(tmp_path / "table1.json", [path])
    path.write_text(path.read_text().replace("0" * 64, sha256(b"").hexdigest()))
    (entry,) = entries_of(tmp_path / "table1.json", [path])
    assert entry.hashed == {"": path.with_suffix(".run")}
