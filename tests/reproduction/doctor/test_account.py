"""Accounts without a home that can be written, and without a name."""

import os
import pwd
from unittest.mock import Mock

import pytest

from muver.reproduction.doctor.check import check, lacking
from muver.reproduction.settings.file import home

NAMES = ("LOGNAME", "USER", "LNAME", "USERNAME")


@pytest.fixture(autouse=True)
def usual(monkeypatch, tmp_path):
    """An account that lacks nothing."""
    for name in ("XDG_CACHE_HOME", *NAMES):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not list(lacking())


@pytest.mark.parametrize("place", ["/proc/nobody", "/dev/null"])
def test_a_home_that_cannot_be_written(place, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", place)
    (said,) = lacking()
    assert said.startswith(f"{place}/.cache: cannot be written") and "XDG_CACHE_HOME=DIR" in said
    found = [one for one in check(home(), {})["findings"] if one["check"] == "account"]
    assert found == [{"check": "account", "status": "PROBLEM", "says": said}]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new" / "क"))
    assert not list(lacking()) and not list(tmp_path.iterdir())


def test_a_user_without_a_name(monkeypatch):
    monkeypatch.setattr(pwd, "getpwuid", Mock(side_effect=KeyError("getpwuid(): uid not found")))
    (said,) = lacking()
    assert f"number {os.getuid()} has no name" in said and "export USER=me" in said
    monkeypatch.setenv("USER", "Άννα")
    assert not list(lacking())
