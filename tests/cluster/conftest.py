"""An S3 on this machine, which moto plays."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.reproduction.tracking.server import free_port

SERVERS = Path(__file__).parents[2] / ".venv/servers"  # where `make test-cluster` puts them
BUCKET = "muver"


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of an S3 with an empty bucket, which the environment names."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(SERVERS))
        patch.setenv("AWS_ACCESS_KEY_ID", "muver")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "muver")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL", address)
        moto = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            until = time.monotonic() + 60
            while True:
                with contextlib.suppress(requests.ConnectionError, requests.Timeout):
                    requests.put(f"{address}/{BUCKET}", timeout=5).raise_for_status()
                    break
                assert moto.poll() is None, "moto ended: is requirements/servers.lock installed?"
                assert time.monotonic() < until, "moto does not answer"
                time.sleep(0.2)
            yield address
        finally:
            moto.terminate()
            moto.wait()
