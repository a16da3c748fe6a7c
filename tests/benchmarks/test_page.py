"""The page shows all runs of a machine, by the reaches of now."""

from dataclasses import asdict

from benchmarks import page
from benchmarks.records import FIGURES
from benchmarks.rows import Row
from benchmarks.service import KINDS
from muver.io.files import write_json

DISTANT = "one pass of 4 layers, distant, bf16"


def _store(folder, name, *rows, device="Kind A"):
    machine = {"device": device, "CPU": "Kind A", "threads": "2", "vector instructions": "AVX2"}
    record = {
        "machine": machine, "data": "made", "command": "python -m benchmarks",
        "date": name[:10], "rows": [asdict(row) for row in rows],
        "agreements": ["lists identical"], "differences": ["vectors apart"],
    }  # fmt: skip
    write_json(folder / device / f"{name}.json", record)


def test_the_page_follows_from_the_stored_runs():
    """`python -m benchmarks --render` writes it."""
    assert page.PAGE.read_text("utf-8") == page.render(FIGURES)


def test_a_column_a_machine(tmp_path):
    row = Row("ranking", "max, 16,000 views", "mentions/s", 40.0, 1000.0, 25.0, 2.0)
    for device in ("Kind A", "Kind B"):
        _store(tmp_path, "2026-01-01T000000-aaaaaaa", row, device=device)
    text = page.render(tmp_path)
    assert "| Phase | What | Kind A, AVX2, 2 threads | Kind B, 2 threads | Reach |" in text
    assert "| ranking | max, 16,000 views | 25.0 | 25.0 | at least 20.0 |" in text
    assert "- **different** (aaaaaaa): vectors apart" in text


def test_met_is_what_every_run_met(tmp_path):
    for name, ratio in (("2026-01-01T000000-aaaaaaa", 5.0), ("2026-01-01T000001-bbbbbbb", 3.0)):
        _store(tmp_path, name, Row("merging", DISTANT, "views/s", 1.0, ratio, ratio, 2.0))
    text = page.render(tmp_path)
    assert f"| merging | {DISTANT} | 3.00 to 5.00, **missed 1 of 2** | at least 4.00 |" in text
    _store(tmp_path, "2026-01-01T000001-bbbbbbb", Row("merging", DISTANT, "", 1.0, 4.0, 4.0))
    assert f"| merging | {DISTANT} | 4.00 to 5.00 | at least 4.00 |" in page.render(tmp_path)


def test_what_older_runs_called_otherwise_is_the_same_row(tmp_path):
    whole = "Table 1 and Table 3 after training"
    for name, what in (("2026-01-01T000000-a", whole), ("2026-01-02T000000-b", f"{whole}, fp32")):
        _store(tmp_path, name, Row("end to end", what, "s", 8.0, 1.0, 8.0))
    assert f"| end to end | {whole}, fp32 | 8.00 | at least 7.00 |" in page.render(tmp_path)


def test_the_newest_run_of_indexes_has_a_column_a_kind_and_the_whole_size(tmp_path):
    views, names = KINDS[0], KINDS[2]
    rows = [
        Row(views, "disk of 20 entities", "MB", ours=1.0),
        Row(views, "disk of 200 entities", "MB", ours=2.5),
        Row(views, "opening an index of 200 entities: seconds", ours=0.5, ratio=0.5),
        Row(names, "disk of 2000 entities", "MB", ours=310.0),
        Row(names, "adding 100 to 2000, beside making all afresh", "CPU s", ours=0.25),
    ]
    _store(tmp_path, "2026-01-02T000000-bbbbbbb", *rows)
    _store(tmp_path, "2026-01-01T000000-aaaaaaa", Row(views, "disk of 20 entities", "MB", ours=9.0))
    assert page.render(tmp_path).partition("## An index")[2].split("\n\n")[3] == (
        f"|  | {' | '.join(KINDS)} |\n"
        "| --- | --- | --- | --- |\n"
        "| entities | 200 |  | 2,000 |\n"
        "| disk, MB | 2.5 |  | 310 |\n"
        "| opening an index: seconds | 0.5 |  |  |\n"
        "| adding 100, CPU s |  |  | 0.25 |\n"
    )
