"""A run's description."""

from muver.tracking.notes import ROOM, row_note
from tests.tracking.test_describe import EVALUATION

ROW = {"method": "MuVER"}


def note(row=ROW, **other) -> str:
    path = "build/tiny/evaluations/muver.json"
    evaluation = {**EVALUATION, **other}
    return row_note(evaluation, row, "abc", "results/table1.csv", path, "--config preset=tiny")


def test_it_shows_the_row_and_how_to_make_it():
    text = note()
    assert text.startswith("**MuVER** on tiny: row `abc` of `results/table1.csv`.")
    assert "| **ours**, 4 mentions | **25.00** | **100.00** |" in text
    assert "| 95% interval | 0.0 to 75.0 | 100.0 to 100.0 |" in text
    assert "| lego | 3 | 33.33 | 100.00 |" in text
    assert "| mean of worlds |  | 16.67 | 100.00 |" in text
    assert "\nsnakemake --cores all results/table1.csv --config preset=tiny\n" in text
    assert "\nsnakemake --cores all build/tiny/evaluations/muver.json --config preset=tiny" in text
    assert "the paper's" not in text


def test_published_numbers_stand_under_ours():
    row = {
        **ROW,
        "paper": {"1": 30.0, "64": None},
        "difference": {"1": -5.0, "64": None},
        "verdict": {"1": "not reproduced", "64": None},
    }
    text = note(row)
    assert "| the paper's | 30.00 |  |\n| difference, points | -5.00 |  |" in text
    assert "| verdict | not reproduced |  |" in text
    assert "README" not in text


def test_many_worlds_are_left_to_their_file():
    one = EVALUATION["worlds"]["lego"]
    text = note(worlds={f"a world of number {n}": one for n in range(300)})
    assert "By world (300): `evaluation/worlds.csv`" in text
    assert len(text) < ROOM
