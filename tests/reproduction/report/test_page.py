"""The parts of the page that need no run: sources, embedding, assets."""

import base64
import gzip
import json

from muver.look import ASSETS as SHARED
from muver.reproduction.report.page import ASSETS, SCRIPTS, compressed, without_places


def test_settings_without_places():
    settings = {"model": {"seed": 1, "start": "/home/x"}, "k": [1, 2], "file": "~/x", "d": "C:\\x"}
    assert without_places(settings) == {"model.seed": "1", "k": "[1, 2]", "d": "C:\\x"}


def test_data_come_back_and_cannot_end_their_element():
    value = {"title": "</script><!--", "n": [1, 2.5, None]}
    assert json.loads(gzip.decompress(base64.b64decode(compressed(value)))) == value
    assert compressed(value) == compressed(value)
    assert "<" not in compressed(value)


def test_assets_are_used_and_can_stand_in_a_page():
    used = {*SCRIPTS, "tables_only.js", "page.css", "page.html", "explorer.html"}
    used |= {"results.html", "rows.html", "run.html"}
    files = [*ASSETS.iterdir(), *SHARED.iterdir()]
    assert {path.name for path in files} == used
    for path in files:
        name, source = path.name, path.read_text(encoding="utf-8")
        assert "innerHTML" not in source and "eval(" not in source
        assert "</script" not in source or name == "page.html"
