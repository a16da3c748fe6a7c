"""Answers to mentions, for programs and for a terminal."""

import pytest

from muver import Mention
from muver.kb.index.mentions import TOGETHER
from muver.kb.index.shown import Answers, in_terminal
from tests.kb.index.fake import Names

TITLES = ["Anna", "Anna [Ash]", "Gate \x1b[2J of \u4e00\u4e8c"]
MENTION = Mention("Anna", "In spring " * 20, "\nforged the gate.")


def answered(index, mention=MENTION, k=10):
    ((_, answer),) = index.answers([mention], k)
    return answer


def test_mentions_are_ranked_some_at_a_time_and_stay_in_order():
    index = Names(TITLES)
    asked = (Mention(f"Anna {n}") for n in range(TOGETHER + 5))
    told = list(index.answers(asked, 1))
    assert index.asked == [TOGETHER, 5]
    assert [answer.mention for _, answer in told] == [f"Anna {n}" for n in range(TOGETHER + 5)]
    assert {len(answer.candidates) for _, answer in told} == {1}


def test_the_best_candidate_is_the_answer_unless_its_probability_is_below_the_threshold():
    assert answered(Names(TITLES)).answer == "e0"
    assert answered(Names(TITLES, 0.5, 0.5)).answer == "e0"
    below = answered(Names(TITLES, 0.5, 0.49))
    assert (below.answer, below.probability, len(below.candidates)) == (None, 0.49, 3)
    nothing = answered(Names([], 0.5))
    assert (nothing.answer, nothing.probability, nothing.candidates) == (None, None, [])


@pytest.mark.parametrize("columns", [None, "60"])
def test_a_table_fits_its_terminal(monkeypatch, columns):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    text = in_terminal(MENTION, answered(Names(TITLES)), None)
    context, _, *rows = text.splitlines()
    assert context == "…spring In spring In spring In spring [Anna] forged the gate."
    assert max(map(len, rows)) <= int(columns or 100)
    assert [row.split()[:2] for row in rows] == [["1", "1.00"], ["2", "0.57"], ["3", "0.11"]]
    assert "(its title)" in rows[0] and "Anna [Ash] is an ent" in rows[1]
    assert "\x1b" not in text


def test_a_table_says_what_was_decided():
    best = "The best one is right with probability"
    said = in_terminal(MENTION, answered(Names(TITLES, 0.6, 0.25)), 0.6).splitlines()[1]
    assert said == f"None of these. {best} 0.25 (threshold 0.60)."
    said = in_terminal(MENTION, answered(Names(TITLES, 0.6, 0.75)), 0.6).splitlines()[1]
    assert said == f"Anna. {best} 0.75 (threshold 0.60)."
    nothing = in_terminal(MENTION, answered(Names([])), None).splitlines()
    assert nothing[1:] == ["No candidate."]


def test_answers_show_themselves_where_python_prints_them():
    index = Names(["Anna <b>", "Gate"], 0.6, 0.75)
    found = Answers(index.answers([MENTION, Mention("Gate")], 1), index.threshold, True)
    pairs = zip([MENTION, Mention("Gate")], found, strict=True)
    assert repr(found) == "\n".join(in_terminal(*pair, 0.6, True) for pair in pairs)
    html = found._repr_html_()
    assert html.count("<table>") == html.count("with probability 0.75") == 2
    assert "<mark>Anna</mark>" in html and "Anna &lt;b&gt;" in html and "<b>" not in html
    assert html.count("<th>world</th>") == 2 and html.count("<td") == 2 * 6
    assert "No candidate." in Answers(Names([]).answers([MENTION], 1), None, False)._repr_html_()
