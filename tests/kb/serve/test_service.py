import logging

import pytest

from muver.io.errors import InputError
from muver.kb.serve.service import read_token

TOKEN = "0123456789abcdef"


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
