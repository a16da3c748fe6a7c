"""An index with a second stage, by itself, by `muver query` and behind the service."""

import json

import numpy as np
import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index, opened_index
from muver.kb.index.index_settings import DEPTH
from muver.kb.index.query import query
from muver.kb.serve.models import open_models
from muver.kb.serve.run import serve
from muver.options import documented
from muver.retriever.answers import Mention
from muver.retriever.encoders.device import LEAST
from muver.retriever.views.build import entity_views, mention_contexts
from tests import tiny
from tests.retriever.encoders.test_cross import make_cross

TEXTS = [" ".join(some) for some in tiny.texts(8)]
MENTION = Mention("the king", "In winter", "saw the tower .")


@pytest.fixture(scope="module")
def cross(encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cross")
    model = make_cross(encoder)
    model.save_pretrained(folder)
    return folder, model


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Eight entities with words in common, found by words."""
    folder = tmp_path_factory.mktemp("index") / "own"
    words = [f"king {tiny.WORDS[n]}" for n in range(8)]
    named = enumerate(zip(words, TEXTS, strict=True))
    Index.create(folder, [Entity(id=str(n), title=t, description=d) for n, (t, d) in named], "bm25")
    return folder


def test_the_index_s_first_candidates_by_the_cross_encoder_s_scores(index, cross):
    folder, model = cross
    (plain,) = Index.open(index).retrieve([MENTION], 5)
    opened = opened_index(index, folder, 5)
    (found,) = opened.retrieve([MENTION], 3)
    sides = ([MENTION.left.lower()], [MENTION.text], [MENTION.right])
    (context,) = mention_contexts(*sides, model.config.context, model.pieces)
    texts = [TEXTS[int(one.document_id)] for one in plain]
    titles = [one.title for one in plain]
    views = list(entity_views(titles, texts, [[]] * 5, model.config.views, model.pieces))
    (scores,) = model.scores([model.pairs(context, [one.ids for (one,) in views])], 400)
    order = np.argsort(-scores)[:3]
    assert [one.document_id for one in found] == [plain[n].document_id for n in order]
    np.testing.assert_allclose([one.score for one in found], scores[order], atol=1e-6)
    # All else is the index's.
    assert opened.worlds == ["world"] and len(opened.entity("3").description) > 0
    assert opened.threshold is None and opened.refresh() is opened


def test_no_mention_and_no_candidate_and_no_number_of_them(index, cross):
    opened = opened_index(index, cross[0])
    assert opened.retrieve([], 3) == []
    assert opened.retrieve([Mention("xylophone")], 3) == [[]]
    for k in (0, -1):
        with pytest.raises(InputError, match=f"k: {k} is not a number of candidates"):
            opened.retrieve([MENTION], k)
        with pytest.raises(InputError, match=f"depth: {k} is not a number of candidates"):
            opened_index(index, cross[0], k)
    with pytest.raises(InputError, match="depth is how many .* give rerank too"):
        opened_index(index, depth=5)


def test_a_query_and_the_service_take_it(index, cross, capsys):
    given = ["query", str(index), "[[the king]]", "--json", "-k", "2"]
    assert main([*given, "--rerank", str(cross[0]), "--depth", "8"]) == 0
    (told,) = map(json.loads, capsys.readouterr().out.splitlines())
    (found,) = opened_index(index, cross[0], 8).retrieve([Mention("the king")], 2)
    assert [one["id"] for one in told["candidates"]] == [one.document_id for one in found]
    served = open_models([str(index)], cross[0], 8)["own"]
    assert served.index.retrieve([Mention("the king")], 2) == [found] and served.look() is None
    a_candidate = 1 + (32 + 24) * LEAST  # as its weights are few
    for k in (1, 1_000):
        assert served.index.costs.candidates(k) == pytest.approx(8 * a_candidate, abs=0.1)
    deep = opened_index(index, cross[0], 10**6)
    assert deep.costs.candidates(1) == pytest.approx(len(deep) * a_candidate, rel=0.01)
    assert main([*given, "--rerank", str(index)]) == 2
    assert "muver.json: no such file. Name a model's folder" in capsys.readouterr().err


@pytest.mark.parametrize("work", [query, serve])
def test_help_has_the_depth(work):
    assert f"; {DEPTH} unless given." in documented(work)[1]["depth"]
