"""A stand-in of the hub on this machine: as much of it as its client asks for here."""

import base64
import hashlib
import http.server
import json
import re
from collections import defaultdict
from urllib.parse import unquote, urlsplit

TOKEN = "hf_of_a_test"
API = re.compile(r"/api/models/([^/]+/[^/]+)(?:/(preupload|commit|revision|tree)/([^/]+))?")
FILE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")


class Hub:
    """Repositories by name: each commit's files by path, the newest commit last."""

    def __init__(self):
        self.repositories: dict[str, dict[str, dict[str, bytes]]] = defaultdict(dict)
        self.private: dict[str, bool] = {}
        self.asked: list[str] = []  # paths of requests

    def files(self, name: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        """A commit and its files."""
        commits = self.repositories.get(name) or {}
        commit = next(reversed(commits), None) if revision == "main" else revision
        return (commit, commits[commit]) if commit in commits else None


def handler_of(hub: Hub) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            path = unquote(urlsplit(self.path).path)
            hub.asked.append(path)
            if found := API.fullmatch(path):
                return self._told(*found.groups())
            if not (found := FILE.fullmatch(path)):
                return self._answer(404, b"", {"X-Error-Message": f"no such page: {path}"})
            name, revision, file = found.groups()
            there = hub.files(name, revision)
            if there is None:
                return self._answer(404, b"", {"X-Error-Code": "RepoNotFound"})
            commit, files = there
            if file not in files:
                missing = {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit}
                return self._answer(404, b"", missing)
            etag = hashlib.sha1(files[file]).hexdigest()
            self._answer(200, files[file], {"ETag": f'"{etag}"', "X-Repo-Commit": commit})

        def do_POST(self):
            path = unquote(urlsplit(self.path).path)
            body = self._body()
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                return self._answer(401, b'{"error": "Invalid username or password."}')
            if path == "/api/repos/create":
                told = json.loads(body)
                name = f"{told['organization']}/{told['name']}"
                hub.private[name] = told.get("visibility") == "private"
                hub.repositories[name]
                return self._json({"url": f"{self._here}/{name}"})
            if path == "/api/validate-yaml":  # of a card
                return self._json({"errors": [], "warnings": []})
            name, what, _ = API.fullmatch(path).groups()
            if what == "preupload":
                files = [one["path"] for one in json.loads(body)["files"]]
                told = {"uploadMode": "regular", "shouldIgnore": False}
                return self._json({"files": [{"path": one, **told} for one in files]})
            lines = [json.loads(line)["value"] for line in body.splitlines()]
            new = {one["path"]: base64.b64decode(one["content"]) for one in lines if "path" in one}
            commit = hashlib.sha1(body).hexdigest()
            before = hub.files(name, "main")
            hub.repositories[name][commit] = {**(before[1] if before else {}), **new}
            self._json({"commitUrl": f"{self._here}/{name}/commit/{commit}", "commitOid": commit})

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers["Content-Length"]))
            whole = b""
            while size := int(self.rfile.readline(), 16):
                whole += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return whole

        def _told(self, name, what, revision):
            there = hub.files(name, revision or "main")
            if there is None:
                return self._answer(404, b"", {"X-Error-Code": "RepoNotFound"})
            commit, files = there
            if what != "tree":
                return self._json({"id": name, "sha": commit, "siblings": []})
            self._json(
                [
                    {"type": "file", "path": path, "size": len(own),
                     "oid": hashlib.sha1(own).hexdigest()}
                    for path, own in files.items()
                ]
            )  # fmt: skip

        @property
        def _here(self) -> str:
            return f"http://{self.headers['Host']}"

        def _json(self, value):
            self._answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

        def _answer(self, status, body, headers=None):
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    return Handler
