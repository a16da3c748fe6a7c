"""The synthetic run whose page is measured is one that the page takes whole."""

from benchmarks.report import main


def test_a_small_run_makes_a_page(tmp_path, capsys):
    main(["--mentions", "40", "--entities", "80", "--rows", "2", "--out", str(tmp_path / "a.html")])
    assert capsys.readouterr().out.startswith("40 mentions x 2 rows, 320 entities: ")
    assert "Row1" in (tmp_path / "a.html").read_text()
