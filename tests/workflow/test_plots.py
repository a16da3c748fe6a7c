"""The template of DVC's page brings its library along and asks nothing of the network."""

import re

from tests.scripts import script


def test_the_template_takes_plots_and_has_the_library_in_it():
    page = script("plots").template()
    assert page.count("{plot_divs}") == 1
    assert page.count("<script>") == page.count("</script>") == 3
    assert re.search(r"\.vegaEmbed\s*=", page)
    assert "<script src" not in page and "<link" not in page
