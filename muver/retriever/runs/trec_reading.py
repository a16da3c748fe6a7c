"""Read TREC run and qrels files of any origin, with errors that name the line."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from muver.io.errors import InputError


@dataclass(frozen=True)
class TrecRun:
    """A run file.

    Attributes
    ----------
    mentions
        The mention of each line; the lines of a mention are adjacent and sorted by score.
    candidates, ranks, scores
        The other columns, in the same order; ``ranks`` are the file's.
    reordered
        How many mentions have ranks that contradict their scores.
    tied
        How many mentions have equal scores, which tools order differently.
    """

    mentions: list[str]
    candidates: list[str]
    ranks: np.ndarray
    scores: np.ndarray
    reordered: int
    tied: int


def read_trec_run(path: Path) -> TrecRun:
    """Read a run; sort a mention's candidates by descending score, then by rank.

    A file that ends in the middle of a line, or has a candidate twice for a mention, is refused.
    """
    by_mention: dict[str, list[tuple[float, int, str]]] = {}
    seen: set[tuple[str, str]] = set()
    lines = _lines(path)
    for number, line in enumerate(lines, start=1):
        parts = line.split()
        if len(parts) != 6:
            raise InputError(
                f"{path}, line {number}: {len(parts)} fields, expected 6 (mention Q0 candidate "
                f"rank score name){_cut(number, lines)}"
            )
        mention, _, candidate, rank, score, _ = parts
        if (mention, candidate) in seen:
            raise InputError(
                f"{path}, line {number}: mention {mention} has candidate {candidate} twice."
            )
        seen.add((mention, candidate))
        try:
            value = (float(score), int(rank), candidate)
        except ValueError:
            raise InputError(
                f"{path}, line {number}: rank {rank!r} and score {score!r}, expected a whole "
                f"number and a number{_cut(number, lines)}"
            ) from None
        if not np.isfinite(value[0]):
            raise InputError(f"{path}, line {number}: score {score}, expected a finite number.")
        by_mention.setdefault(mention, []).append(value)
    if not lines:
        raise InputError(f"{path}: no lines, so there is nothing to compare.")
    names = {line.split()[5] for line in lines[:-1]}
    last = lines[-1].split()[5]
    if names and last not in names and any(name.startswith(last) for name in names):
        raise InputError(f"{path}, line {len(lines)}: ends with {last!r}{_cut(0, [])}")
    mentions, ordered, reordered, tied = [], [], 0, 0
    for mention, rows in by_mention.items():
        own = sorted(rows, key=lambda row: (-row[0], row[1]))
        reordered += [row[1] for row in own] != sorted(row[1] for row in own)
        tied += len({row[0] for row in own}) < len(own)
        mentions += [mention] * len(own)
        ordered += own
    return TrecRun(
        mentions=mentions,
        candidates=[row[2] for row in ordered],
        ranks=np.array([row[1] for row in ordered]),
        scores=np.array([row[0] for row in ordered]),
        reordered=reordered,
        tied=tied,
    )


def read_qrels(path: Path) -> dict[str, set[str]]:
    """The relevant candidates of each mention."""
    found: dict[str, set[str]] = {}
    lines = _lines(path)
    for number, line in enumerate(lines, start=1):
        parts = line.split()
        if len(parts) != 4 or not parts[3].lstrip("-").isdecimal():
            raise InputError(
                f"{path}, line {number}: {line!r}, expected 4 fields (mention 0 candidate "
                f"relevance){_cut(number, lines)}"
            )
        if int(parts[3]) > 0:
            found.setdefault(parts[0], set()).add(parts[2])
    return found


def _cut(number: int, lines: list[str]) -> str:
    cut = " The file seems cut short: copy it again." if number == len(lines) else ""
    return f".{cut}"


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as TREC text ({error}).") from None
