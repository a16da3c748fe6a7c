"""The service under load: well-behaved clients and bad ones, and how many requests it answers.

    python -m benchmarks.load INDEX --seconds 120 --clients 64
    python -m benchmarks.load INDEX --rates

INDEX is what `muver index create` wrote; `--changes` also changes it, and puts it back. The service
is a process of its own on a free port of 127.0.0.1, and clients are threads of this one, on the
same processors.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psutil

JSON = {"Content-Type": "application/json"}
HEAD = b"POST /retrieve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
MALFORMED = [
    b"", b"{", b"null", b"\xff\xfe\x00", b'{"mentions": []}', b'{"mentions": [{"mention": 1}]}',
    b'{"mentions": [{"mention": "x"}], "k": 1000000000}', b"[" * 50_000,
    b'{"mentions": [{"mention": "' + b"x" * 200_000 + b'"}]}', b"x" * 2_000_000,
    json.dumps({"mentions": [{"mention": "x"}] * 1000}).encode(),
]  # fmt: skip
NO_HTTP = [b"\x16\x03\x01\x02\x00", b"GET / HTTP/9\r\n\r\n", b"A" * 100_000, HEAD + b"\r\n\r\n{"]
REACH = 0.2  # seconds, of 99 in 100 answers
GROWTH = 1.1  # of what it holds from the second quarter to the last
HELD = ("memory, MB", "threads", "open files and connections")


class Service:
    """`muver serve` as a process."""

    def __init__(self, index: Path, folder: Path):
        self.token = secrets.token_hex(16)
        (folder / "token").write_text(self.token)
        (folder / "token").chmod(0o600)
        self.log = folder / "log"
        call = ["serve", str(index), "--port", "0", "--token-file", str(folder / "token")]
        with self.log.open("w") as log:
            self.process = subprocess.Popen([sys.executable, "-m", "muver.cli", *call], stderr=log)
        self.port = self._port()
        self.memory = psutil.Process(self.process.pid)

    def _port(self) -> int:
        while self.process.poll() is None:
            for line in self.log.read_text().splitlines():
                if "http://" in line:
                    return int(line.split()[1].rpartition(":")[2])
            time.sleep(0.1)
        raise SystemExit(self.log.read_text())

    def holds(self) -> tuple[float, int, int]:
        """`HELD`, now."""
        own = self.memory
        return own.memory_info().rss / 2**20, own.num_threads(), own.num_fds()

    def connect(self) -> http.client.HTTPConnection:
        """A connection that is kept."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def line(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)

    def end(self) -> int:
        """Tell it to end, and how it did."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


class Clients:
    """Kinds of clients: each a method that asks once and returns the statuses it met."""

    def __init__(self, service: Service, titles: list[str], seconds: list[float]):
        self.service, self.titles, self.seconds = service, titles, seconds
        self.own = threading.local()

    def body(self, k: int = 10, most: int = 4) -> bytes:
        """A well-formed question."""
        words = " ".join(random.choices(self.titles, k=12))
        chosen = random.choices(self.titles, k=random.randint(1, most))
        mentions = [{"left": words, "mention": one, "right": words} for one in chosen]
        return json.dumps({"mentions": mentions, "k": k}).encode()

    def good(self) -> int:
        """Asks, takes the answer, and asks again over the same connection."""
        if not hasattr(self.own, "line"):
            self.own.line = self.service.connect()
        began = time.monotonic()
        self.own.line.request("POST", "/retrieve", self.body(), JSON)
        answer = self.own.line.getresponse()
        answer.read()
        if answer.status == 200:
            self.seconds.append(time.monotonic() - began)
        elif answer.status == 429:
            self.own.line.close()  # no service keeps a connection for long that is not used
            time.sleep(float(answer.headers["Retry-After"]) * random.random())
        return answer.status

    def malformed(self) -> int:
        """Sends what is no question."""
        with contextlib.closing(self.service.connect()) as line:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                line.request("POST", "/retrieve", random.choice(MALFORMED), JSON)
            return line.getresponse().status

    def no_http(self) -> int:
        """Sends what is no request."""
        with self.service.line() as line:
            line.sendall(random.choice(NO_HTTP))
            return _status(line)

    def slow(self) -> int:
        """Sends a question byte by byte."""
        body = self.body()
        with self.service.line() as line:
            line.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
            for byte in body[:60]:
                line.sendall(b"%c" % byte)
                time.sleep(0.05)
            if random.random() < 0.5:
                line.sendall(body[60:])
            return _status(line)

    def silent(self) -> int:
        """Connects and says nothing until it is sent away."""
        with self.service.line() as line:
            return _status(line)

    def gone(self) -> int:
        """Asks and hangs up."""
        body = self.body(k=100)
        with self.service.line() as line:
            line.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(random.random() / 20)
        return 0

    def deaf(self) -> int:
        """Asks for much, again and again, and takes no answer."""
        body = self.body(k=300, most=30)
        with self.service.line() as line, contextlib.suppress(OSError):
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            for _ in range(20):
                line.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(5)
        return 0

    def changer(self) -> int:
        """Adds an entity, sees it found, and removes it."""
        id = f"load-{threading.get_ident()}"
        title = f"Loadword{random.randrange(10**9)}"
        entity = {"title": title, "description": f"{title} is there for a moment."}
        path, bearer = f"/entities/{id}", {"Authorization": f"Bearer {self.service.token}"}
        with contextlib.closing(self.service.connect()) as line:
            for method, given in (("PUT", json.dumps(entity)), ("DELETE", None)):
                status = 429
                while status in (409, 429):
                    line.request(method, path, given, {**JSON, **bearer})
                    answer = line.getresponse()
                    answer.read()
                    status = answer.status
                    time.sleep(0.2)
                if status != 200:
                    return status
        return 200


# Of 64 clients, how many are of a kind.
KINDS = {"good": 40, "malformed": 6, "no_http": 3, "slow": 6, "silent": 2, "gone": 5, "deaf": 2}


def _status(line: socket.socket) -> int:
    """The status of an answer; 0 where the service hung up."""
    try:
        head = line.recv(1 << 16)
    except ConnectionResetError:
        return 0
    return int(head.split()[1]) if head else 0


def run(clients: Clients, kinds: dict[str, int], seconds: float) -> tuple[Counter, list[tuple]]:
    """Let them ask for a time: counts by kind and status, and what the service held by second."""
    counts: Counter[tuple[str, int | str]] = Counter()
    end = time.monotonic() + seconds

    def ask(kind: str, once: Callable[[], int]) -> None:
        while time.monotonic() < end:
            try:
                counts[kind, once()] += 1
            except (OSError, http.client.HTTPException) as error:
                counts[kind, type(error).__name__] += 1
                vars(clients.own).clear()

    threads = [
        threading.Thread(target=ask, args=(kind, getattr(clients, kind)))
        for kind, number in kinds.items()
        for _ in range(number)
    ]
    for thread in threads:
        thread.start()
    held = []
    while time.monotonic() < end and clients.service.process.poll() is None:
        held.append(clients.service.holds())
        time.sleep(1)
    for thread in threads:
        thread.join()
    return counts, held


@contextlib.contextmanager
def served(index: Path) -> Iterator[Service]:
    """The service, ended when it is no longer needed."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(index, Path(folder))
        try:
            yield service
        finally:
            if service.process.poll() is None:
                service.process.kill()


def load(index: Path, titles: list[str], seconds: float, number: int, changes: bool) -> bool:
    """All kinds of clients at once. Whether all went well."""
    kinds = {kind: max(round(own * number / 64), 1) for kind, own in KINDS.items()}
    kinds |= {"changer": 2} if changes else {}
    times: list[float] = []
    with served(index) as service:
        counts, held = run(Clients(service, titles, times), kinds, seconds)
        code = service.end()
        log = service.log.read_text()
    for (kind, status), count in sorted(counts.items(), key=str):
        print(f"{kind:10} {status!s:>24} {count:8}")
    # The least of each tenth, as connections come and go, and a leak raises that too.
    tenths = [np.min(some, axis=0) for some in np.array_split(held, 10) if len(some)]
    print(f"good answers: {len(times)}, {_percentiles(times)}")
    for what, each in zip(HELD, np.transpose(tenths), strict=True):
        print(f"least {what} in each tenth: {', '.join(f'{one:.0f}' for one in each)}")
    print(f"ended with {code}; tracebacks in its log: {log.count('Traceback')}")
    wrong = [key for key in counts if isinstance(key[1], int) and key[1] >= 500]
    wrong += [key for key in counts if key[0] in ("good", "changer") and key[1] not in (200, 429)]
    if wrong or "Traceback" in log:
        print(f"wrong: {wrong}\n{log[-2000:]}")
    grown = (tenths[-1] > GROWTH * tenths[len(tenths) // 4]).any()
    return not (wrong or code or "Traceback" in log or grown)


def rates(index: Path, titles: list[str], seconds: float) -> None:
    """Requests a second of ever more clients, beside a loop without the service."""
    from muver.kb.index.index import Index
    from muver.retriever.answers import Mention

    opened = Index.open(index)
    maker = Clients(None, titles, [])
    times: list[float] = []
    opened.retrieve([Mention(titles[0])], 10)  # loads the model
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        start = time.monotonic()
        (one,) = json.loads(maker.body(most=1))["mentions"]
        opened.retrieve([Mention(one["mention"], one["left"], one["right"])], 10)
        times.append(time.monotonic() - start)
    print(f"a loop: {len(times) / seconds:.1f} mentions/s, {_percentiles(times)}")
    with served(index) as service:
        for number in (1, 2, 4, 8, 16, 32, 64):
            times.clear()
            clients = Clients(service, titles, times)
            clients.body = lambda k=10, most=1: maker.body(k, 1)
            counts, _ = run(clients, {"good": number}, seconds)
            met = "yes" if times and np.quantile(times, 0.99) < REACH else "no"
            refused = counts["good", 429]
            print(
                f"{number:2} clients: {len(times) / seconds:.1f} requests/s, "
                f"{_percentiles(times)}, p99 under 200 ms: {met}, {refused} refused"
            )
        service.end()


def _percentiles(times: list[float]) -> str:
    if not times:
        return "none"
    half, most = np.quantile(times, (0.5, 0.99)) * 1000
    return f"p50 {half:.0f} ms, p99 {most:.0f} ms"


def main() -> int:
    """0 if all went well."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("--seconds", type=float, default=120, help="with --rates: of each number")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--changes", action="store_true", help="two clients add and remove")
    parser.add_argument("--rates", action="store_true", help="only requests a second")
    args = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    from muver.kb.index.index import Index

    titles = [one.title for one in Index.open(args.index).entities()]
    if args.rates:
        rates(args.index, titles, args.seconds)
        return 0
    return 0 if load(args.index, titles, args.seconds, args.clients, args.changes) else 1


if __name__ == "__main__":
    sys.exit(main())
