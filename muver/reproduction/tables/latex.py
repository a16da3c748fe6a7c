"""Writes tables as LaTeX: a float with booktabs, to \\input into a paper."""

from collections.abc import Sequence

from muver.reproduction.tables.page import Page, Section

ESCAPED = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # works in every font encoding
    "±": r"\ensuremath{\pm}",
}
KEY = "row_key"  # columns that start with this lead to a run, and become comments


def to_latex(page: Page, label: str) -> str:
    """The first section of a page, the table itself, as a float.

    It needs only ``\\usepackage{booktabs}``. The rows' keys are comments at the end of their lines.

    Parameters
    ----------
    label
        The name for ``\\ref``, after ``tab:``.
    """
    section = page.sections[0]
    shown = [n for n, name in enumerate(section.header) if not name.startswith(KEY)]
    columns = "".join("r" if _is_number(section, n) else "l" for n in shown)
    lines = [
        "% Needs \\usepackage{booktabs} in the preamble. Bold: the best of a column.",
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{escape(page.title)}. {escape(section.note)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _line([escape(section.header[n]) for n in shown]),
        r"\midrule",
        *(_row(section, row, shown) for row in range(len(section.rows))),
        r"\bottomrule",
        r"\end{tabular}",
        *_footnotes(section),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Text on one line, with TeX's special characters escaped.

    >>> print(escape("# of Views: 100% of a_b"))
    \\# of Views: 100\\% of a\\_b
    """
    signs = "".join(ESCAPED.get(sign, sign) for sign in " ".join(text.split()))
    return signs.replace("--", "-{}-")  # TeX would turn them into a dash


def _row(section: Section, row: int, shown: Sequence[int]) -> str:
    texts = section.rows[row]
    cells = [
        rf"\textbf{{{escape(texts[n])}}}" if (row, n) in section.best else escape(texts[n])
        for n in shown
    ]
    if row in section.marks:
        cells[0] += rf"\textsuperscript{{{section.marks[row]}}}"
    keys = [text for n, text in enumerate(texts) if n not in shown and text]
    comment = " ".join(" ".join(key.split()) for key in keys)
    return f"{_line(cells)} % {comment}" if keys else _line(cells)


def _footnotes(section: Section) -> list[str]:
    told = [
        rf"\textsuperscript{{{letter}}} {escape(text)}"
        for letter, text in section.footnotes.items()
    ]
    if not told:
        return []
    return [r"\par\smallskip\raggedright\footnotesize", *(rf"{line}\par" for line in told)]


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _is_number(section: Section, column: int) -> bool:
    """Whether a column holds only numbers."""
    texts = [row[column] for row in section.rows if row[column]]
    return bool(texts) and all(_reads_as_float(text) for text in texts)


def _reads_as_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
