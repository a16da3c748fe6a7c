"""ZESHEL's categories of a mention and the title of its entity."""

import pytest

from muver.retriever.corpus.texts import category


@pytest.mark.parametrize(
    ("mention", "title", "expected"),
    [("Kora Dol", "Kora Dol", "HIGH_OVERLAP"),
     ("Kora Dol", "Kora Dol (ship)", "MULTIPLE_CATEGORIES"),
     ("Dol", "Kora Dol (ship)", "AMBIGUOUS_SUBSTRING"),
     ("ship", "Kora Dol (ship)", "AMBIGUOUS_SUBSTRING"),
     ("K . Dol", "Kora Dol", "LOW_OVERLAP"),
     ("The mariner", "Kora Dol", "LOW_OVERLAP")],
)  # fmt: skip
def test_categories_follow_from_the_texts(mention: str, title: str, expected: str) -> None:
    assert category(mention, title) == expected
