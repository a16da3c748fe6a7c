"""Routes that answer questions: ranked entities, their views, entities by id, the models."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from fastapi import APIRouter, Request

from muver.io.errors import Mistake
from muver.io.progress import logger
from muver.kb.index.entity import Entity
from muver.kb.serve.forms import (
    AskedMention,
    Explained,
    Model,
    Question,
    Retrieval,
    Retrieved,
    Sentence,
)
from muver.kb.serve.guard import Gone
from muver.kb.serve.models import Served
from muver.kb.serve.service import Service
from muver.kb.serve.settings import Limits
from muver.kb.serve.work import Explaining, Ranking, mention_of, tokens

BUSY: dict[int | str, dict[str, Any]] = {429: {"model": Sentence}}


def asking(service: Service) -> APIRouter:
    router = APIRouter(tags=["ask"])

    @router.post("/retrieve", responses=BUSY)
    async def retrieve(asked: Retrieval, request: Request) -> Retrieved:
        """Rank entities for mentions. Requests that wait are ranked together."""
        check(asked, service.limits)
        served = service.models.named(asked.model)
        mentions = [mention_of(one) for one in asked.mentions]
        if service.log_texts:
            for one in mentions:
                logger.info("%r in %r", one.text, f"{one.left}[[{one.text}]]{one.right}")
        work = Ranking(served.index, asked.k, asked.excerpts)
        cost = tokens(asked.mentions, asked.k)
        generation, results = await unless_gone(request, service.waiting.do(work, mentions, cost))
        service.metrics.mentions.labels(served.name).inc(len(mentions))
        return Retrieved(model=served.name, generation=generation, results=results)

    @router.post("/explain", responses={**BUSY, 404: {"model": Sentence}})
    async def explain(question: Question, request: Request) -> Explained:
        """What each view of an entity adds to its score for a mention."""
        check_length("mention", question.mention, service.limits)
        served = service.models.named(question.model)
        entity = await entity_at(served, question.id, question.world)
        given = mention_of(question.mention), entity
        work = service.waiting.do(Explaining(served.index), given, tokens([question.mention]))
        return await unless_gone(request, work)

    @router.get("/entities/{id:path}", responses={404: {"model": Sentence}})
    async def entity(id: str, world: str | None = None, model: str | None = None) -> Entity:
        """An entity by its id, which may have slashes in it."""
        return await entity_at(service.models.named(model), id, world)

    @router.get("/models")
    async def models() -> list[Model]:
        """What is served; the first is asked where a request names none."""
        return [_model(served, service.token is not None) for served in service.models]

    return router


async def entity_at(served: Served, id: str, world: str | None) -> Entity:
    """An entity of the index, which may have to read a file."""
    return await asyncio.to_thread(served.index.entity, id, world)


async def unless_gone(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """The result of some work, which is cancelled where the client hangs up before."""
    tasks = [asyncio.ensure_future(one) for one in (work, _hung_up(request))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[0].done():
            raise Gone()
        return tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue


def check(asked: Retrieval, limits: Limits) -> None:
    """Refuse a request for more than the limits allow."""
    mentions, k = len(asked.mentions), asked.k
    for what, given, most in (
        ("mentions", mentions, limits.mentions),
        ("k", k, limits.k),
        ("mentions times k", mentions * k, limits.candidates),
    ):
        if given > most:
            raise Mistake(f"{what}: {given}, {most} at most. Send fewer at a time, or a smaller k.")
    for n, one in enumerate(asked.mentions):
        check_length(f"mentions.{n}", one, limits)


def check_length(where: str, asked: AskedMention, limits: Limits) -> None:
    length = len(asked.left) + len(asked.mention) + len(asked.right)
    if length > limits.characters:
        raise Mistake(
            f"{where}: {length} characters with the text around it, {limits.characters} at most. "
            "Send less of left and right: only what is near a mention counts."
        )


def _model(served: Served, changes: bool) -> Model:
    index = served.index
    return Model(
        name=served.name, generation=index.generation, worlds=index.worlds,
        all_worlds=served.all_worlds, changes=changes and not served.index.fixed,
        calibrated=index.threshold is not None,
    )  # fmt: skip
