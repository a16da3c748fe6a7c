"""The cells of docs/tour.ipynb, run one after the other where the tiny workflow's results lie."""

import json
import shutil

from tests.workflow.conftest import ROOT


def test_the_tour_can_be_taken(main_job, tmp_path):
    project = main_job.copy(tmp_path / "muver")
    (project.folder / "docs").mkdir(exist_ok=True)
    shutil.copy(ROOT / "docs/glossary.csv", project.folder / "docs")
    project.run("snakemake", "--cores", "1", "build/miniwikia/indexes/muver")
    cells = json.loads((ROOT / "docs/tour.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (project.folder / "tour.py").write_text("\n".join(code), encoding="utf-8")
    said = project.run("python", "tour.py")
    assert all(f"{row} " in said for row in ("BM25", "MuVER"))
    assert "mention: " in said and "The Forge" in said
