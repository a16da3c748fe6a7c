"""What differs between two runs' facts, and how likely it is to explain what is seen."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from muver.doctor.facts import Facts
from muver.evaluation.agreement import Agreement

RULES = Path(__file__).with_name("causes.yaml")
DIGITS = 1e-2  # of a score: what bf16 rounds away, and other orders of summing much less
# Of a fusion's part or of one of several models, the setting is the same one.
NESTED = re.compile(r"^parts\.[^.]+\.|(?<=^model\.)best_of\.[^.]+\.")
# By what is seen of the scores: the kinds of causes that can explain it, the best first.
EXPLAINS = {
    "same": ("places", "digits"),
    "digits": ("digits", "places", "scores"),
    "values": ("scores",),
    None: ("scores", "places", "digits"),
}


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cause: see the head of causes.yaml."""

    name: str
    keys: tuple[str, ...]
    moves: tuple[Literal["scores", "digits", "places"], ...]
    why: str
    see: str
    through: Literal["weights"] | None = None


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
    return (*msgspec.convert(yaml.safe_load(RULES.read_text("utf-8")), list[Rule]), OTHER)


def rule_of(fact: str) -> Rule:
    """The first rule that names a fact; a part's or a candidate model's as the row's own."""
    while (inner := NESTED.sub("", fact, count=1)) != fact:
        fact = inner
    return next(rule for rule in rules() if any(fnmatchcase(fact, key) for key in rule.keys))


def differences(first: Facts, second: Facts) -> dict[str, tuple[Any, Any]]:
    """Facts of both runs that differ: their values, None where one run has no such fact.

    Left out are facts of a group that nothing tells of one run, as not known is not different; and
    settings that one kind of retriever alone has, where the kinds differ.
    """
    groups = set(first.sources) & set(second.sources)
    if "seed" in groups:
        # A row's whole settings are known: a group that they lack (merging, say) it does not have.
        groups |= {"merge", "global_view", "spans", "parts"}
    a, b = first.values, second.values
    other_kind = a.get("system.retriever") != b.get("system.retriever")
    return {
        name: (a.get(name), b.get(name))
        for name in {**a, **b}
        if name.partition(".")[0] in groups
        and a.get(name) != b.get(name)
        and not (other_kind and (name not in a or name not in b))
    }


def seen_scores(agreement: Agreement, tolerance: float, size: float) -> str | None:
    """What the scores of common candidates say: "same", "digits" or "values"; None without any.

    Parameters
    ----------
    size
        Mean size of a score, without sign.
    """
    if not agreement.common:
        return None
    if agreement.greatest_difference <= tolerance * max(size, 1e-30):
        return "same"
    return "digits" if agreement.greatest_difference <= DIGITS * size else "values"


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
    wanted = EXPLAINS[seen]

    def excused(rule: Rule) -> bool:
        return rule.through == "weights" and same_weights

    def misfit(rule: Rule) -> int:
        """How badly a rule fits; len(wanted) if it explains nothing."""
        fits = [wanted.index(own) for own in rule.moves if own in wanted]
        return min(fits, default=len(wanted)) if not excused(rule) else len(wanted)

    by_rule: dict[Rule, list[dict[str, Any]]] = {rule: [] for rule in rules()}
    for name, (one, two) in differing.items():
        by_rule[rule_of(name)].append({"name": name, "first": one, "second": two})
    unmoved = " The weights are the same all the same, so it did not reach these runs."
    return [
        {
            "cause": rule.name,
            "explains": moved and misfit(rule) < len(wanted),
            "why": rule.why.strip() + (unmoved if excused(rule) else ""),
            "see": rule.see,
            "facts": facts,
        }
        for rule, facts in sorted(by_rule.items(), key=lambda item: misfit(item[0]))
        if facts
    ]
