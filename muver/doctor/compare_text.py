"""A comparison in words."""

import textwrap
from collections.abc import Mapping
from typing import Any

from muver.evaluation.agreement import as_text as agreement_text
from muver.io.text import aligned

WIDTH = 100
IN = " " * 5
SHOWN = 10  # of the moves; the JSON has all of them
SEEN = {
    "same": "Scores of common candidates are equal: what differs is what is listed or counted.",
    "digits": "Scores of common candidates differ in their last digits only.",
    "values": "Scores of common candidates differ by more than rounding.",
    None: "The lists have no candidate in common.",
}


def as_text(report: Mapping[str, Any]) -> str:
    """The report of :func:`muver.doctor.compare.compare` for people."""
    parts = [_head(report), _damaged(report)]
    if "recall" in report:
        parts += [_recall(report["recall"]), _moves(report)]
    else:
        parts.append(
            "The gold entities are not known, so neither are recall and their moves: give "
            "--mentions or --qrels."
        )
    parts += [_lists(report), _causes(report)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _head(report: Mapping[str, Any]) -> str:
    lines = []
    for letter, run in zip("AB", report["runs"], strict=True):
        lines.append(
            f"{letter}  {run['file']}: {run['mentions']} mentions, {run['depth']} candidates, "
            f"gold by {run['match']}"
        )
        lines += [f"   {note}" for note in run["notes"]]
    shared = report["shared"]
    if shared["only_first"] or shared["only_second"]:
        lines.append(
            f"Runs of different mentions: {shared['mentions']} are in both and are compared; "
            f"{shared['only_first']} are in A alone, {shared['only_second']} in B alone."
        )
    return "\n".join(lines)


def _damaged(report: Mapping[str, Any]) -> str:
    lines = [f"- {damage['says']}" for damage in report["damaged"]]
    head = "Before anything else, these files do not belong together:"
    return "\n".join([head, *lines]) if lines else ""


def _recall(recall: Mapping[str, Any]) -> str:
    keys = recall["cutoffs"]
    p_values = [recall["p_value"][key] for key in keys]
    rows = [
        (f"recall in percent, {recall['mentions']} mentions", *(f"R@{key}" for key in keys)),
        ("A", *(f"{recall['first'][key]:.2f}" for key in keys)),
        ("B", *(f"{recall['second'][key]:.2f}" for key in keys)),
        ("B - A", *(f"{recall['difference'][key]:+.2f}" for key in keys)),
        ("p, paired", *("<0.001" if p < 0.001 else f"{p:.3f}" for p in p_values)),
    ]
    return "\n".join(aligned(rows, right=range(1, len(keys) + 1)))


def _moves(report: Mapping[str, Any]) -> str:
    counts = report["counts"]
    lines = [
        f"The gold entity stands, in B against A: {counts['up']} up, {counts['down']} down, "
        f"{counts['found']} newly found, {counts['lost']} lost, {counts['same']} the same "
        f"(among {report['depth']} candidates)."
    ]
    if counts["ties"]:
        lines.append(
            f"Of these, {counts['ties']} moved among scores that differ by less than "
            f"{report['tolerance']:g} of their size: ties and rounding."
        )
    for letter, number in zip("AB", report["deeper"], strict=True):
        if number:
            lines.append(
                f"{letter} finds {number} more below rank {report['depth']}, where the other run "
                "ends: they count as not found."
            )
    shown = [
        (move["mention"], move["world"], *(str(move[run] or "-") for run in ("first", "second")),
         move["gold"])
        for move in report["moved"]
        if not move["ties"]
    ]  # fmt: skip
    if shown:
        rows = [("mention", "world", "A", "B", "gold entity"), *shown[:SHOWN]]
        lines += ["The largest moves:", *(f"  {line}" for line in aligned(rows, right=(2, 3)))]
    return "\n".join(lines)


def _lists(report: Mapping[str, Any]) -> str:
    lists = report["lists"]
    seen = f" {SEEN[report['scores']]}" if lists["ties"] + lists["changed"] else ""
    head = (
        f"Lists of {report['shared']['mentions']} mentions: {lists['same']} the same, "
        f"{lists['ties']} but for ties, {lists['changed']} changed.{seen}"
    )
    return f"{head}\n{textwrap.indent(agreement_text(report['agreement']), '  ')}"


def _causes(report: Mapping[str, Any]) -> str:
    silent = [letter for letter, own in zip("AB", report["sources"], strict=True) if not own]
    if silent:
        return (
            f"Nothing is written down of how {' and '.join(silent)} was made, so nothing can be "
            "said of what differs. docs/doctor.md lists the known traps."
        )
    if not report["causes"]:
        return "Nothing that is written down of how the two were made differs."
    lines = []
    for head, explains in (
        ("What differs in how they were made, the likeliest cause first:", True),
        ("What differs as well, but does not explain what is seen:", False),
    ):
        own = [cause for cause in report["causes"] if cause["explains"] == explains]
        lines += [head] * bool(own)
        for number, cause in enumerate(own, start=1):
            lines.append(f"{number}. {cause['cause']} ({cause['see']})")
            lines += [
                f"{IN}{fact['name']}: A {_value(fact['first'])}, B {_value(fact['second'])}"
                for fact in cause["facts"]
            ]
            why = textwrap.fill(cause["why"], WIDTH, initial_indent=IN, subsequent_indent=IN)
            lines.append(why)
    return "\n".join(lines)


def _value(value: Any) -> str:
    text = "-" if value is None else str(value)
    is_hash = len(text) == 64 and set(text) <= set("0123456789abcdef")
    return f"{text[:12]}..." if is_hash else text
