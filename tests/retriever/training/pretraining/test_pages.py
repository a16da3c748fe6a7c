"""Pages as word pieces, and the names in them; here a piece is a letter."""

import json

import pytest

from muver.io.errors import InputError
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.training.pretraining.pages import Wiki, training_wikis


class Letters:
    """A tokenizer whose pieces are the letters of a text."""

    def ids(self, texts):
        return [[ord(letter) for letter in text if letter.isalpha()] for text in texts]


def letters(text):
    return [ord(letter) for letter in text]


def test_names_are_found_where_they_stand():
    wiki = Wiki(["ab", "abc (x)", "abc (y)", "ca"], [["ab"], [], ["", "!"], ["c", "d"]], Letters())
    assert [page.sentences for page in wiki.pages] == [
        [letters("ab")], [], [], [letters("c"), letters("d")],
    ]  # fmt: skip
    assert wiki.pages[1].title == letters("abcx")
    assert wiki.with_text == [0, 3]
    # The longest at each place; "abc" is the name of two pages; a name that is cut is none.
    assert list(wiki.named_in(letters("zabcab"))) == [
        (1, 4, [1, 2]), (3, 5, [3]), (4, 6, [0]),
    ]  # fmt: skip
    assert list(wiki.named_in(letters("zza"))) == []


@pytest.fixture
def counts(tmp_path):
    """Of the corpus: alder and birch are to train on, cedar is the world of val and test."""
    splits = {"alder": "train", "birch": "train", "cedar": "val"}
    path = tmp_path / "counts.json"
    path.write_text(json.dumps({"worlds": {name: {"split": s} for name, s in splits.items()}}))
    return path


def test_the_training_worlds_alone_are_read(encoder, corpus, counts, tmp_path):
    """Without the others' rows, which would be missed, all is the same."""
    entities, _, sentences = corpus
    pieces = Pieces(encoder)
    found = training_wikis(entities, counts, sentences, pieces)
    assert list(found) == ["alder", "birch"]
    counts.write_text(json.dumps({"worlds": {"cedar": {"split": "val"}}}))
    with pytest.raises(InputError, match="no training world has a sentence"):
        training_wikis(entities, counts, sentences, pieces)
