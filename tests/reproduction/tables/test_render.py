"""LaTeX as a paper takes it: booktabs, the best in bold, and nothing that TeX takes for its own."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.reproduction.tables.cells import Page, Section
from muver.reproduction.tables.render import escape, to_latex, to_markdown

HEADER = ["method", "# of Views", "R@64", "row_key", "row_key (close)"]
ROWS = [["MuVER & co", "", "100.00", "0abc", ""], ["a_b 50% {x}", "17.40", "9.50", "1abc", "2abc"]]
PAGE = Page("Recall_1", [Section("", "All 5 of x ~ y.", HEADER, ROWS, {(0, 2)})])
EXPECTED = r"""% Needs \usepackage{booktabs} in the preamble. Bold: the best of a column.
\begin{table}
\centering\small
\caption{Recall\_1. All 5 of x \textasciitilde{} y.}
\label{tab:table3}
\begin{tabular}{@{}lrr@{}}
\toprule
method & \# of Views & R@64 \\
\midrule
MuVER \& co &  & \textbf{100.00} \\ % 0abc
a\_b 50\% \{x\} & 17.40 & 9.50 \\ % 1abc 2abc
\bottomrule
\end{tabular}
\end{table}
"""


def test_markdown_below_a_heading_of_its_own():
    grid = Section("", "", ["method", "R@1"], [["A | B", "9.5"], ["C", "10.0"]], {(1, 1)}, {0: "a"})
    rest = Section("Rest", "Of it.", ["k"], [["1"]], footnotes={"b": "A note."})
    text = to_markdown(Page("Recall", [grid, rest]), level=3)
    assert text == (
        "### Recall\n\n"
        "| method     |      R@1 |\n|:-----------|---------:|\n"
        "| A \\| B [a] |      9.5 |\n| C          | **10.0** |\n\n"
        "#### Rest\n\nOf it.\n\n|   k |\n|----:|\n|   1 |\n\n[b] A note.\n"
    )


def test_a_cell_of_markdown_shows_what_it_is_given():
    rows = [["<b>x</b>"], ["![C](d)"], ["\u202e < 1"]]
    text = to_markdown(Page("", [Section("", "", ["method"], rows)]))
    assert r"| \<b>x\</b> |" in text and r"| ![C\](d) " in text and r"| \u202e < 1 " in text


def test_a_float_with_booktabs():
    assert to_latex(PAGE, "table3") == EXPECTED


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("$x^2$ < y | z", r"\$x\textasciicircum{}2\$ \textless{} y \textbar{} z"),
        ("48.50 ± 0.31", r"48.50 \ensuremath{\pm} 0.31"),
        ("a -- b", "a -{}- b"),
        ("\x1b[2J\u202ea", r"\textbackslash{}u001b[2J\textbackslash{}u202ea"),
        ('a "name"\n\nbelow', "a ''name'' below"),
    ],
)
def test_signs_of_tex_are_escaped(text, escaped):
    assert escape(text) == escaped


@given(st.text())
def test_no_sign_of_tex_stays_bare(text):
    bare = re.sub(
        r"\\[{}$&#_%]|\\(text\w+|ensuremath)\{\}|\\ensuremath\{\\pm\}|\{\}", "", escape(text)
    )
    assert not set(bare) & set("\\{}$&#_%^~\n")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex with booktabs")
def test_it_compiles_in_a_minimal_document(tmp_path):
    every = "".join(map(chr, range(32, 127))) + " ±"
    page = Page(
        every, [Section("", every, [*HEADER[:3], every], [[*row[:3], every] for row in ROWS])]
    )
    document = (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
        f"{to_latex(PAGE, 'table3')}{to_latex(page, 'all')}\\end{{document}}\n"
    )
    (tmp_path / "paper.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 0
