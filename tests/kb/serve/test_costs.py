"""What a request takes is known before, and a longer one is refused."""

from types import SimpleNamespace

import pytest
from torch import nn

from muver.io.errors import InputError
from muver.kb.index.entity import Entity
from muver.kb.serve.forms import AskedMention, NewEntity
from muver.kb.serve.models import Served
from muver.kb.serve.run import check_least
from muver.kb.serve.waiting import tokens_of, tokens_of_all, tokens_to_add, tokens_to_tell
from muver.retriever.encoders import device
from tests.kb.serve.conftest import running

SHORT, LONG = AskedMention(mention="a" * 40), AskedMention(left="a" * 9_000, mention="a")


class Index(list):
    """A hundred thousand entities, and a model of twice the usual size that merges a layer."""

    weight, weight_of_entities, each = 2.0, 4.0, 1
    costs = SimpleNamespace(narrowing=7, comparing=lambda pieces: pieces / 10)

    def __len__(self):
        return 100_000

    def candidates_take(self, k):
        return self.each * k


def test_a_model_weighs_what_each_word_piece_is_multiplied_with(monkeypatch):
    monkeypatch.setattr(device, "UNIT", 100)
    tower = nn.Sequential(nn.Embedding(50, 10), nn.Linear(10, 20, bias=False))
    assert device.weight_of(tower) == 2
    assert device.weight_of(nn.Linear(1, 1)) == device.LEAST


def test_a_mention_costs_what_is_read_and_found():
    index = Index()
    assert tokens_of(SHORT, index, 10) == 16 * (2 + 1) + 1 + 10  # 14 pieces of three letters
    assert tokens_of(LONG, index) == 128 * (2 + 1)
    index.each = 7
    assert tokens_of(SHORT, index, 10) == 49 + 70
    told = Entity(id="a", title="a", description="a" * 2_000, aliases=["b"] * 80)
    assert tokens_to_tell(SHORT, Index(), told) == 50 + 2 * (10 + 10)
    marks = AskedMention(mention="." * 30, right="\N{GREEK SMALL LETTER ALPHA}" * 20)
    assert tokens_of(marks, Index()) == (2 + 30 + 20) * 3 + 3


def test_further_worlds_and_other_columns_cost_once():
    mentions = [AskedMention(mention="a", world=world) for world in "abab"]
    one = tokens_of(mentions[0], Index())
    assert tokens_of_all(mentions, Index(), 0, narrowed=False) == [one + 30 + 7, one, one, one]
    assert tokens_of_all(mentions[:1], Index(), 0, narrowed=True) == [one + 1_667 + 7]


@pytest.mark.parametrize(
    "given, tokens",
    [
        ({"title": "abc" * 3, "aliases": ["abc", "abcd"]}, 3 + 1 + 2),
        ({"title": "abc", "description": "One two. " * 8}, 1 + 24 + 8 * (4 + 1)),
        ({"title": "abc" * 100, "description": "One two. " * 8}, 100 + 24 + 8 * 40),
    ],
)
def test_an_entity_costs_its_texts_and_a_title_a_view(given, tokens):
    assert tokens_to_add(NewEntity(**given), Index()) == 4 * tokens


def test_what_takes_too_long_is_refused():
    with running({"tokens": 36}) as service:
        asked = [{"mention": "a"}] * 6  # each reads three pieces and has three candidates
        assert service.call("POST", "/retrieve", {"mentions": asked}).status == 200
        said = service.call("POST", "/retrieve", {"mentions": [*asked, {"mention": "a"}]}).said
        assert said.startswith("mentions: about 42 tokens of work, 36 at most. Send fewer")
        given = {"title": "a", "description": "word " * 100}
        answer = service.call("PUT", "/entities/new", given, token="0123456789abcdef")
        assert (answer.status, answer.said.partition(". ")[2]) == (
            422, "Bring it in by `muver index update`.",
        )  # fmt: skip
        assert service.call("GET", "/entities/new").status == 404


def test_an_index_of_which_one_word_takes_too_long_is_not_served():
    index = Index()
    check_least(Served("big", index), 10)
    index.each = 6_000
    with pytest.raises(InputError, match=r"big: one mention takes about 6,009 .*\"tokens\": 7009"):
        check_least(Served("big", index), 4_500)
