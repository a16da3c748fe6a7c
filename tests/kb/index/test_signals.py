"""An answer as a weighted sum of signals."""

import math

import numpy as np
import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.io.typed import read
from muver.kb.index.encoding import Encoding
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.index_settings import Words, changed, defaults, read_weights
from muver.kb.index.lookup import Table, keys_of
from muver.kb.index.signals import EQUAL_NAME, LONGEST, queries
from muver.retriever.answers import Mention
from muver.retriever.retrieval.signals.catalog import Characters
from muver.retriever.retrieval.signals.texts import in_context
from tests import tiny

SHORT = {"context_tokens": 60, "view_tokens": 60, "global_tokens": 60}


@pytest.fixture
def by_encoder(plain, entities, tmp_path):
    return Index.create(tmp_path / "by-encoder", entities, plain, **SHORT)


def test_a_sum_by_hand(tmp_path):
    """Two names of one word each: of ``ab`` and of ``ac``."""
    entities = [Entity(id="1", title="ab", description="c d"), Entity(id="2", title="ac d")]
    index = Index.create(tmp_path / "index", entities, weights={"exact": 0.5, "words": 3})
    [[first, second]] = index.retrieve([Mention("ab d")])

    # Lucene's BM25; both have 3 or 2 words, 2.5 in the mean; "d" is in both, "ab" in one.
    def bm25(having, words):
        rate = 1.2 * (1 - 0.75 + 0.75 * words / 2.5)
        return math.log1p((2 - having + 0.5) / (having + 0.5)) / (1 + rate)

    words = [bm25(1, 3) + bm25(2, 3), bm25(2, 2)]
    # " a" is in both names. " ab ", " ab", "ab ", "ab", "b " are in one, as are those of "ac";
    # " d ", " d" and "d " are in the second. Of the mention all are known.
    rare, common = math.log(3 / 2) + 1, 1.0
    one, mine = math.hypot(common, *[rare] * 5), math.hypot(common, *[rare] * 8)
    letters = [(common**2 + 5 * rare**2) / one / mine, (common**2 + 3 * rare**2) / mine / mine]
    for found, own, alike in zip((first, second), words, letters, strict=True):
        assert found.signals == pytest.approx(
            {"exact": 0, "words": 3 * own / words[0], "characters": 0.75 * alike}
        )
        assert found.score == pytest.approx(sum(found.signals.values()))


def test_letters_are_those_of_a_row(tmp_path):
    titles = ["Über den  Wolken", "wolke", "a", "I.", "東京 Tower", "دمشق", "WOLKEN wolken"]
    entities = [Entity(id=n, title=one, description="x") for n, one in enumerate(titles)]
    index = Index.create(
        tmp_path / "index", entities, weights={"exact": 0, "words": 0, "characters": 1}
    )
    asked = ["wolken", "tower東", "a i", "zzz", "دمش", "über"]
    scorer = Characters([{"title": one} for one in titles])
    expected = scorer.scores([{"mention": one} for one in asked])
    for found, own in zip(index.retrieve(list(map(Mention, asked))), expected, strict=True):
        scores = {one.title: one.score for one in found}
        there = {title: score for title, score in zip(titles, own, strict=True) if score}
        assert scores.keys() == there.keys()
        assert scores == pytest.approx(there, abs=1e-6)


@pytest.mark.parametrize(
    ("asked", "title", "alias"),
    [
        ("BUFFER  overflow", "buffer overflow", "overrun"),
        ("ΠΎΡΓΟΣ", "πύργος", "κάστρο"),
        ("दिल्ली", "दिल्ली", "देहली"),
        ("ﬁle", "File", "档案"),
        ("東京", "東京", "とうきょう"),
        ("istanbul", "İstanbul", "O’Neill"),
    ],
)
def test_an_equal_name_stands_first_in_every_kind_of_index(
    asked, title, alias, tmp_path, model, plain
):
    text = f"{title} {asked} {title} {alias} {asked} {alias}"
    entities = [
        Entity(id="exact", title=title, aliases=[alias], description="Something else."),
        *(Entity(id=f"{n}", title=f"{title} {n}", description=text) for n in range(9)),
    ]
    for n, kind in enumerate((None, "bm25", plain, model)):
        settings = {} if kind in (None, "bm25") else SHORT
        index = Index.create(tmp_path / str(n), entities, kind, **settings)
        for name in (asked, alias, alias.upper()):
            [[best]] = index.retrieve([Mention(name, "before", "after")], 1)
            assert (best.document_id, best.signals["exact"]) == ("exact", EQUAL_NAME)


def test_of_several_equal_names_the_score_decides(tmp_path):
    entities = [
        Entity(id="1", title="mercury", description="a planet"),
        Entity(id="2", title="quicksilver", aliases=["Mercury"], description="mercury mercury"),
        Entity(id="3", title="mercury lamp", description="mercury mercury mercury"),
    ]
    index = Index.create(tmp_path / "index", entities, "bm25")
    [found] = index.retrieve([Mention("mercury")])
    words = [one.signals["words"] for one in found[:2]]
    assert {one.document_id for one in found[:2]} == {"1", "2"} and words[0] > words[1]
    assert [one.signals["exact"] for one in found] == [EQUAL_NAME, EQUAL_NAME, 0]


def test_an_encoder_s_signals_are_cosines_of_its_own_vectors(by_encoder, entities):
    mention = Mention(tiny.WORDS[2], "The king saw", "in spring .")
    encoder = by_encoder._store.encoding.encoder
    around = {"mention": mention.text, "context_left": mention.left, "context_right": mention.right}
    config = encoder.model.config
    of_mentions, of_entities = config.context.prompt, config.views.prompt
    alone, context = encoder.texts([mention.text, in_context(around)], of_mentions)
    (found,) = by_encoder.retrieve([mention], 12)
    by_id = {one.id: one for one in entities}
    assert len(found) == 12
    for one in found:
        entity = by_id[one.document_id]
        names = encoder.texts([entity.title, *entity.aliases], of_entities)
        (text,) = encoder.texts([f"{entity.title} {entity.description}"], of_entities)
        expected = {
            "names": max(names @ alone),
            "names_text": text @ alone,
            "context": text @ context,
        }
        for name, cosine in expected.items():
            weight = by_encoder.weights[name]
            assert one.signals[name] == pytest.approx(weight * cosine, abs=1e-5)
        told = by_encoder.explain(mention, one.document_id, one.world)
        assert told.signals == pytest.approx(dict(one.signals)) and told.views == []


def test_other_weights_for_once_encode_only_what_counts(by_encoder, monkeypatch):
    asked = []
    queries = Encoding.queries

    def noted(self, mentions, names):
        asked.append(list(names))
        return queries(self, mentions, names)

    monkeypatch.setattr(Encoding, "queries", noted)
    mention = [Mention(tiny.WORDS[1])]
    (usual,) = by_encoder.retrieve(mention, 3)
    none = dict.fromkeys(("names", "names_text", "context"), 0)
    (found,) = by_encoder.retrieve(mention, 3, weights=none)
    assert asked == [["names", "names_text", "context"], []]
    assert set(found[0].signals) == {"exact", "words", "characters"}
    (doubled,) = by_encoder.retrieve(
        mention, 3, weights={n: 2 * w for n, w in by_encoder.weights.items()}
    )
    assert [one.score for one in doubled] == pytest.approx([2 * one.score for one in usual])


def test_what_each_signal_gives_is_printed(tmp_path, capsys):
    Index.create(tmp_path / "index", [Entity(id="1", title="the old gate", description="x")])
    assert main(["query", str(tmp_path / "index"), "[[old gate]]", "--weights", "words=2"]) == 0
    said = capsys.readouterr().out
    assert "words 2.00, characters" in said
    assert main(["query", str(tmp_path / "index"), "[[old]]", "--weights", "wrds=2"]) == 2
    assert "'wrds' is no signal of this index. Did you mean 'words'" in capsys.readouterr().err
    assert main(["query", str(tmp_path / "index"), "[[old]]", "--weights", "words=x"]) == 2
    assert "--weights words=x: expected SIGNAL=NUMBER" in capsys.readouterr().err


def test_weights():
    assert defaults([], False) == {"exact": 1, "words": 0.5, "characters": 0.75}
    assert defaults([], False, words_alone=True)["characters"] == 0
    assert list(defaults(["names", "text"], False)) == [
        "exact", "words", "characters", "names", "names_text", "context",
    ]  # fmt: skip
    assert defaults(["views", "whole"], True)["whole"] == pytest.approx(0.4)
    assert defaults(["whole"], True)["whole"] == 2
    assert read_weights("words=1,names=0.5") == {"words": 1, "names": 0.5}
    assert changed({"words": 1.0, "names": 2.0}, {"names": 0}) == {"words": 1, "names": 0}
    for wrong in (float("nan"), float("inf"), -1.0):
        with pytest.raises(InputError, match="expected a number from 0 on"):
            changed({"words": 1.0}, {"words": wrong})


def test_a_trained_model_reads_the_first_sentence_under_each_alias(model, tmp_path):
    """In three scripts; an alias that is taken out again leaves nothing."""
    aliases = ["old king", "老王", "दिल्ली"]
    text = "He lives by the river. The gate is red."
    one = Entity(id="1", title="tower", description=text, aliases=aliases, world="w")
    index = Index.create(tmp_path / "index", [one], model)
    own = index.views("1")
    under = own.views[-3:]
    assert under.tolist() == [own.views[0].tolist()] * 3 and len(own.views) == 5
    titled = Entity(id="1", title="老王", description=text, world="w")
    other = Index.create(tmp_path / "other", [titled], model).views("1")
    np.testing.assert_allclose(own.vectors[-2], other.vectors[0], rtol=1e-5, atol=1e-5)
    index.update([Entity(id="1", title="tower", description=text, world="w")])
    assert len(index.views("1").views) == 2


def words_asked(left, mention, right, query="mention_and_context"):
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
    assert words_asked(*given) == expected


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
    assert words_asked(5, 1000, 5, "mention") == [0, LONGEST, 0]
