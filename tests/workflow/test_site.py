"""The site of the docs: every page has its place, and links lead where the copy has them."""

import json

import pytest

from tests.scripts import script
from tests.workflow.conftest import ROOT


@pytest.fixture
def site():
    return script("site")


def test_every_page_of_the_docs_is_in_the_menu(site):
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= {*site.PAGES.values()}


def test_links_of_readme_and_docs_lead_into_the_copy(site):
    text = (
        '[a](docs/a.md#b) <img src="docs/images/i.svg"> [c](../CONTRIBUTING.md) [r](../reading.md)'
    )
    assert site.moved(text) == (
        '[a](a.md#b) <img src="images/i.svg"> [c](CONTRIBUTING.md) [r](../reading.md)'
    )


def test_a_notebook_is_told_with_what_it_printed(site, tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# A\n", "b"]},
        {"cell_type": "code", "source": ["print(1)"], "outputs": [{"text": ["1\n"]}]},
        {"cell_type": "code", "source": ["x = 2"], "outputs": []},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    assert site.tour(tmp_path / "n.ipynb") == (
        "# A\nb\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```python\nx = 2\n```\n"
    )
