"""Data of a training: shares of examples, the columns of a batch, what is laid out for it."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.typed import read
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.training.data import Dataset, Examples, worlds_of
from muver.retriever.training.training_settings import Training
from muver.retriever.views.layout import View
from muver.retriever.views.worlds import World, load_worlds
from tests import tiny
from tests.retriever.training.test_loop import TRAINING, make_trainer

ENTITIES = range(12)
WORLD = World(
    "w", ["?"] * 12, [[View([n], 0, 0)] for n in ENTITIES], [], [[n] for n in ENTITIES],
    np.array([0, 1]),
)  # fmt: skip


def test_a_share_of_the_labels_is_part_of_a_greater_one():
    worlds = [replace(WORLD, gold=np.zeros(12, int))] * 2
    found = [Examples(worlds, 5, 3, share).mentions for share in (0.25, 0.3, 0.5, 1)]
    assert [len(some) for some in found] == [6, 8, 12, 24]  # 0.3 of 24 is 7.2
    quarter, more, half, whole = found
    assert set(quarter) < set(more) < set(half) < set(whole) and half == sorted(half)


@pytest.mark.parametrize(
    ("world", "batches", "told"),
    [
        (WORLD, [[0], [1]], "2 of 2 batches have one entity alone"),
        (WORLD, [[0, 1]], None),
        (WORLD, [[0], *[[0, 1]] * 9], "1 of 10 batches have one entity alone"),
        (WORLD, [[0], *[[0, 1]] * 10], None),
        (replace(WORLD, gold=np.array([0, 0])), [[0, 1]], "1 of 1 batch"),
        (replace(WORLD, negatives=[[1], [0]]), [[0], [1]], None),
        (WORLD, [], None),
    ],
)
def test_batches_from_which_nothing_is_learnt_are_told(world, batches, told, caplog, monkeypatch):
    monkeypatch.setattr(Examples, "batches", lambda *_: batches)
    Examples([world], 1, 3).tell_of_single_entities()
    assert (told in caplog.text) if told else not caplog.text


def test_a_loss_of_zero_throughout_is_told(encoder, corpus, tmp_path, caplog):
    log = make_trainer(encoder, corpus, tmp_path, batch_size=1, epochs=1).run()
    assert {line["loss"] for line in log if "loss" in line} == {0.0}
    assert "24 of 24 batches have one entity alone" in caplog.text
    assert "training.batch_size (now 1)" in caplog.text


def laid_out(golds, negatives):
    """A batch of all mentions of a world of 12 entities, and the entity of each column."""
    world = replace(WORLD, gold=np.array(golds), negatives=negatives)
    batch = Examples([world], 5, 3).lay_out(range(len(golds)))
    return batch, [ids for ((ids,),) in batch.views]


def test_columns_of_a_batch_by_hand():
    """Golds first; 9 was mined twice and is one column, 2 is the gold of a later mention."""
    batch, entities = laid_out([4, 7, 4, 2], [[9, 2, 1], [4, 9], [], [7, 0]])
    assert entities == [4, 7, 2, 9, 1, 0]
    assert batch.gold.tolist() == [0, 1, 0, 2]
    assert batch.negatives == [[3, 2, 4], [0, 3], [], [1, 5]]
    assert batch.contexts == WORLD.contexts[:4]


@pytest.fixture
def lay_out(encoder, corpus):
    """Lays out a split under settings that differ from the default; and plainly."""

    def lay_out(split="train", hard=None, views=tiny.SENTENCE_VIEWS, **training):
        asked = read(Training, {**TRAINING, **training})
        how = tiny.config(views=views), Pieces(encoder)
        worlds = worlds_of(Dataset(*corpus), split, *how, asked, hard)
        return worlds[0], load_worlds(*corpus, split, *how)[0]

    return lay_out


def on_pages(corpus, pages: list[str | None]) -> None:
    """Only the first mentions of alder, standing on these pages; its golds are entities 0, 1, 2."""
    table = pq.read_table(corpus[1])
    column = pa.array(pages, pa.string())
    first = table.slice(0, len(pages))
    first = first.set_column(table.column_names.index("document"), "document", column)
    others = table.filter(pa.array([one != "train" for one in table["split"].to_pylist()]))
    pq.write_table(pa.concat_tables([first, others]), corpus[1])


@pytest.fixture
def corpus(tmp_path):
    return tiny.write_corpus(tmp_path)


def test_training_has_the_first_views_of_golds_and_negatives(corpus, lay_out):
    on_pages(corpus, ["alder-0", "alder-1"])
    hard = {"train-alder-0": [4, 1], "train-alder-1": [], "other": [11]}
    for limit in (3, None):
        world, plain = lay_out(hard=hard, views={**tiny.SENTENCE_VIEWS, "training_views": limit})
        assert world.negatives == [[4, 1], []]
        for number, views in enumerate(plain.views):
            assert world.views[number] == (views[:limit] if number in (0, 1, 4) else [])
        assert len(plain.views[4]) == 5
    assert lay_out("val")[0].views == lay_out("val")[1].views


def test_the_view_of_a_whole_description_is_the_last(encoder, corpus, lay_out):
    whole = tiny.config(views={"kind": "prefix", "max_tokens": 12})
    for split, limit in (("train", 3), ("val", None)):
        world, plain = lay_out(split, global_view=12)
        (blink, *_) = load_worlds(*corpus, split, whole, Pieces(encoder))
        for own, views, last in zip(world.views, plain.views, blink.views, strict=True):
            assert [view.ids for view in own] == [view.ids for view in [*views[:limit], *last]]


def test_empty_views_fill_up_what_has_views(corpus, lay_out):
    on_pages(corpus, ["alder-0"])
    world, plain = lay_out(hard={"train-alder-0": [3, 5]}, padding_views=True)
    empty = [0] * 24
    assert len(plain.views[5]) == 1 and len(plain.views[3]) > 3
    assert [view.ids for view in world.views[5]] == [plain.views[5][0].ids, empty, empty]
    assert world.views[3] == plain.views[3][:3] and world.views[1] == []
    assert lay_out("val", padding_views=True)[0].views == lay_out("val")[1].views


def test_the_page_that_a_mention_stands_on_is_its_negative(corpus, lay_out):
    """Not where it is the gold, where it is no entity and where nobody knows it."""
    on_pages(corpus, ["alder-7", "alder-1", "elsewhere", None])
    world, _ = lay_out(own_page_negatives=True)
    assert world.negatives == [[7], [], [], []]
    assert [n for n in ENTITIES if world.views[n]] == [0, 1, 2, 3, 7]
    mined = {mention: [5] for mention in world.mention_ids}
    assert lay_out(hard=mined, own_page_negatives=True)[0].negatives == [[5, 7], [5], [5], [5]]


def test_own_pages_that_no_entity_has_are_refused(corpus, lay_out):
    on_pages(corpus, ["elsewhere"] * 24)
    with pytest.raises(InputError, match="mentions.parquet: no training mention stands on a page"):
        lay_out(own_page_negatives=True)
