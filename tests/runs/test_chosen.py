"""What validation chose, from a manifest and in words."""

from muver.runs.chosen import Chosen, chosen_of

WEIGHT = {
    "weight": 0.5, "cutoff": 64, "mentions": 12,
    "tried": [{"weight": n, "hits": 3, "hits_at_1": 1} for n in (0.0, 0.5)],
}  # fmt: skip


def test_a_choice():
    found = chosen_of({"chosen": WEIGHT})
    assert found == Chosen(setting="weight", value=0.5, among=[0.0, 0.5], cutoff=64)
    assert found.in_words == "Validation chose weight 0.5 among 0, 0.5, by hits at 64."


def test_runs_without_a_choice():
    assert chosen_of({"chosen": None}) is None and chosen_of({}) is None
