"""Figures inside the page."""

from muver.reproduction.report.page import inline

DRAWING = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="10pt" height="5pt" viewBox="0 0 10 5"><metadata>made by</metadata>
<defs><style>*{stroke: red}</style><path id="mark" d="M 0 0"/></defs>
<g clip-path="url(#clip)"><use xlink:href="#mark"/></g><clipPath id="clip">
<rect width="1" style="fill: #ffffff; stroke: #000000"/></clipPath></svg>"""


def test_a_drawing_takes_the_pages_colours_and_ids_of_its_own(tmp_path):
    (tmp_path / "f.svg").write_text(DRAWING)
    found = inline(tmp_path / "f.svg", "one")
    assert "made by" not in found and "10pt" not in found
    assert 'id="one-mark"' in found and 'xlink:href="#one-mark"' in found
    assert 'clip-path="url(#one-clip)"' in found and 'id="one-clip"' in found
    assert 'viewBox="0 0 10 5"' in found and "stroke: red" in found
    assert 'style="fill: var(--page); stroke: currentColor"' in found
    assert found.startswith("<svg ")


def test_no_drawing(tmp_path):
    assert inline(tmp_path / "f.svg", "f") == ""
