import logging

import pytest

from muver.io.errors import InputError
from muver.serve.models import Models
from muver.serve.service import Service, read_token
from muver.serve.settings import Limits

TOKEN = "0123456789abcdef"


@pytest.mark.parametrize(
    "header, allowed",
    [
        (f"Bearer {TOKEN}", True),
        (f"bearer  {TOKEN} ", True),
        (f"Bearer {TOKEN}0", False),
        (f"Basic {TOKEN}", False),
        (TOKEN, False),
        ("Bearer \u00e9", False),
        ("", False),
    ],
)
def test_only_the_token_allows(header, allowed):
    service = Service(Models([]), Limits(), TOKEN)
    assert service.allows(header) is allowed
    service.waiting.close()


def test_without_a_token_nothing_is_allowed():
    service = Service(Models([]), Limits())
    assert not service.allows("Bearer ")
    service.waiting.close()


def test_a_token_is_read_without_white_space(tmp_path, caplog):
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    path.chmod(0o600)
    assert read_token(path) == TOKEN
    assert not caplog.records
    path.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        read_token(path)
    assert "other users can read it" in caplog.text
    assert TOKEN not in caplog.text


@pytest.mark.parametrize(
    "text", ["", "short\n", f"{TOKEN}\n{TOKEN}", f"{TOKEN} x", f"\u00e9{TOKEN}"]
)
def test_a_bad_token_file_is_refused(tmp_path, text):
    path = tmp_path / "token"
    path.write_text(text)
    with pytest.raises(InputError, match=str(path)) as refused:
        read_token(path)
    assert TOKEN not in str(refused.value)


def test_no_token_file(tmp_path):
    with pytest.raises(InputError, match="no such file. Make one with `openssl rand"):
        read_token(tmp_path / "none")
