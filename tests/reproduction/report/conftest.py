"""A run made once, and a copy of it for each test that changes something."""

import shutil
from pathlib import Path

import pytest

from muver.reproduction.report.explorer import Report
from muver.reproduction.report.results import RunFiles
from muver.reproduction.report.stage import make_report
from tests.reproduction.report.made import make_project


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> RunFiles:
    """Not to be changed."""
    return make_project(tmp_path_factory.mktemp("report"))


@pytest.fixture
def project(finished: RunFiles, tmp_path: Path) -> RunFiles:
    """A copy that a test may change."""
    return copy_of(finished, tmp_path / "project")


def copy_of(places: RunFiles, folder: Path) -> RunFiles:
    """A copy of a whole run in another folder."""
    whole = places.results.parent
    shutil.copytree(whole, folder)
    return RunFiles(
        *(folder / one.relative_to(whole) for one in (places.results, places.workspace))
    )


def page_of(places: RunFiles, name: str = "report.html", **settings) -> tuple[Path, list[str]]:
    """Make the page of a run; its path and problems."""
    out = places.results / name
    folders = {"results": places.results, "workspace": places.workspace}
    return out, make_report(out=out, settings=Report(**settings), **folders)
