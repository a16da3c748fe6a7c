"""TREC files as others write them, and what is said of broken ones."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.retriever.runs.trec_reading import read_qrels, read_trec_run

LINES = ["m1 Q0 b 2 1.5 x", "m1 Q0 a 1 2.5 x", "m2 Q0 c 1 1.0 x", "m2 Q0 d 2 1.0 x"]


def write(path: Path, lines: list[str], end: str = "\n") -> Path:
    path.write_text("\n".join(lines) + end)
    return path


def test_by_score_then_rank(tmp_path):
    read = read_trec_run(write(tmp_path / "a.run", LINES))
    assert read.mentions == ["m1", "m1", "m2", "m2"]
    assert read.candidates == ["a", "b", "c", "d"]
    assert read.scores.tolist() == [2.5, 1.5, 1.0, 1.0]
    assert (read.reordered, read.tied) == (0, 1)


def test_ranks_against_scores(tmp_path):
    read = read_trec_run(write(tmp_path / "a.run", ["m Q0 a 2 2.0 x", "m Q0 b 1 1.0 x"]))
    assert read.candidates == ["a", "b"]
    assert read.reordered == 1


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([*LINES, "m3 Q0 a 1"], "line 5: 4 fields, expected 6.*cut short"),
        (["m1 Q0 a 1", *LINES], "line 1: 4 fields, expected 6"),
        ([*LINES[:1], "m1 Q0 c one 1.0 x"], "line 2: rank 'one'"),
        ([*LINES[:1], "m1 Q0 c 3 nan x"], "line 2: score nan, expected a finite"),
        ([*LINES[:1], LINES[0]], "line 2: mention m1 has candidate b twice"),
        (["m1 Q0 a 1 1.0 muver", "m1 Q0 b 2 0.5 muv"], "line 2: ends with 'muv'.*cut short"),
        ([], "no lines"),
    ],
)
def test_broken(tmp_path, lines, says):
    path = write(tmp_path / "a.run", lines, end="")
    with pytest.raises(InputError, match=rf"(?s)a\.run.*{says}"):
        read_trec_run(path)


def test_qrels(tmp_path):
    path = write(tmp_path / "a.qrels", ["m1 0 a 1", "m1 0 b 0", "m2 0 c 2", "m2 0 d 1"])
    assert read_qrels(path) == {"m1": {"a"}, "m2": {"c", "d"}}
    with pytest.raises(InputError, match="line 2: 'm1 0', expected 4 fields.*cut short"):
        read_qrels(write(path, ["m1 0 a 1", "m1 0"]))
    with pytest.raises(InputError, match="no such file"):
        read_qrels(tmp_path / "none")
