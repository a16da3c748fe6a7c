import errno
import fcntl

import pytest

from muver.io.errors import InputError
from muver.io.locks import lock


def test_a_second_process_does_not_get_it(tmp_path):
    path = tmp_path / "lock"
    with path.open("a") as first, path.open("a") as second:
        lock(first, path, wait=False)
        with pytest.raises(BlockingIOError):
            lock(second, path, wait=False)
    with path.open("a") as third:
        lock(third, path, wait=True)


@pytest.mark.parametrize("wait", [True, False])
def test_a_file_system_without_locks(tmp_path, monkeypatch, wait):
    def flock(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    path = tmp_path / "lock"
    with path.open("a") as file, pytest.raises(InputError, match="lock: .*No locks available"):
        lock(file, path, wait)
