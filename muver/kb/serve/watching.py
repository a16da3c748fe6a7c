"""Routes for monitoring: whether the service lives, whether it answers, and its numbers."""

from fastapi import APIRouter, HTTPException
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from muver.kb.serve.forms import Said
from muver.kb.serve.service import Service


def watching(service: Service) -> APIRouter:
    """Their router. They read no body and wait for nothing, so they answer under any load."""
    router = APIRouter(tags=["watch"])

    @router.get("/health")
    async def health() -> Said:
        """Whether the process lives."""
        return Said(detail="alive")

    @router.get("/ready", responses={503: {"model": Said}})
    async def ready() -> Said:
        """Whether requests are answered. Indexes and models are loaded before the first one."""
        if troubled := ", ".join(served.name for served in service.models if served.trouble):
            raise HTTPException(503, f"{troubled}: can't be read now; the service's log says why.")
        return Said(detail="ready")

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Counts and times, as Prometheus reads them."""
        service.metrics.waiting.set(service.waiting.tokens)
        for served in service.models:
            service.metrics.generation.labels(served.name).set(served.index.generation)
        return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router
