"""Pages in each form, as a reader sees them."""

from muver.kb.importing.pages.forms import latex, markdown, mediawiki, read_html


def shown(page):
    """Lines, with links as `[label](target)`."""
    lines = []
    for line in page.lines:
        text = line.text
        for link in reversed(line.links):
            label = text[link.start : link.end]
            text = f"{text[: link.start]}[{label}]({link.target}){text[link.end :]}"
        lines.append(text)
    return lines


MARKDOWN = """\
---
title: "The harbour: a view"
tags:
  - Sea
---
# The harbour

The *harbour* lies below the [old
castle](../castle.md "Castle"), `inland`.<br>It is
[!NOTE] <xref:a.B?view=x>: {{#concept "deep" Agda=Deep}}.

:::image type="content":::

##Ships, [linked](ships.md)

| a | [table](table.md) |
| - | - |
| b | c |

```c
int code;
```

- ![image](ship.png) [Brig](brig.md) &amp; more
"""


def test_markdown():
    page = markdown(MARKDOWN)
    assert page.title == "The harbour: a view"
    assert shown(page) == [
        "The harbour lies below the [old castle](../castle.md), inland. It is a.B: deep.",
        "Ships, linked",
        "[Brig](brig.md) & more",
    ]


def test_markdown_without_front_matter():
    assert markdown("# A & B\n\nText\n\n---\n\nMore\n").title == "A & B"
    page = markdown("blocks:\n- End\n---\nThe **Rapture**\n")  # a wiki that cut the first line off
    assert (page.title, shown(page)) == (None, ["The Rapture"])


def test_a_table_of_contents_is_left_out():
    page = markdown("- [1 Masts](#masts)\n- See [sails](#sails)\n- [Ships](ships.md#sails)\n")
    assert shown(page) == ["See [sails](#sails)", "[Ships](ships.md#sails)"]


def test_html_that_is_not_closed():
    page = read_html("<h1>One</h1><p>Two <a href='x'>three<p>four</a> five<h1>Six</h1>")
    assert page.title == "One"
    assert shown(page) == ["Two [three](x)", "[four](x) five", "Six"]


def test_mediawiki():
    page = mediawiki(
        "[[Translation:en/Manual/Signals]]\n"
        "'''Signals''' part [[en/Manual/Trains]] on [[en/Manual/Track|tracks]].\n\n"
        "== Use ==\nMany [[en/Manual/Depot#build]]s. [[File:en/a.png|thumb|A signal]]"
    )
    assert shown(page) == [
        "Signals part [Trains](En/Manual/Trains) on [tracks](En/Manual/Track).",
        "Use",
        "Many [Depots](En/Manual/Depot).",
    ]


LATEX = r"""\documentclass{article}
\pmcanonicalname{QuotientRing}
\pmtitle{quotient ring $R/I$}
\newcommand{\Z}{\mathbb{Z}}
\begin{document}
% a remark
Let $I$ be an \emph{ideal} of \PMlinkname{a \emph{ring}}{Ring} with $a<b$ and
\begin{equation} x = y \end{equation}
``cosets'' of \PMlinkescapetext{regular} Erd\H{o}s and Poincar\'e\,\cite{E}.

\section{See \PMlinkid{this}{1}}
\begin{itemize}
\item[1.] \PMlinkexternal{a page}{http://x.org} costs 3\% of $\mathbb{R}^n$.
\end{itemize}
\end{document}
"""


def test_latex():
    page = latex(LATEX)
    assert (page.title, page.names) == ("quotient ring R/I", ["QuotientRing"])
    assert shown(page) == [
        'Let I be an ideal of [a ring](Ring) with a<b and "cosets" of regular Erdos and Poincare .',
        "See this",
        "a page costs 3% of R^n.",
    ]
