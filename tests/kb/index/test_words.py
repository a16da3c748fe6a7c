"""The words of a mention that BM25 looks for."""

import pytest

from muver.io.typed import read
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.index_settings import Words
from muver.kb.index.lookup import Table, keys_of
from muver.kb.index.signals import LONGEST, queries
from muver.retriever.answers import Mention


def asked(left, mention, right, query="mention_and_context"):
    """How many words of each side are looked for, and whether they are the nearest."""
    sides = [[f"{name}{n}" for n in range(count)] for name, count in
             (("left", left), ("own", mention), ("right", right))]  # fmt: skip
    given = Mention(" ".join(sides[1]), " ".join(sides[0]), " ".join(sides[2]))
    (words,) = queries([given], read(Words, {"query": query}))
    counts = [sum(word.startswith(name) for word in words) for name in ("left", "own", "right")]
    nearest = [*sides[0][left - counts[0] :], *sides[1][: counts[1]], *sides[2][: counts[2]]]
    assert words == nearest
    return counts


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((2, 1, 3), [2, 1, 3]),
        ((1000, 2, 1000), [63, 2, 63]),
        ((1000, 2, 10), [116, 2, 10]),
        ((10, 2, 1000), [10, 2, 116]),
        ((1000, 1000, 1000), [0, LONGEST, 0]),
        ((0, 0, 1000), [0, 0, LONGEST]),
    ],
)
def test_the_nearest_words_of_a_long_context(given, expected):
    assert asked(*given) == expected


def test_a_word_is_weighed_once_in_a_request(tmp_path, monkeypatch):
    """However often it stands there: a request of permitted length took seconds."""
    index = Index.create(tmp_path / "index", [Entity(id="g", title="the old gate")], "bm25")
    looked, having = [], Table.having
    monkeypatch.setattr(
        Table, "having", lambda self, keys: looked.extend(keys) or having(self, keys)
    )
    index.retrieve([Mention("gate"), Mention("old gate gate"), Mention("old")])
    assert looked == keys_of(["gate", "old"]).tolist()


def test_a_long_mention_alone():
    assert asked(5, 1000, 5, "mention") == [0, LONGEST, 0]
