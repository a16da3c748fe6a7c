"""The rules: their order, what they explain, and that what they point to exists."""

from pathlib import Path

import pytest

from muver.doctor.causes import OTHER, differences, likely, rule_of, rules, seen_scores
from muver.doctor.facts import Facts
from muver.evaluation.agreement import Agreement
from muver.retrieval import kinds
from muver.training.settings import Training
from tests.blank import blank
from tests.markdown import anchors

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_each_rule_gives_reasons_that_can_be_read(rule):
    file, _, anchor = rule.see.partition("#")
    assert anchor in anchors(PROJECT / file)
    assert rule.keys and len(rule.why) > 20


def test_names_are_used_once():
    names = [rule.name for rule in rules()]
    assert len(names) == len(set(names))


def test_order():
    names = [rule.name for rule in rules()]
    wanted = [
        "other data", "another kind of retriever", "gold counted by title or by id",
        "how views make an entity's score", "merged views", "length of training", "seed",
        "bf16 in encoding", "other weights", "code and libraries", "machine", OTHER.name,
    ]  # fmt: skip
    assert [name for name in names if name in wanted] == wanted


@pytest.mark.parametrize(
    "fact",
    [
        *(f"retrieve.{key}" for kind in ("bm25", "fusion", "shards", "tokens", "views")
          for key in kinds.find(kind).Settings.__struct_fields__),
        *(f"model.training.{key}" for key in Training.__struct_fields__),
        "model.views.kind", "encoding.precision", "merge.top_k", "segment.punkt", "seed.of_row",
        "libraries.torch", "version.muver", "weights.entity_encoder", "start.weights_sha256",
    ],
)  # fmt: skip
def test_every_setting_has_a_rule(fact):
    assert rule_of(fact) != OTHER


def test_parts_and_candidates_count_as_the_row_itself():
    assert rule_of("parts.muver_200.retrieve.aggregate") == rule_of("retrieve.aggregate")
    assert rule_of("model.best_of.blink_128.training.epochs") == rule_of("model.training.epochs")
    assert rule_of("nobody.knows") == OTHER


def facts(**values) -> Facts:
    made = Facts()
    for group, own in values.items():
        made.add(group, "file", own)
    return made


def test_what_is_not_known_is_no_difference():
    first = facts(retrieve={"k": 64, "match": "id"}, seed={"of_row": 1}, merge={"top_k": 0.4})
    second = facts(retrieve={"k": 64, "match": "title"}, data={"fingerprint": "x"})
    assert differences(first, second) == {"retrieve.match": ("id", "title")}
    third = facts(retrieve={"k": 64}, seed={"of_row": 1})  # a row that does not merge
    assert differences(first, third) == {
        "retrieve.match": ("id", None),
        "merge.top_k": (0.4, None),
    }


def test_settings_of_one_kind_of_retriever_say_nothing_more_than_the_kind():
    first = facts(system={"retriever": "bm25"}, retrieve={"k1": 1.2, "k": 64})
    second = facts(system={"retriever": "views"}, retrieve={"metric": "dot", "k": 200})
    assert list(differences(first, second)) == ["system.retriever", "retrieve.k"]


DIFFERING = {
    "libraries.torch": ("2.1", "2.2"),
    "retrieve.match": ("id", "title"),
    "model.training.epochs": (3, 5),
    "encoding.precision": ("fp32", "bf16"),
    "retrieve.aggregate": ("max", "softmax_sum"),
    "encoding.threads": (1, 2),
}


@pytest.mark.parametrize(
    ("seen", "likeliest", "not_explained"),
    [
        (
            "values",
            ["how views make an entity's score", "length of training", "bf16 in encoding",
             "code and libraries"],
            ["gold counted by title or by id", "machine"],
        ),
        (
            "digits",
            ["bf16 in encoding", "code and libraries", "machine", "gold counted by title or by id",
             "how views make an entity's score", "length of training"],
            [],
        ),
        (
            "same",
            ["gold counted by title or by id", "bf16 in encoding", "code and libraries", "machine"],
            ["how views make an entity's score", "length of training"],
        ),
    ],
)  # fmt: skip
def test_what_is_seen_decides(seen, likeliest, not_explained):
    found = likely(DIFFERING, seen, same_weights=False)
    assert [one["cause"] for one in found if one["explains"]] == likeliest
    assert [one["cause"] for one in found if not one["explains"]] == not_explained


def test_the_same_weights_excuse_training():
    found = likely(DIFFERING, "values", same_weights=True)
    training = next(one for one in found if one["cause"] == "length of training")
    assert not training["explains"]
    assert "did not reach" in training["why"]
    assert training["facts"] == [{"name": "model.training.epochs", "first": 3, "second": 5}]


def test_nothing_moved_nothing_explained():
    assert not any(one["explains"] for one in likely(DIFFERING, "same", False, moved=False))


def test_scores_seen():
    def seen(greatest):
        found = blank(Agreement, common=3, greatest_difference=greatest)
        return seen_scores(found, 1e-5, 10.0)

    assert [seen(5e-5), seen(0.05), seen(0.5)] == ["same", "digits", "values"]
    assert seen_scores(blank(Agreement), 1e-5, 10.0) is None
