"""Counting hits on validation worlds, against rankings by hand."""

import dataclasses

import numpy as np
import pytest
import torch

from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.scores import sum_of_max
from muver.retriever.training.objective import InBatch, count_hits
from muver.retriever.views.worlds import load_worlds
from tests import tiny

MODELS = {
    "max": {},
    "l2": {"metric": "l2"},
    "sum_max": {"score": "sum_max"},
    "padding": {"score": "sum_max", "padding": True},
}


@pytest.mark.parametrize("kind", MODELS)
def test_hits_are_gold_titles_among_the_first(encoder, corpus, kind):
    model = tiny.make_model(encoder, **MODELS[kind])
    lengths = model.config.pad_to
    (world,) = load_worlds(*corpus, "val", model.config, model.pieces)
    titles = [*world.titles[:6], *world.titles[:6]]  # each title twice
    world = dataclasses.replace(world, titles=titles)
    places = []  # of the gold title in the ranking of each mention
    with torch.no_grad():
        texts = [[view.ids for view in some] for some in world.views]
        packed = [pack(some, pad_to=lengths[1]) for some in texts]
        encoded = [(views, model.encode_views(views)) for views in packed]
        for context, gold in zip(world.contexts, world.gold, strict=True):
            batch = pack([context], pad_to=lengths[0])
            mention = model.encode_mentions(batch)
            best = {}
            for title, (views, vectors) in zip(titles, encoded, strict=True):
                if kind == "max":
                    value = (mention @ vectors.T).max().item()
                elif kind == "l2":
                    value = (-(mention - vectors).norm(dim=1)).max().item()
                elif kind == "sum_max":
                    value = sum_of_max(mention, batch.mask, vectors, views.mask).item()
                else:
                    value = (mention[0] @ vectors[0].T).max(dim=1).values.sum().item()
                best[title] = max(value, best.get(title, -np.inf))
            places.append(sorted(best, key=lambda title: -best[title]).index(titles[gold]))
    for cutoff in (1, 4, 64):
        hits = sum(place < cutoff for place in places)
        assert count_hits(InBatch(), model, [world], cutoff, 100) == (hits, 12)
        assert count_hits(InBatch(), model, [world, world], cutoff, 100) == (2 * hits, 24)
    assert hits == 12


def test_the_model_is_evaluated_without_dropout(encoder, corpus):
    model = tiny.make_model(encoder, dropout=True)
    worlds = load_worlds(*corpus, "val", model.config, model.pieces)
    count_hits(InBatch(), model, worlds, 3, 100)
    assert not model.training
