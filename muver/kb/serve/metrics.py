"""Counts and times of the service, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """In a registry of their own, since a process may have several services."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)  # on Linux only
        labels = ("method", "route", "status")
        self.requests = Counter("muver_requests", "Requests", labels, registry=registry)
        self.seconds = Histogram(
            "muver_request_seconds", "Their times", ("route",), buckets=SECONDS, registry=registry
        )
        self.mentions = Counter("muver_mentions", "Mentions ranked", ("model",), registry=registry)
        self.in_hand = Gauge("muver_requests_in_hand", "Requests in hand", registry=registry)
        self.waiting = Gauge("muver_waiting_tokens", "Tokens that wait", registry=registry)
        self.generation = Gauge(
            "muver_generation", "Of an index, since it was made", ("model",), registry=registry
        )
