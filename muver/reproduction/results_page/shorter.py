"""What of a table's Markdown stays on the page of record: nothing is said there twice."""

import re
from collections.abc import Sequence

# Parts of a result that are left to the run's own files
LEFT_OUT = ("Mean of worlds", "How sure the numbers are", "By world", "By value")
CONTRASTS, TESTS = "#### The paper's contrasts", "#### Paired tests against "
SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z\d])")
FOOTNOTE = re.compile(r"\[(\w)\] (.+)")


def shortened(markdown: str) -> str:
    """A table's page two levels down, without ``LEFT_OUT`` and tests that are contrasts too."""
    main, *further = re.split(r"^(?=## )", markdown.strip(), flags=re.MULTILINE)
    parts = [f"##{part}".strip() for part in (main, *further)]
    parts = [part for part in parts if not part.removeprefix("#### ").startswith(LEFT_OUT)]
    contrasts = "".join(part for part in parts if part.startswith(CONTRASTS))
    return "\n\n".join(filter(None, (_further_tests(part, contrasts) for part in parts)))


def _further_tests(part: str, contrasts: str) -> str:
    """A part; of paired tests the rows whose difference is no contrast, "" if all are."""
    if not part.startswith(TESTS):
        return part
    against = part.partition("\n")[0].removeprefix(TESTS)
    *above, grid = part.split("\n\n")
    header, rule, *rows = grid.splitlines()
    kept = []
    for row in rows:
        method = row.split("|")[1].strip()
        pairs = (f"| {method} minus {against} ", f"| {against} minus {method} ")
        if not any(pair in contrasts for pair in pairs):
            kept.append(row)
    return "\n\n".join([*above, "\n".join([header, rule, *kept])]) if kept else ""


def said_once(found: Sequence[str]) -> list[str]:
    """Texts of tables without the sentences and footnotes that an earlier one has."""
    said: set[str] = set()
    return [_what_is_new(text, said) for text in found]


def _what_is_new(text: str, said: set[str]) -> str:
    """A text without what was said, to which its own sentences are added."""
    kept, known = [], []
    for part in text.split("\n\n"):
        if part.startswith(("#", "|")):
            kept.append(part)
            continue
        footnote = FOOTNOTE.fullmatch(part)
        told = [footnote[2]] if footnote else SENTENCE_END.split(part)
        new = [one for one in told if one not in said]
        said.update(told)
        if new:
            kept.append(part if footnote else " ".join(new))
        elif footnote:
            known.append(footnote[1])
    text = "\n\n".join(kept)
    return re.sub(rf" \[({'|'.join(known)})\](?= +\|)", "    ", text) if known else text
