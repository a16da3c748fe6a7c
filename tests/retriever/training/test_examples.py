"""Examples of a training: shares of them, the columns of a batch, empty views."""

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muver.retriever.training.examples import (
    fill_with_empty_views,
    lay_out,
    tell_of_single_entities,
)
from muver.retriever.views.worlds import World
from tests.retriever.training.test_loop import make_trainer


def test_a_share_of_the_labels_is_part_of_a_greater_one(encoder, corpus, tmp_path):
    found = []
    for share in (0.25, 0.3, 0.5, 1):
        trainer = make_trainer(encoder, corpus, tmp_path / str(share), labelled=share)
        found.append(trainer.examples)
    assert [len(some) for some in found] == [6, 8, 12, 24]  # 0.3 of 24 is 7.2
    quarter, more, half, whole = found
    assert set(quarter) < set(more) < set(half) < set(whole) and half == sorted(half)


WORLD = World("w", ["a", "b"], [], ["m", "n"], [], np.array([0, 1]))


@pytest.mark.parametrize(
    ("world", "batches", "told"),
    [
        (WORLD, [[(0, 0)], [(0, 1)]], "2 of 2 batches have one entity alone"),
        (WORLD, [[(0, 0), (0, 1)]], None),
        (WORLD, [[(0, 0)], *[[(0, 0), (0, 1)]] * 9], "1 of 10 batches have one entity alone"),
        (WORLD, [[(0, 0)], *[[(0, 0), (0, 1)]] * 10], None),
        (dataclasses.replace(WORLD, gold=np.array([0, 0])), [[(0, 0), (0, 1)]], "1 of 1 batch"),
        (dataclasses.replace(WORLD, negatives=[[1], [0]]), [[(0, 0)], [(0, 1)]], None),
        (WORLD, [], None),
    ],
)
def test_batches_from_which_nothing_is_learnt_are_told(world, batches, told, caplog):
    tell_of_single_entities([world], batches, 1)
    assert (told in caplog.text) if told else not caplog.text


def test_a_loss_of_zero_throughout_is_told(encoder, corpus, tmp_path, caplog):
    log = make_trainer(encoder, corpus, tmp_path, batch_size=1, epochs=1).run()
    assert {line["loss"] for line in log if "loss" in line} == {0.0}
    assert "24 of 24 batches have one entity alone" in caplog.text
    assert "training.batch_size (now 1)" in caplog.text


class Batch:
    """A trainer of one world of 12 entities, each mention's gold and negatives as given."""

    def __init__(self, trainer, golds, negatives):
        rest = 12 - len(golds)
        trainer.worlds[0] = self.world = dataclasses.replace(
            trainer.worlds[0],
            gold=np.array([*golds, *([0] * rest)]),
            negatives=[*negatives, *([[]] * rest)],
        )
        examples = trainer.examples[: len(golds)]
        laid_out = lay_out(trainer.worlds, examples, trainer._training_views)
        self.contexts, self.views, self.gold = laid_out

    @property
    def entities(self):
        """The columns' entities: no two entities of this world have equal views."""
        first = [[view.ids for view in own[:3]] for own in self.world.views]
        return [first.index(own) for own in self.views]


@pytest.fixture
def trainer(encoder, corpus, tmp_path):
    return make_trainer(encoder, corpus, tmp_path)


def test_columns_of_a_batch_by_hand(trainer):
    """Golds first; 9 was mined twice and is one column, 2 is the gold of a later mention."""
    batch = Batch(trainer, [4, 7, 4, 2], [[9, 2, 1], [4, 9], [], [7, 0]])
    assert batch.entities == [4, 7, 2, 9, 1, 0]
    assert batch.gold.tolist() == [0, 1, 0, 2]
    assert batch.contexts == batch.world.contexts[:4]


PAIRS = st.lists(
    st.tuples(st.integers(0, 11), st.lists(st.integers(0, 11), max_size=4)), min_size=1, max_size=8
)


@given(PAIRS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_entity_of_a_batch_is_one_column(trainer, pairs):
    golds = [gold for gold, _ in pairs]
    mined = [[one for one in some if one != gold] for gold, some in pairs]
    batch = Batch(trainer, golds, mined)
    assert len(set(batch.entities)) == len(batch.entities)
    assert set(batch.entities) == set(golds) | {one for some in mined for one in some}
    assert [batch.entities[column] for column in batch.gold] == golds
    assert set(batch.entities[: len(set(golds))]) == set(golds)


def test_empty_views_fill_up_negatives_too(encoder, corpus, tmp_path):
    trainer = make_trainer(encoder, corpus, tmp_path, padding_views=True)
    assert [len(own) for own in Batch(trainer, [0], [[1, 3]]).views] == [3, 3, 3]


def test_an_entity_is_filled_up_if_it_has_too_few_views():
    views = [[5, 20, 6], [5, 21, 22, 6]]
    assert fill_with_empty_views(views, 4, 0, 3) == [*views, [0, 0, 0], [0, 0, 0]]
    assert fill_with_empty_views(views, 2, 0, 3) == fill_with_empty_views(views, 1, 0, 3) == views
