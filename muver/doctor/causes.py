"""What differs between two runs' facts, and how likely it is to explain what is seen."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from muver.doctor.facts import Facts

RULES = Path(__file__).with_name("causes.yaml")
DIGITS = 1e-2  # of a score: what bf16 rounds away, and other orders of summing much less
MOVES = ("scores", "digits", "places")
# Of a fusion's part or of one of several models, the setting is the same one.
NESTED = re.compile(r"^parts\.[^.]+\.|(?<=^model\.)best_of\.[^.]+\.")


@dataclass(frozen=True)
class Rule:
    """A cause: see the head of causes.yaml."""

    name: str
    keys: tuple[str, ...]
    moves: tuple[str, ...]
    why: str
    see: str
    through: str | None = None


OTHER = Rule(
    "other settings",
    ("*",),
    ("scores",),
    "No rule knows this setting.",
    "docs/fidelity.md#where-the-paper-and-its-code-differ",
)


@cache
def rules() -> tuple[Rule, ...]:
    """The causes in order of likelihood, a last one for facts that no rule names."""
    read = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    found = [
        Rule(**{**one, "keys": tuple(one["keys"]), "moves": tuple(one["moves"])}) for one in read
    ]
    return (*found, OTHER)


def rule_of(fact: str) -> Rule:
    """The first rule that names a fact; a part's or a candidate model's as the row's own."""
    name = fact
    while (inner := NESTED.sub("", name, count=1)) != name:
        name = inner
    return next(rule for rule in rules() if any(fnmatchcase(name, key) for key in rule.keys))


def differences(first: Facts, second: Facts) -> dict[str, tuple[Any, Any]]:
    """Facts of both runs that differ: their values, None where one run has no such fact.

    Facts of a group that nothing tells of one run are left out: not known is not different. So are
    settings that one kind of retriever alone has, where the kinds differ.
    """
    groups = set(first.sources) & set(second.sources)
    # A row's whole settings are known, so that a group it lacks (merging, say) is one it has not.
    groups |= {"merge", "global_view", "spans", "parts"} if "seed" in groups else set()
    names = [*first.values, *(name for name in second.values if name not in first.values)]
    kinds = [facts.values.get("system.retriever") for facts in (first, second)]
    found = {}
    for name in names:
        alone = name not in first.values or name not in second.values
        if name.partition(".")[0] in groups and not (alone and kinds[0] != kinds[1]):
            pair = first.values.get(name), second.values.get(name)
            if pair[0] != pair[1]:
                found[name] = pair
    return found


def seen_scores(agreement: Mapping[str, Any], tolerance: float, size: float) -> str | None:
    """What the scores of common candidates say: "same", "digits" or "values"; None without any.

    Parameters
    ----------
    agreement
        From :func:`muver.evaluation.agreement.agreement`.
    size
        Mean size of a score, without sign.
    """
    if not agreement["common"]:
        return None
    if agreement["greatest_difference"] <= tolerance * max(size, 1e-30):
        return "same"
    return "digits" if agreement["greatest_difference"] <= DIGITS * size else "values"


# By what is seen of the scores: the kinds of causes that can explain it, the best first.
EXPLAINS = {
    "same": ("places", "digits"),
    "digits": ("digits", "places", "scores"),
    "values": ("scores",),
    None: ("scores", "places", "digits"),
}


def likely(
    differing: Mapping[str, tuple[Any, Any]],
    seen: str | None,
    same_weights: bool,
    moved: bool = True,
) -> list[dict[str, Any]]:
    """Causes of a difference, the likeliest first.

    Parameters
    ----------
    differing
        From :func:`differences`.
    seen
        From :func:`seen_scores`.
    same_weights
        Whether both runs come from the same weights, so that no setting of training matters.
    moved
        Whether the rankings differ at all; if not, nothing needs explaining.

    Returns
    -------
    Dicts of ``cause``, ``explains`` (whether it can explain what is seen), ``why``, ``see`` and
    ``facts``: name, and the value of either run. Causes that can explain come before those that
    cannot; within these, those that move just what is seen; then in the order of the rules.
    """
    by_rule: dict[Rule, list[dict[str, Any]]] = {}
    for name, (one, two) in differing.items():
        fact = {"name": name, "first": one, "second": two}
        by_rule.setdefault(rule_of(name), []).append(fact)
    order = {rule: n for n, rule in enumerate(rules())}
    wanted = EXPLAINS[seen]

    def fit(rule: Rule) -> int:
        """How well a rule fits; len(wanted) if it explains nothing."""
        if rule.through == "weights" and same_weights:
            return len(wanted)
        return min((wanted.index(m) for m in rule.moves if m in wanted), default=len(wanted))

    found = []
    for rule in sorted(by_rule, key=lambda rule: (fit(rule), order[rule])):
        explains = moved and fit(rule) < len(wanted)
        why = rule.why.strip()
        if rule.through == "weights" and same_weights:
            why += " The weights are the same all the same, so it did not reach these runs."
        facts = by_rule[rule]
        found.append(
            {"cause": rule.name, "explains": explains, "why": why, "see": rule.see, "facts": facts}
        )
    return found
