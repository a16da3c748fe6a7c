"""What Snakemake's executor asks of Kubernetes, over HTTP: jobs run here, each in an empty folder.

A pod gets what the real one would: the job's command, the secrets as variables, and of this machine
only the packages, in place of the image's. It tells no more than whether a job is done or failed.
"""

import base64
import contextlib
import json
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "here",
    "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    "users": [{"name": "me", "user": {}}],
}


@dataclass
class Cluster:
    """Pods and secrets.

    Attributes
    ----------
    folder
        Where the pods' folders lie.
    path
        Folders of the commands that the image has.
    """

    folder: Path
    path: str
    secrets: dict[str, dict[str, str]] = field(default_factory=dict)
    pods: dict[str, subprocess.Popen] = field(default_factory=dict)
    containers: list[dict[str, Any]] = field(default_factory=list)

    def start(self, name: str, container: dict[str, Any]) -> None:
        """Run a job's container."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        variables = {"PATH": self.path, "HOME": str(folder)}
        for one in container["env"]:
            reference = one["valueFrom"]["secretKeyRef"]
            coded = self.secrets[reference["name"]][reference["key"]]
            variables[one["name"]] = base64.b64decode(coded).decode()
        self.containers.append(container)
        self.pods[name] = subprocess.Popen(
            [*container["command"], *container["args"]],
            cwd=folder, env=variables, stderr=subprocess.STDOUT,
            stdout=(self.folder / f"{name}.log").open("w"),
        )  # fmt: skip

    def status(self, name: str) -> dict[str, int]:
        """As a job of Kubernetes has it."""
        code = self.pods[name].poll()
        return {"active": 1} if code is None else {"failed": 1} if code else {"succeeded": 1}

    def answer(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What the server answers."""
        *_, kind, name = path.removesuffix("/status").split("/")
        if method == "POST":
            kind, name = name, body["metadata"]["name"]
            if kind == "secrets":
                self.secrets[name] = body["data"]
            else:
                (container,) = body["spec"]["template"]["spec"]["containers"]
                self.start(name, container)
            return body
        if method == "GET" and kind == "jobs":
            return {"metadata": {"name": name}, "status": self.status(name)}
        return {"items": []}  # no pods are listed, and what is done stays


@contextlib.contextmanager
def kubernetes(folder: Path, path: str) -> Iterator[tuple[Path, Cluster]]:
    """A cluster that runs jobs below a folder, and the configuration file that leads to it."""
    cluster = Cluster(folder / "pods", path)

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or "{}")
            said = json.dumps(cluster.answer(self.command, self.path.partition("?")[0], body))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(said.encode())

        do_GET = do_POST = do_DELETE = handle_any

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        config = folder / "kubeconfig"
        clusters = [{"name": "here", "cluster": {"server": address}}]
        config.write_text(json.dumps({**KUBECONFIG, "clusters": clusters}))  # JSON is YAML
        try:
            yield config, cluster
        finally:
            for pod in cluster.pods.values():
                pod.kill()
                pod.wait()
            server.shutdown()
