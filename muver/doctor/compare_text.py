"""A comparison in words."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from muver.evaluation.agreement import as_text as agreement_text

WIDTH = 100
IN = " " * 5
SHOWN = 10  # of the moves; all of them stand in the JSON
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
        parts += [_recall(report), _moves(report)]
    else:
        parts.append(
            "The gold entities are not known, so neither are recall and their moves: give "
            "--mentions or --qrels."
        )
    lists = report["lists"]
    differ = lists["ties"] + lists["changed"] > 0
    parts.append(
        f"Lists of {report['shared']['mentions']} mentions: {lists['same']} the same, "
        f"{lists['ties']} but for ties, {lists['changed']} changed."
        f"{' ' + SEEN[report['scores']] if differ else ''}\n"
        + _indent(agreement_text(report["agreement"]))
    )
    parts.append(_causes(report))
    return "\n\n".join(part for part in parts if part) + "\n"


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
    if not report["damaged"]:
        return ""
    lines = [f"- {damage['says']}" for damage in report["damaged"]]
    return "\n".join(["Before anything else, these files do not belong together:", *lines])


def _recall(report: Mapping[str, Any]) -> str:
    recall = report["recall"]
    keys = [str(k) for k in recall["cutoffs"]]
    rows = [
        (f"recall in percent, {recall['mentions']} mentions", [f"R@{k}" for k in keys]),
        ("A", [f"{recall['first'][k]:.2f}" for k in keys]),
        ("B", [f"{recall['second'][k]:.2f}" for k in keys]),
        ("B - A", [f"{recall['difference'][k]:+.2f}" for k in keys]),
        ("p, paired", [_p(recall["p_value"][k]) for k in keys]),
    ]
    wide = max(len(cell) for _, cells in rows for cell in cells)
    first = max(len(name) for name, _ in rows)
    return "\n".join(
        f"{name:<{first}}  " + "  ".join(f"{cell:>{wide}}" for cell in cells)
        for name, cells in rows
    )


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


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
    shown = [move for move in report["moved"] if not move["ties"]][:SHOWN]
    if shown:
        lines.append("The largest moves:")
        head = ("mention", "world", "A", "B", "gold entity")
        rows = [
            (
                move["mention"],
                move["world"],
                _rank(move["first"]),
                _rank(move["second"]),
                move["gold"],
            )
            for move in shown
        ]
        lines.append(_indent(_table([head, *rows], right=(2, 3))))
    return "\n".join(lines)


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _causes(report: Mapping[str, Any]) -> str:
    causes = report["causes"]
    known = [len(sources) > 0 for sources in report["sources"]]
    if not all(known):
        which = " and ".join(letter for letter, one in zip("AB", known, strict=True) if not one)
        return (
            f"Nothing is written down of how {which} was made, so nothing can be said of what "
            "differs. docs/doctor.md lists the known traps."
        )
    if not causes:
        return "Nothing that is written down of how the two were made differs."
    lines = []
    for head, wanted in (
        ("What differs in how they were made, the likeliest cause first:", True),
        ("What differs as well, but does not explain what is seen:", False),
    ):
        own = [cause for cause in causes if cause["explains"] == wanted]
        if not own:
            continue
        lines.append(head)
        for number, cause in enumerate(own, start=1):
            lines.append(f"{number}. {cause['cause']} ({cause['see']})")
            lines += [
                f"{IN}{fact['name']}: A {_value(fact['first'])}, B {_value(fact['second'])}"
                for fact in cause["facts"]
            ]
            lines.append(
                textwrap.fill(cause["why"], WIDTH, initial_indent=IN, subsequent_indent=IN)
            )
    return "\n".join(lines)


def _value(value: Any) -> str:
    text = "-" if value is None else str(value)
    long = len(text) == 64 and set(text) <= set("0123456789abcdef")
    return f"{text[:12]}..." if long else text


def _table(rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            f"{cell:>{width}}" if column in right else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
