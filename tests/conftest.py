"""A BERT of two layers, made once, a corpus of three worlds, and a server of archives."""

import gc
import http.server
import logging
import os
import shutil
import signal
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
import pytest

from muver.io.process import collect_seldom

collect_seldom()
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# The processes of a test run share the cores; a second thread would mostly wait for the first.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Compiled once, and not by each of hundreds of processes.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No test pulls the plug; those about the order in which files are flushed look at the calls.
os.fsync = lambda _: None

# No test is about time: a busy machine is no fault.
hypothesis.settings.register_profile(
    "muver",
    deadline=None,
    max_examples=50,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("muver")

# Long files by the run that they share, the longest first. Those that go on from the main job's
# results come when another process has made them, after two that take as long.
LONG_RUNS = {
    "workflow/test_main_job.py": "main_job",
    "workflow/test_results.py": "main_job",
    "workflow/test_zeshel_preset.py": "main_job",
    "workflow/test_formats.py": "main_job",
    "workflow/test_additions.py": "additions",
    "workflow/test_table2.py": "linked",
    "walk/test_walk.py": "walk",
    "reproduction/report/test_browser.py": "walk",
    "kb/serve/test_browser.py": "walk",
    "workflow/test_dvc_views.py": "by_dvc",
    "workflow/test_dvc.py": "by_dvc",
    "workflow/test_documented.py": "documented",
    "kb/test_spacy.py": "spacy",
    "campaign/test_sections.py": "campaign",
    "workflow/test_elsewhere.py": "elsewhere",
    "reproduction/tracking/test_server.py": "server",
    "retriever/training/test_loop.py": "loop",
}
# Where files of tests lie if it has room: all of them take less than one GB.
MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes


def file_of(nodeid: str) -> str:
    """A test's file, from the folder of tests."""
    return nodeid.partition("::")[0].removeprefix("tests/")


def pytest_configure():
    # Under nohup programs ignore SIGHUP, and so would those that tests start and end by it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Else SQLite alone waits thousands of times for the disk, which no test is about.
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_sessionfinish():
    gc.freeze()  # else pytest has all objects looked through several times, a second each


def pytest_collection_modifyitems(config, items):
    """With several processes, begin with what takes longest: nobody waits for it in the end."""
    if config.getoption("numprocesses", None) or hasattr(config, "workerinput"):
        place = {name: number for number, name in enumerate(LONG_RUNS)}
        items.sort(key=lambda item: place.get(file_of(item.nodeid), len(place)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep the tests of a file, and of one long run, in one process: what they share is made once.

    Processes take scopes in the order of the tests. (xdist's own marks for this are not read any
    more by the pytest we use.)
    """
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False

    class ByLongRun(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return LONG_RUNS.get(file_of(nodeid), nodeid.partition("::")[0])

    return ByLongRun(config, log)


@pytest.fixture(autouse=True)
def _logging_as_it_was():
    """Commands send the log to places of their own; the next test has it as it is without any."""
    yield
    logger = logging.getLogger("muver")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session")
def encoder(tmp_path_factory) -> Path:
    # Not above: it loads PyTorch, and the process that hands out the tests needs none.
    from tests import tiny

    return tiny.make_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory) -> tuple[Path, Path, Path]:
    from tests import tiny

    return tiny.write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def tab():
    """A tab of one browser for all tests of a process; without a browser they are skipped."""
    from tests.reproduction.report import browser

    chrome = browser.start()
    yield browser.Tab(chrome)
    chrome.quit()


@dataclass
class Site:
    """What the server answers with: ``body`` at every path, or a ``status``."""

    address: str = ""
    body: bytes = b""
    status: int = 200
    content_type: str = "application/octet-stream"
    ranges: bool = True
    cut_after: int | None = None  # bytes after which the connection is dropped
    announce: bool = True  # send Content-Length
    asked: list[str | None] = field(default_factory=list)  # Range header of each request


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    site = Site()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            wanted = self.headers.get("Range")
            site.asked.append(wanted)
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            size = len(site.body)
            if site.status != 200:
                return self.send_error(site.status)
            if not site.ranges:
                start = 0
            if start and start >= size:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                return self.end_headers()
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
            if site.announce:
                self.send_header("Content-Length", str(size - start))
            self.send_header("Content-Type", site.content_type)
            self.end_headers()
            self.wfile.write(site.body[start : site.cut_after])
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_port}/archive"
    yield site
    server.shutdown()
    thread.join()
    server.server_close()
