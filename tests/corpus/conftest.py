"""A small dataset in ZESHEL's format that a test can spoil, and an HTTP server that it can tune."""

import http.server
import json
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest


def document(number: int, title: str, text: str) -> dict:
    return {"document_id": f"D{number}", "title": title, "text": text}


def mention(number: int, world: str, start: int, end: int, text: str) -> dict:
    return {
        "mention_id": f"M-{world}-{number}",
        "context_document_id": "D0",
        "label_document_id": "D1",
        "text": text,
        "start_index": start,
        "end_index": end,
        "corpus": world,
        "category": "LOW_OVERLAP",
    }


@dataclass
class Dataset:
    """Three worlds, one a split; change ``documents`` and ``mentions``, then ``write``."""

    root: Path
    documents: dict[str, list[dict]] = field(default_factory=dict)
    mentions: dict[str, list[dict]] = field(default_factory=dict)

    def __post_init__(self):
        for world, split in (("alpha", "train"), ("beta", "val"), ("gamma", "test")):
            self.documents[world] = [
                document(0, "Ann", "Ann met the Old King at noon ."),
                document(1, "The Old King", "The Old King ruled . He slept ."),
                document(2, "Untold", ""),
            ]
            self.mentions[split] = [mention(0, world, 3, 4, "Old King")]

    def write(self) -> Path:
        for folder, files in (("documents", self.documents), ("mentions", self.mentions)):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            for name, lines in files.items():
                text = "".join(json.dumps(line) + "\n" for line in lines)
                (self.root / folder / f"{name}.json").write_text(text, encoding="utf-8")
        return self.root


@pytest.fixture
def dataset(tmp_path) -> Dataset:
    return Dataset(tmp_path / "raw")


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
