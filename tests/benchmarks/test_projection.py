"""Hours of ZESHEL's rows from rates, by hand."""

import pytest

from benchmarks.projection import FORMS, Rates, hours, zeshel
from muver.retriever.encoders.sizes import BertConfig

COUNTS = {
    "train_mentions": 12_800, "val_mentions": 360, "val_entities": 100, "val_worlds": 1,
    "test_mentions": 720, "test_entities": 200, "test_worlds": 2,
}  # fmt: skip
NEVER = float("inf")


def test_training_is_the_steps_of_the_paper():
    rates = Rates(NEVER, NEVER, 0)
    one = hours(FORMS["BLINK (512 tokens)"], 3.6, rates, COUNTS, BertConfig())
    assert one == pytest.approx({"training": 2, "validation": 0, "test": 0})  # 2,000 steps
    three = hours(FORMS["Partalidou et al."], 3.6, rates, COUNTS, BertConfig())
    assert three["training"] == 3 * one["training"]


def test_ranking_is_of_every_mention_with_its_world():
    found = hours(FORMS["BLINK (128 tokens)"], 0, Rates(NEVER, NEVER, 0.1), COUNTS, BertConfig())
    assert found == pytest.approx({"training": 0, "validation": 4, "test": 2})


def test_token_vectors_are_multiplied_with_each_other():
    products = 2e-9 * 128 * 128 * 768
    found = hours(FORMS["SOM"], 0, Rates(NEVER, products, NEVER), COUNTS, BertConfig())
    assert found == pytest.approx({"training": 0, "validation": 40, "test": 20})


def test_counts_are_those_published():
    counts = zeshel()
    assert (counts["train_mentions"], counts["val_entities"]) == (49_275, 89_549)
    assert [counts[f"{split}_worlds"] for split in ("train", "val", "test")] == [8, 4, 4]
