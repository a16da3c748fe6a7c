"""Answers to mentions, for programs and for a terminal."""

import pytest

from muver import Candidate, Entity, Index, Mention
from muver.kb.index import mentions
from muver.kb.index.answer import Answer
from muver.kb.index.shown import Answers, in_terminal

TITLES = {"Anna": 1.0, "Anna [Ash]": 0.57, "Gate \x1b[2J of \u4e00\u4e8c": 0.11}
MENTION = Mention("Anna", "In spring " * 20, "\nforged the gate.")


def answered(titles=TITLES, threshold=None, probability=None):
    """An answer whose first candidate was found by its title alone."""
    ranked = [
        Candidate(n, f"e{n}", title, score, 0, 0, 0, f"{title} is\nan entity. " * 9 * (n > 0),
                  "sea", None if n else probability)
        for n, (title, score) in enumerate(titles.items())
    ]  # fmt: skip
    return Answer.of(MENTION, ranked, threshold)


def test_mentions_are_ranked_some_at_a_time_and_stay_in_order(tmp_path, monkeypatch):
    index, sizes = Index.create(tmp_path / "index", [Entity(id="1", title="Anna")]), []
    retrieve = Index.retrieve
    monkeypatch.setattr(mentions, "TOGETHER", 3)
    monkeypatch.setattr(Index, "retrieve", lambda self, group, *k, **weights: (
        sizes.append(len(group)) or retrieve(self, group, *k, **weights)
    ))  # fmt: skip
    answers = [answer for _, answer in index.answers((Mention(f"Anna {n}") for n in range(5)), 1)]
    assert sizes == [3, 2]
    assert [answer.mention for answer in answers] == [f"Anna {n}" for n in range(5)]
    assert {len(answer.candidates) for answer in answers} == {1}


def test_the_best_candidate_is_the_answer_unless_its_probability_is_below_the_threshold():
    assert answered().answer == answered(TITLES, 0.5, 0.5).answer == "e0"
    below = answered(TITLES, 0.5, 0.49)
    assert (below.answer, below.probability, len(below.candidates)) == (None, 0.49, 3)
    nothing = answered({}, 0.5)
    assert (nothing.answer, nothing.probability, nothing.candidates) == (None, None, [])


@pytest.mark.parametrize("columns", [None, "60"])
def test_a_table_fits_its_terminal(monkeypatch, columns):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    text = in_terminal(MENTION, answered(), None)
    context, _, *rows = text.splitlines()
    assert context == "…spring In spring In spring In spring [Anna] forged the gate."
    assert max(map(len, rows)) <= int(columns or 100)
    assert [row.split()[:2] for row in rows] == [["1", "1.00"], ["2", "0.57"], ["3", "0.11"]]
    assert "(its title)" in rows[0] and "Anna [Ash] is an ent" in rows[1]
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("left", "right", "line"),
    [
        ("to the ", ". Then", "to the [Anna]. Then"),
        ("to (", ") and", "to ([Anna]) and"),
        ("in spring", "forged it", "in spring [Anna] forged it"),  # as words beside each other
        ("of", " , then", "of [Anna] , then"),
        (" ", "\n", "[Anna]"),
        ("", "", "[Anna]"),
    ],
)
def test_no_space_is_put_before_a_full_stop(left, right, line):
    mention = Mention("Anna", left=left, right=right)
    assert in_terminal(mention, answered({}), None).splitlines()[0] == line
    html = Answers([(mention, answered({}))], None, False)._repr_html_()
    assert f"<p>{line.replace('[', '<mark>').replace(']', '</mark>')}<br>" in html


@pytest.mark.parametrize(
    ("probability", "decided"),
    [(0.25, "None of these"), (0.75, "Anna")],
)
def test_a_table_says_what_was_decided(probability, decided):
    line = in_terminal(MENTION, answered(TITLES, 0.6, probability), 0.6).splitlines()[1]
    best = f"The best one is right with probability {probability}"
    assert line == f"{decided}. {best} (threshold 0.60)."


def test_answers_show_themselves_where_python_prints_them():
    found = [(MENTION, answered({"Anna <b>": 1.0}, 0.6, 0.75))] * 2
    answers = Answers(found, 0.6, True)
    assert repr(answers) == "\n".join(in_terminal(*pair, 0.6, True) for pair in found)
    html = answers._repr_html_()
    assert html.count("<table>") == html.count("with probability 0.75") == 2
    assert "<mark>Anna</mark>" in html and "Anna &lt;b&gt;" in html and "<b>" not in html
    assert html.count("<th>world</th>") == 2 and html.count("<td") == 2 * 6
    none = [(MENTION, answered({}))]
    assert in_terminal(*none[0], None).splitlines()[1:] == ["No candidate."]
    assert "No candidate." in Answers(none, None, False)._repr_html_()
