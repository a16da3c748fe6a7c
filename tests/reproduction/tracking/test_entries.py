"""What is recorded of the tables as the table stage writes them."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.reproduction.tables.records import read_result
from muver.reproduction.tables.stage import make_table
from muver.reproduction.tracking.entries import (
    LIMIT,
    Entry,
    Point,
    Recording,
    curves,
    entries,
    timings,
)
from tests.reproduction.tables import made_sets
from tests.reproduction.tables.conftest import ZESHEL, make, mentions, write, write_evaluations

__all__ = ["mentions", "write"]  # fixtures


def zeshel(system: str, hits: int, seed: int = 1, **other: Any) -> dict[str, Any]:
    own = {"settings": {"system": system, "seed": seed}, "run_sha256": sha256(b"").hexdigest()}
    return make(system, (hits, 8), (1, 3), **{**ZESHEL, **own, **other})


def of_files(evaluations: list[Path], runs: list[Path], **other: Any) -> Recording:
    pairs = [(str(path), str(run)) for path, run in zip(evaluations, runs, strict=True)]
    given = {"config": {"preset": "tiny"}, **other}
    return Recording(table="t.json", out="t.csv", evaluations=pairs, **given)


def entries_of(table: Path, evaluations: list[Path], **other: Any) -> list[Entry]:
    runs = [path.with_suffix(".run") for path in evaluations]
    for run in runs:
        run.touch()
    return entries(read_result(table), "results/table.csv", of_files(evaluations, runs, **other))


def comparison(folder: Path, paths: list[Path], rows: list[dict[str, Any]]) -> list[Entry]:
    make_table("table1", paths, folder / "table1.csv", {"rows": rows, "against": "blink_128"})
    return entries_of(folder / "table1.json", paths)


ROWS = [
    {"method": "BLINK (128 tokens)", "system": "blink_128"},
    {"method": "MuVER", "system": "muver", "repeats": ["muver_seed7"]},
]


def test_a_description_says_how_to_make_the_row_again(tmp_path: Path, write):
    paths = write(zeshel("blink_128", 1), zeshel("muver", 4), zeshel("muver_seed7", 6, seed=7))
    blink, above = comparison(tmp_path, paths, ROWS)
    assert blink.note == (
        f"Row `{blink.key}` of `results/table.csv`. To make it again:\n\n"
        f"```\nsnakemake --cores all \\\n    {paths[0].as_posix()} \\\n"
        "    --config preset=tiny\n```"
    )
    assert "all \\\n    results/table.csv \\\n    --config" in above.note


def write_linked(folder: Path, evaluations: list[dict[str, Any]]) -> tuple[list[Path], list[Path]]:
    """Evaluations on the sets of Table 2 with their runs, and the table; the files of both."""
    runs = []
    for evaluation in evaluations:
        run = folder / "runs" / evaluation["set"] / f"{evaluation['system']}.parquet"
        run.parent.mkdir(parents=True, exist_ok=True)
        run.write_bytes(f"{evaluation['system']} on {evaluation['set']}".encode())
        evaluation["run_sha256"] = sha256_of(run)
        runs.append(run)
    paths = write_evaluations(folder / "evaluations", evaluations)
    settings = {"rows": made_sets.ROWS, "against": "blink_wiki"}
    make_table("table2", paths, folder / "table2.csv", settings)
    return paths, runs


def test_a_row_without_its_evaluation_is_refused(tmp_path: Path):
    paths, runs = write_linked(tmp_path, made_sets.make_all())
    with pytest.raises(InputError, match="row MuVER.* of muver_wiki on wnedwiki"):
        entries(read_result(tmp_path / "table2.json"), "", of_files(paths[:-1], runs[:-1]))


def test_the_work_of_all_stages(tmp_path: Path):
    train, encode = tmp_path / "train.tsv", tmp_path / "encode.tsv"
    train.write_text("s\tmax_rss\n75.2\t869.7\n")
    encode.write_text("s\tmax_rss\n0.4\t-\n")
    os.utime(train, (100, 100))
    os.utime(encode, (200, 200))
    metrics, jobs = timings({"train": train, "encode": encode, "merge": tmp_path / "absent.tsv"})
    assert metrics == {
        "work/train_seconds": 75.2,
        "work/train_max_rss_mb": 869.7,
        "work/encode_seconds": 0.4,
    }
    assert jobs == [(75.2, 100), (0.4, 200)]
    assert timings({"merge": tmp_path / "absent.tsv"}) == ({}, [])


def test_curves_of_pre_training_stand_under_their_own_names(tmp_path: Path):
    log = tmp_path / "pretraining_log.jsonl"
    log.write_text('{"step": 1, "loss": 5.0, "cloze_loss": 2.0, "masked_loss": 3.0}\n')
    assert curves(log) == [
        Point("curves_pretraining/loss", 1, 5.0),
        Point("curves_pretraining/cloze_loss", 1, 2.0),
        Point("curves_pretraining/masked_loss", 1, 3.0),
    ]


@pytest.mark.parametrize(
    ("steps", "taken", "first"),
    [(0, 0, None), (1, 1, 1), (LIMIT, LIMIT, 1), (LIMIT + 1, 251, 1), (3 * LIMIT, LIMIT, 3)],
)
def test_long_curves_are_thinned_and_keep_their_end(
    tmp_path: Path, steps: int, taken: int, first: int | None
):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f'{{"step": {n}, "loss": {n}}}\n' for n in range(1, steps + 1)))
    found = [point.step for point in curves(log)]
    assert len(found) == taken
    assert found == sorted(found)
    assert found[:1] == ([] if first is None else [first])
    assert found[-1:] == ([] if first is None else [steps])
