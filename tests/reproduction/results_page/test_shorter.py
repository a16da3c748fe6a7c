"""What of a table's page stays on the page of record."""

from muver.reproduction.results_page.shorter import said_once, shortened

PAGE = """\
# Table 1: recall

| method | R@1 |
| ------ | --: |
| BM25   |   1 |
| BLINK  |   2 |
| MuVER  |   3 |

## The paper's contrasts

Points.

| method            | R@1 |
| ----------------- | --: |
| MuVER minus BLINK |  +1 |

## How sure the numbers are

Bounds.

## Paired tests against BLINK

Points.

| method | R@1 |
| ------ | --: |
| BM25   |  -1 |
| MuVER  |  +1 |

## Over seeds

Spread.
"""


def test_intervals_go_and_a_difference_stands_once():
    parts = shortened(PAGE).split("\n\n")
    assert [part for part in parts if part.startswith("#")] == [
        "### Table 1: recall", "#### The paper's contrasts", "#### Paired tests against BLINK",
        "#### Over seeds",
    ]  # fmt: skip
    assert "Bounds." not in parts
    assert "| method | R@1 |\n| ------ | --: |\n| BM25   |  -1 |" in parts


def test_tests_that_are_all_contrasts_go():
    assert "Paired" not in shortened(PAGE.replace("| BM25   |  -1 |\n", ""))


def test_without_contrasts_all_tests_stay():
    page = PAGE.replace("## The paper's contrasts", "## Seen otherwise")
    assert "| BM25   |  -1 |\n| MuVER  |  +1 |" in shortened(page)


def test_notes_and_footnotes_stand_at_the_first_table():
    first = "### One\n\n9 mentions. Of tiny.\n\n| A [a] |\n| B [b] |\n\n[a] Old.\n\n[b] Made."
    second = "### Two\n\nMore. 9 mentions.\n\n| B [a] |\n| C [b] |\n\n[a] Made.\n\n[b] New."
    assert said_once([first, second]) == [
        first,
        "### Two\n\nMore.\n\n| B     |\n| C [b] |\n\n[b] New.",
    ]
    assert said_once([first, first])[1] == "### One\n\n| A     |\n| B     |"
