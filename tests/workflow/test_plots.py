"""The template of DVC's page brings its library along and asks nothing of the network."""

import importlib.util
import re

from tests.workflow.conftest import ROOT


def load():
    spec = importlib.util.spec_from_file_location("plots", ROOT / "workflow/plots.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_template_takes_plots_and_has_the_library_in_it():
    page = load().template()
    assert page.count("{plot_divs}") == 1
    assert page.count("<script>") == page.count("</script>") == 3
    assert re.search(r"\.vegaEmbed\s*=", page)
    assert "<script src" not in page and "<link" not in page
