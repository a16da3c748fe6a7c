"""Worlds laid out from the canonical tables."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muver.retriever.corpus.schema import read_mentions
from muver.retriever.views.worlds import context_ids, load_worlds
from tests import tiny
from tests.tiny import MARKERS

LAYOUTS = tiny.config(context={"max_tokens": 12})


class Lengths:
    """Each word is a piece: 1000 and its length."""

    markers = MARKERS

    def ids(self, texts, within=False):
        return [[1000 + len(word) for word in text.split()] for text in texts]


@pytest.fixture
def corpus(tmp_path):
    return tiny.write_corpus(tmp_path)


def load(corpus, split):
    return load_worlds(*corpus, split, LAYOUTS, Lengths())


def test_worlds_of_a_split_by_name(corpus):
    assert [world.name for world in load(corpus, "train")] == ["alder", "birch"]
    (cedar,) = load(corpus, "test")
    assert cedar.name == "cedar"
    assert cedar.mention_ids == [f"test-cedar-{n}" for n in range(12)]
    assert cedar.gold.tolist() == list(range(12))
    assert len(cedar.titles) == len(cedar.views) == 12
    assert cedar.titles[0] == "tower king"
    # Entity 0 of this world is the third description: 3 sentences of 9 words.
    assert [(view.first, view.last) for view in cedar.views[0]] == [(0, 0), (1, 1), (2, 2)]
    assert cedar.views[0][0].ids[:4] == [101, 1005, 1004, 3]


def test_contexts(corpus):
    (cedar,) = load(corpus, "val")
    table = read_mentions(corpus[1], "val")
    assert cedar.contexts == context_ids(table, Lengths(), LAYOUTS.context)
    # 12 tokens: left 12 - 4 over 2, less 1, is 3; right 12 - 4 - 3 - 2 = 3
    row = table.slice(0, 1).to_pylist()[0]
    left, mention, right = (
        [1000 + len(word) for word in row[name].split()]
        for name in ("context_left", "mention", "context_right")
    )
    assert cedar.contexts[0] == [101, *left[-3:], 1, *mention, 2, *right[:3], 102]


def test_types_reach_the_views(corpus):
    entities = pq.read_table(corpus[0])
    place = entities.column_names.index("type")
    types = pa.array(["a kind"] + [None] * (len(entities) - 1), pa.string())
    pq.write_table(entities.set_column(place, "type", types), corpus[0])
    views = {"kind": "prefix", "max_tokens": 12, "types": True}
    layouts = tiny.config(views=views, context={"max_tokens": 12})
    alder, birch = load_worlds(*corpus, "train", layouts, Lengths())
    # Titles of two words: the text starts at the fifth piece.
    assert alder.views[0][0].ids[3:7] == [3, 1001, 1004, 1003]  # a kind The
    assert birch.views[0][0].ids[3:5] == [3, 1003]


def test_a_world_with_mentions_of_two_splits(corpus):
    """Its entities are the same in both, its mentions each split's own."""
    table = pq.read_table(corpus[1])
    rows = table.filter(pa.array([n % 2 == 1 for n in range(len(table))])).to_pylist()
    extra = [{**row, "split": "val"} for row in rows if row["world"] == "alder"]
    pq.write_table(pa.concat_tables([table, pa.Table.from_pylist(extra, table.schema)]), corpus[1])
    trained, validated = load(corpus, "train")[0], load(corpus, "val")[0]
    assert trained.name == validated.name == "alder"
    assert trained.titles == validated.titles and trained.views == validated.views
    assert (len(trained.gold), len(validated.gold)) == (12, len(extra))
    assert validated.mention_ids == [row["mention_id"] for row in extra]
    assert [world.name for world in load(corpus, "val")] == ["alder", "cedar"]
