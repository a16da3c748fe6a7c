"""A run made once, and a copy of it for each test that changes something."""

import shutil
from pathlib import Path

import pytest

from muver.report.places import Places
from tests.report.made import make_project


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Places:
    """Not to be changed."""
    return make_project(tmp_path_factory.mktemp("report"))


@pytest.fixture
def project(finished: Places, tmp_path: Path) -> Places:
    """A copy that a test may change."""
    folder = tmp_path / "project"
    shutil.copytree(finished.results.parent, folder)
    return Places(folder / "results", folder / "build" / "tiny", folder / "logs" / "tiny")
