"""What a repeat replaces and what it keeps."""

import pytest

from muver.reproduction.results_page.section import write_page

LINE = "| 2026-12-01 | a reader | tiny | abc | two cores | make results | equal |\n"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "results.md"
    write_page(path, "tiny", "## tiny\n\n| 1 |")
    write_page(path, "other", "## other")
    return path


def test_sections_stand_in_order_before_the_log_and_a_repeat_changes_nothing(page):
    text = page.read_text()
    parts = ("# Results", "## tiny", "## other", "<!-- Below", "## Repro")
    order = [text.index(part) for part in parts]
    assert order == sorted(order)
    write_page(page, "tiny", "## tiny\n\n| 1 |")
    assert page.read_text() == text


def test_one_section_is_replaced_and_the_log_stays(page):
    page.write_text(page.read_text() + LINE + "\nA remark: *it works*.\n")
    write_page(page, "tiny", "## tiny\n\n| 2 |")
    write_page(page, "third", "## third")
    text = page.read_text()
    assert "| 1 |" not in text and text.count("| 2 |") == 1
    assert text.count("## other") == text.count("## third") == text.count("## tiny") == 1
    assert text.endswith(LINE + "\nA remark: *it works*.\n")


def test_text_of_another_page_stays_where_it_is(tmp_path):
    page = tmp_path / "fidelity.md"
    page.write_text("# Ours\n\n<!-- begin: tiny -->\n<!-- end: tiny -->\n\n## After\n")
    write_page(page, "tiny", "| 1 |")
    write_page(page, "new", "| 2 |")
    assert page.read_text() == (
        "# Ours\n\n<!-- begin: tiny -->\n| 1 |\n<!-- end: tiny -->\n\n"
        "<!-- begin: new -->\n| 2 |\n<!-- end: new -->\n\n## After\n"
    )


def test_a_page_without_sections_gets_one_at_its_end(page):
    page.write_text("# Something else\n")
    write_page(page, "tiny", "## tiny")
    assert page.read_text() == (
        "# Something else\n\n<!-- begin: tiny -->\n## tiny\n<!-- end: tiny -->\n"
    )
