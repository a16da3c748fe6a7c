"""HTML as a reader sees it; what is none stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.kb.importing.markup import without_html


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>two</p>", "One\ntwo"),
        ("<b>bold</b>ly <a href='x>y'>gone</a>", "boldly gone"),
        ("a<br/>b<BR>c", "a\nb\nc"),
        ("x<!-- not seen -->y<script>if (a < b) {}</script>z", "xyz"),
        ("AT&amp;T &lt;b&gt; &#233;&nbsp;x", "AT&T <b> é x"),
        ("for a <b and c> d, 1 < 2", "for a <b and c> d, 1 < 2"),
        ("the tag <mine> of a language", "the tag <mine> of a language"),
        ("never <closed", "never <closed"),
        ("</style>still here", "still here"),
        ("<script>if ('<script>' < b) {}</script>seen", "seen"),
        ("<a title=don't>one</a> it's <b>two</b>", "one it's two"),
        ("<!DOCTYPE html><?php?>a <mine>b</mine>", "a <mine>b</mine>"),
        ("seen <!-- never closed", "seen <!-- never closed"),
        ("the <script> of a play & its <title>", "the <script> of a play & its <title>"),
        ("List<Object>", "List<Object>"),
        ("Λίστα<Object> και Map<A>", "Λίστα<Object> και Map<A>"),
        ("一覧<Object>、<b>太字</b>", "一覧<Object>、太字"),
        ("<table>", "<table>"),
        ("</table>", "</table>"),
        ("<br>", "<br>"),
        ("<p>: абзац", "<p>: абзац"),
        ("the <br> and the <li>s", "the <br> and the <li>s"),
        ("Старый<br>король", "Старый\nкороль"),
        ("<p>एक<p>दो", "एक\nदो"),
        ("<ul><li> a<li> b</ul>", "a\nb"),
        ("<p>cut <a href=x>off", "cut off"),
        ("http://x/?a=1&copy=2&lt=3", "http://x/?a=1&copy=2&lt=3"),
        ("R&D, AT&T; &notit; &copys;", "R&D, AT&T; &notit; &copys;"),
        ("&#23398;&mdash;&Auml;", "学—Ä"),
        (f"&#{'9' * 5000};&#x41;", "\N{REPLACEMENT CHARACTER}A"),
    ],
)
def test_by_hand(html, text):
    assert without_html(html) == text


@given(st.text(alphabet=st.characters(exclude_characters="<&")))
def test_what_has_no_html_keeps_its_words(text):
    assert without_html(text).split() == text.split()


@pytest.mark.parametrize(
    "piece",
    ["<a ", "</a", "<!--", "<a '\"", '<b x="', "<script></script", "<script>", "<b>", "<p>", "<"],
)
def test_what_is_never_closed_is_read_once(piece):
    """A parser that begins anew at each piece needs minutes for a quarter of a megabyte."""
    text = piece * (2**18 // len(piece))
    assert len(without_html(text)) == len(text)
