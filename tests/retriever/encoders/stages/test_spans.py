"""Every run of neighbouring views."""

import numpy as np
from msgspec.structs import replace

from muver.io.files import read_json
from muver.retriever.encoders.stages.spans import encode_spans
from muver.retriever.retrieval.exact import rank
from muver.retriever.vectors.block import ViewBlock
from muver.retriever.vectors.part import open_layer
from muver.retriever.views.layout import merged_view
from tests.retriever.encoders.stages.conftest import SPANS, vector


def test_every_span_of_entities_with_few_views(folders, model):
    base = open_layer(folders / "store", 0).world("birch")
    spans = open_layer(folders / "spans", 1).world("birch")
    ids = base.ids.to_pylist()
    counts = np.bincount(base.entities)
    expected = [
        (entity, first, last)
        for entity, count in enumerate(counts)
        if count <= 3
        for first in range(count)
        for last in range(first + 1, count)
    ]
    found = [column.tolist() for column in (spans.entities, spans.first, spans.last)]
    assert list(zip(*found, strict=True)) == expected and len(expected) > 3
    for row, (entity, first, last) in enumerate(expected):
        own = np.flatnonzero(base.entities == entity)
        parts = [ids[own[n]] for n in range(first, last + 1)]
        assert spans.ids[row].as_py() == merged_view(parts, model.pieces.markers, 64)
    row_vector = vector(model, spans.ids[0].as_py())
    np.testing.assert_allclose(spans.vectors[0], row_vector, rtol=0, atol=1e-5)
    manifest = read_json(folders / "spans" / "manifest.json")
    assert manifest["entities"] == 24 and manifest["worlds"]["birch"]["spans"] == len(expected)
    assert manifest["worlds"]["birch"]["exhaustive"] == (counts <= 3).sum()
    assert manifest["exhaustive"] == sum(w["exhaustive"] for w in manifest["worlds"].values())


def test_spans_bound_an_entity_s_own_score_and_not_its_rank(folders):
    """Each merged view is a span, so no score falls; but the gold's rank can, by hand."""
    counts = np.bincount(open_layer(folders / "store", 0).world("birch").entities)
    spans = open_layer(folders / "spans", 1).world("birch")
    known = dict(zip(map(tuple, spans.ids.to_pylist()), spans.vectors, strict=True))
    checked = 0
    for layer in (1, 2):
        merged = open_layer(folders / "merged", layer).world("birch")
        for entity, ids, own in zip(
            merged.entities, merged.ids.to_pylist(), merged.vectors, strict=True
        ):
            if counts[entity] <= SPANS.max_views:
                np.testing.assert_allclose(known[tuple(ids)], own, rtol=0, atol=1e-5)
                checked += 1
    assert checked == 2

    views = np.array([[0.5], [0.4]], np.float32)  # the first is the gold entity's
    more = np.array([[0.6], [0.9]], np.float32)  # a span of each
    candidates, mention = np.arange(2), np.array([[1.0]], np.float32)
    before = rank(mention, [ViewBlock.of([views], candidates, candidates)], 2)
    after = rank(mention, [ViewBlock.of([views, more], np.tile(candidates, 2), candidates)], 2)
    assert before.entities.tolist() == [[0, 1]] and after.entities.tolist() == [[1, 0]]
    np.testing.assert_allclose(before.scores, [[0.5, 0.4]])
    np.testing.assert_allclose(after.scores, [[0.9, 0.6]])


def test_no_entity_has_few_enough_views(folders, tmp_path):
    encode_spans(folders / "model", folders / "store", tmp_path, replace(SPANS, max_views=0))
    assert len(open_layer(tmp_path, 1).world("alder").entities) == 0
    assert read_json(tmp_path / "manifest.json")["exhaustive"] == 0
