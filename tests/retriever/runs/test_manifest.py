"""What validation chose, from a run's manifest and in words."""

import pytest

from muver.retriever.runs.manifest import Chosen, chosen_of

WEIGHT = {
    "weight": 0.5, "cutoff": 64, "mentions": 12,
    "tried": [{"weight": n, "hits": 3, "hits_at_1": 1} for n in (0.0, 0.5)],
}  # fmt: skip


def test_a_choice():
    found = chosen_of({"chosen": WEIGHT})
    assert found == Chosen(setting="weight", value=0.5, among=[0.0, 0.5], cutoff=64)
    assert found.in_words == (
        "Validation chose weight 0.5 among 0, 0.5, by hits at 64, the greatest that was tried."
    )


@pytest.mark.parametrize(
    ("value", "end"),
    [
        (0.25, ", the least that was tried."),
        (0.5, "."),
        (1, "."),
        (4, ", the greatest that was tried."),
    ],
)
def test_a_choice_at_the_end_of_what_was_tried_says_so(value, end):
    found = Chosen("temperature", value, [0.25, 0.5, 1, 4], 16)
    assert found.in_words.partition("16")[2] == end
    assert found.tag == ("chosen_temperature", f"{value}")


def test_a_choice_among_models_or_of_one_value_has_no_ends():
    assert Chosen("model", "b (pooling span)", ["a", "b (pooling span)"], 16).in_words == (
        "Validation chose model b (pooling span) among a, b (pooling span), by hits at 16."
    )
    assert Chosen("temperature", 1, [1], 16).in_words.endswith("by hits at 16.")


def test_runs_without_a_choice():
    assert chosen_of({"chosen": None}) is None and chosen_of({}) is None


def test_weights_of_several_signals():
    tried = [{"weights": [n, 1.0], "hits": 3, "hits_at_1": 1} for n in (0.25, 1.0, 0.25)]
    told = {"weights": [0.25, 1.0], "cutoff": 16, "mentions": 12, "tried": tried}
    found = chosen_of({"chosen": {**told, "of": ["words", "names"]}})
    assert found.in_words == (
        "Validation chose weights 0.25 of words, 1 of names among 0.25 of words, 1 of names, "
        "1 of words, 1 of names, by hits at 16."
    )
    assert found.tag == ("chosen_weights", "0.25 of words, 1 of names")


def test_many_values_are_counted():
    found = Chosen("weights", "a", [f"a{n}" for n in range(21)], 16)
    assert found.in_words == "Validation chose weights a among 21 that were tried, by hits at 16."
