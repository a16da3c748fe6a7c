"""Counts and times for Prometheus, and routes that say whether the service lives and answers."""

from fastapi import APIRouter, HTTPException
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from muver.kb.serve.forms import Sentence

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


def monitoring(service) -> APIRouter:
    """Their router. They read no body and wait for nothing, so they answer under any load."""
    router = APIRouter(tags=["watch"])

    @router.get("/health")
    async def health() -> Sentence:
        """Whether the process lives."""
        return Sentence("alive")

    @router.get("/ready", responses={503: {"model": Sentence}})
    async def ready() -> Sentence:
        """Whether requests are answered. Indexes and models are loaded before the first one."""
        if troubled := ", ".join(served.name for served in service.models if served.trouble):
            raise HTTPException(503, f"{troubled}: can't be read now; the service's log says why.")
        return Sentence("ready")

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Counts and times, as Prometheus reads them."""
        service.metrics.waiting.set(service.waiting.tokens)
        for served in service.models:
            service.metrics.generation.labels(served.name).set(served.index.generation)
        return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router
