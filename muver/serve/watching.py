"""Routes for monitoring: whether the service lives, whether it answers, and its numbers."""

import psutil
from fastapi import APIRouter, HTTPException
from fastapi.responses import PlainTextResponse

from muver.serve.forms import Said
from muver.serve.guard import Guard
from muver.serve.metrics import TYPE, Labels
from muver.serve.service import Service


def watching(service: Service, guard: Guard) -> APIRouter:
    """Their router."""
    router = APIRouter(tags=["watch"])

    @router.get("/health")
    async def health() -> Said:
        """Whether the process lives."""
        return Said(detail="alive")

    @router.get("/ready", responses={503: {"model": Said}})
    async def ready() -> Said:
        """Whether requests are answered. Indexes and models are loaded before the first one."""
        if not service.waiting.alive:
            raise HTTPException(503, "about to end.")
        if troubled := ", ".join(served.name for served in service.models if served.trouble):
            raise HTTPException(503, f"{troubled}: can't be read now; the service's log says why.")
        return Said(detail="ready")

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> PlainTextResponse:
        """Counts and times, as Prometheus reads them."""
        now: dict[tuple[str, Labels], float] = {
            ("muver_waiting_tokens", ()): service.waiting.tokens,
            ("muver_requests_in_hand", ()): guard.in_hand,
            ("process_resident_memory_bytes", ()): psutil.Process().memory_info().rss,
        }
        for served in service.models:
            now["muver_generation", (("model", served.name),)] = served.index.generation
        return PlainTextResponse(service.metrics.text(now), media_type=TYPE)

    return router
