"""Routes that change an index: only with the token, one change of an index at a time."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from secrets import compare_digest
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from muver.io.errors import Mistake
from muver.kb.index.entity import Entity
from muver.kb.serve.asking import entity_at
from muver.kb.serve.forms import Changed, Given, Sentence
from muver.kb.serve.models import Served
from muver.kb.serve.service import Service

BEARER = Depends(HTTPBearer(auto_error=False))
OFF = "this service changes nothing. Start it with --token-file to allow changes."
WRONG: dict[int | str, dict[str, Any]] = {
    status: {"model": Sentence} for status in (401, 403, 404, 409)
}


def changing(service: Service) -> APIRouter:
    async def allowed(shown: Annotated[HTTPAuthorizationCredentials | None, BEARER]) -> None:
        if service.token is None:
            raise HTTPException(403, OFF)
        # In constant time: how long it takes does not tell how much of a token is right.
        if not shown or not compare_digest(shown.credentials.encode(), service.token.encode()):
            why = "expected the header `Authorization: Bearer TOKEN` with the service's token."
            raise HTTPException(401, why, {"WWW-Authenticate": "Bearer"})

    router = APIRouter(tags=["change"], dependencies=[Depends(allowed)], responses=WRONG)

    @router.put("/entities/{id:path}")
    async def put(id: str, given: Given, model: str | None = None) -> Changed:
        """Add an entity, or put it in the place of the one with its id."""
        served = service.models.named(model)
        entity = Entity(id=id, **{**given.model_dump(), "world": world_of(served, given.world)})
        return await _changed(served, lambda: served.index.update([entity]))

    @router.delete("/entities/{id:path}")
    async def delete(id: str, world: str | None = None, model: str | None = None) -> Changed:
        """Remove an entity."""
        served = service.models.named(model)
        entity = await entity_at(served, id, world)
        return await _changed(served, lambda: served.index.remove([id], entity.world))

    return router


def world_of(served: Served, world: str | None) -> str:
    """The world that is named, or the only one there is."""
    worlds = served.index.worlds
    if world is not None or len(worlds) == 1:
        return world or worlds[0]
    raise Mistake(f"world: name one. There are: {', '.join(worlds) or 'none yet'}.")


async def _changed(served: Served, change: Callable[[], Any]) -> Changed:
    if served.index.fixed:
        raise Mistake(f"{served.name}: {served.index.fixed} can't be changed.")
    done = await asyncio.to_thread(change)
    return Changed(**asdict(done), model=served.name, generation=served.index.generation)
