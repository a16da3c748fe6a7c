import pytest


@pytest.fixture(autouse=True)
def nothing_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
