"""A comparison in words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.text import aligned
from muver.reproduction.doctor import tell
from muver.reproduction.doctor.compare import compare

SHOWN = 10  # of the moves; the JSON has all of them


def compare_runs(first: Path, second: Path, *, out: Path | None = None) -> None:
    """Print what moved between two runs.

    Ends with 0 if all is well, 1 if something was found, 2 after bad input.

    Parameters
    ----------
    first, second
        Run files, as build/miniwikia/current/runs/test/muver.parquet.
    out
        JSON file to write as well.
    """
    report = compare(first, second)
    tell(report, as_text(report), out)


def as_text(report: Mapping[str, Any]) -> str:
    """The report of :func:`muver.reproduction.doctor.compare.compare` for people."""
    shared, lines = report["shared"], []
    for letter, run in zip("AB", report["runs"], strict=True):
        lines.append(
            f"{letter}  {run['file']}: {run['mentions']} mentions, {run['depth']} candidates, "
            f"gold by {run['match'] or 'nobody knows what'}"
        )
    if shared["only_first"] or shared["only_second"]:
        lines.append(
            f"Runs of different mentions: {shared['mentions']} are in both and are compared; "
            f"{shared['only_first']} are in A alone, {shared['only_second']} in B alone."
        )
    if "recall" in report:
        lines += ["", *_recall(report["recall"])]
    if unknown := [run for run, missing in zip("AB", report["unknown"], strict=True) if missing]:
        lines += ["", f"Nothing is written down of how {' and '.join(unknown)} was made."]
    else:
        lines += _differences("Settings", report["settings"])
        lines += _differences("Data, versions and machine", report["data"])
    return "\n".join([*lines, "", *_moves(report)]) + "\n"


def _recall(recall: Mapping[str, Any]) -> list[str]:
    head = f"recall in percent, {recall['mentions']} mentions"
    rows = [(head, *(f"R@{key}" for key in recall["first"]))]
    for name, key, form in (("A", "first", ""), ("B", "second", ""), ("B - A", "difference", "+")):
        rows.append((name, *(f"{value:{form}.2f}" for value in recall[key].values())))
    return aligned(rows, right=range(1, len(rows[0])))


def _differences(what: str, found: Sequence[Mapping[str, Any]]) -> list[str]:
    if not found:
        return ["", f"{what}: nothing that is written down differs."]
    rows = [
        (fact["name"], f"A {_value(fact['first'])}", f"B {_value(fact['second'])}")
        for fact in found
    ]
    return ["", f"{what} that differ:", *(f"  {line}" for line in aligned(rows))]


def _value(value: Any) -> str:
    text = "-" if value is None else str(value) or "''"
    is_hash = len(text) == 64 and set(text) <= set("0123456789abcdef")
    return f"{text[:12]}..." if is_hash else text


def _moves(report: Mapping[str, Any]) -> list[str]:
    lists = report["lists"]
    lines = [
        f"Lists of {report['shared']['mentions']} mentions: {lists['same']} the same, "
        f"{lists['ties']} but for equal scores, {lists['changed']} changed."
    ]
    if "recall" not in report:
        return [*lines, "Without both evaluations nothing is known of the gold entities."]
    counts = report["counts"]
    lines.append(
        f"The gold entity stands, in B against A: {counts['up']} up, {counts['down']} down, "
        f"{counts['found']} newly found, {counts['lost']} lost, {counts['same']} the same "
        f"(among {report['depth']} candidates)."
    )
    if report["moved"]:
        rows = [("mention", "A", "B")]
        for move in report["moved"][:SHOWN]:
            rows.append((move["mention"], str(move["first"] or "-"), str(move["second"] or "-")))
        lines += ["The greatest moves:", *(f"  {line}" for line in aligned(rows, right=(1, 2)))]
    return lines
