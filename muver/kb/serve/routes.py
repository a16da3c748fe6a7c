"""The routes: questions, changes (only with the token), and whether the service lives."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass, field
from secrets import compare_digest
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from muver.io.errors import Mistake, choices, quoted, repeated
from muver.io.progress import logger
from muver.kb.index.changes import Change
from muver.kb.index.entity import Entity
from muver.kb.serve import Limits
from muver.kb.serve.forms import (
    AskedMention,
    Changed,
    Explained,
    Model,
    NewEntity,
    Question,
    Retrieval,
    Retrieved,
    Sentence,
)
from muver.kb.serve.guard import Gone, Metrics
from muver.kb.serve.models import Models, Served
from muver.kb.serve.waiting import Ranking, Waiting
from muver.retriever.answers import Mention

BEARER = Depends(HTTPBearer(auto_error=False))


@dataclass
class Service:
    """What the routes share. Whoever shows the ``token`` may change an index; without one nobody
    may. ``log_texts`` has what clients ask in the log.
    """

    models: Models
    limits: Limits
    token: str | None = None
    log_texts: bool = False
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        for served in self.models.values():
            served.queue = Waiting(self.limits.waiting_tokens, self.limits.batch_tokens)

    @property
    def waiting(self) -> int:
        """The tokens that wait."""
        return sum(served.queue.tokens for served in self.models.values())


def wrong(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How a route describes its answers of these statuses."""
    return {status: {"model": Sentence} for status in statuses}


def asking(service: Service) -> APIRouter:
    router = APIRouter(tags=["ask"])

    @router.post("/retrieve", responses=wrong(400, 413, 415, 429))
    async def retrieve(asked: Retrieval, request: Request) -> Retrieved:
        """Rank entities for mentions. Requests that wait are ranked together."""
        check(asked, service.limits)
        served = service.models.named(asked.model)
        mentions = [form.as_mention() for form in asked.mentions]
        if service.log_texts:
            for m in mentions:
                logger.info("%r in %r", m.text, f"{m.left}[[{m.text}]]{m.right}")
        index = served.index.asking(**asked.settings) if asked.settings else served.index
        work = Ranking(index, asked.k, asked.excerpts, asked.where, asked.weights)
        costs = index.costs.answers(mentions, asked.k, bool(asked.where))
        cure = "Send fewer at a time, less text around them, or a smaller k."
        check_tokens("mentions", sum(costs), service.limits.tokens, cure)
        pieces = in_pieces(mentions, costs, service.limits.batch_tokens)
        answers = await unless_gone(request, served.queue.do(work, pieces))
        generation, results = answers[0][0], [r for _, found in answers for r in found]
        service.metrics.mentions.labels(served.name).inc(len(mentions))
        return Retrieved(model=served.name, generation=generation, results=results)

    @router.post("/explain", responses=wrong(400, 404, 413, 415, 429))
    async def explain(question: Question, request: Request) -> Explained:
        """What each signal, and each view of an entity, adds to its score for a mention."""
        check_length("mention", question.mention, service.limits)
        served = service.models.named(question.model)
        entity = await entity_at(served, question.id, question.world)
        index, mention = served.index, question.mention.as_mention()

        def work(_: Sequence[None]) -> list[Explained]:
            explanation = index.explain(mention, entity.id, entity.world, question.weights)
            return [Explained(explanation.signals, explanation.views, entity=entity)]

        cost = index.costs.explanation(mention, entity)
        (explained,) = await unless_gone(request, served.queue.do(work, [(None, cost)]))
        return explained

    @router.get("/entities/{id:path}", responses=wrong(404))
    async def entity(id: str, world: str | None = None, model: str | None = None) -> Entity:
        """An entity by its id, which may have slashes in it."""
        return await entity_at(service.models.named(model), id, world)

    @router.get("/models")
    async def models() -> list[Model]:
        """What is served; the first is asked where a request names none."""
        return [
            Model(
                name=served.name,
                generation=served.index.generation,
                worlds=served.index.worlds,
                changes=service.token is not None and not served.index.fixed,
                calibrated=served.index.threshold is not None,
            )
            for served in service.models.values()
        ]

    return router


def changing(service: Service) -> APIRouter:
    async def allowed(shown: Annotated[HTTPAuthorizationCredentials | None, BEARER]) -> None:
        if service.token is None:
            why = "this service changes nothing. Start it with --token-file to allow changes."
            raise HTTPException(403, why)
        # In constant time: how long it takes does not tell how much of a token is right.
        if not shown or not compare_digest(shown.credentials.encode(), service.token.encode()):
            why = "expected the header `Authorization: Bearer TOKEN` with the service's token."
            raise HTTPException(401, why, {"WWW-Authenticate": "Bearer"})

    router = APIRouter(
        tags=["change"], dependencies=[Depends(allowed)], responses=wrong(401, 403, 404, 409)
    )

    @router.put("/entities/{id:path}", responses=wrong(400, 413, 415))
    async def put(id: str, entity_form: NewEntity, model: str | None = None) -> Changed:
        """Add an entity, or put it in the place of the one with its id."""
        served = service.models.named(model)
        if "\ufffd" in id:
            raise Mistake("the id in the address is not UTF-8.")
        if entity_form.id not in (None, id):
            raise Mistake(f"id {quoted(entity_form.id)}: the address has another, {quoted(id)}.")
        entity = Entity(**entity_form.model_dump() | {"id": id})

        def update() -> Change:
            tokens = served.index.costs.change(entity)
            cure = "Bring it in by `muver index update`."
            check_tokens("title, aliases and description", tokens, service.limits.tokens, cure)
            return served.index.update([entity])

        return await changed(served, update)

    @router.delete("/entities/{id:path}")
    async def delete(id: str, world: str | None = None, model: str | None = None) -> Changed:
        """Remove an entity."""
        served = service.models.named(model)
        entity = await entity_at(served, id, world)
        return await changed(served, lambda: served.index.remove([id], entity.world))

    return router


def watching(service: Service) -> APIRouter:
    """They read no body and wait for nothing, so they answer under any load."""
    router = APIRouter(tags=["watch"])

    @router.get("/health")
    async def health() -> Sentence:
        """Whether the process lives."""
        return Sentence("alive")

    @router.get("/ready", responses=wrong(503))
    async def ready() -> Sentence:
        """Whether requests are answered. Indexes and models are loaded before the first one."""
        if troubled := [m.name for m in service.models.values() if m.trouble]:
            why = "can't be read now; the service's log says why."
            raise HTTPException(503, f"{', '.join(troubled)}: {why}")
        return Sentence("ready")

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Counts and times, as Prometheus reads them."""
        service.metrics.waiting.set(service.waiting)
        for served in service.models.values():
            service.metrics.generation.labels(served.name).set(served.index.generation)
        return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router


async def entity_at(served: Served, id: str, world: str | None) -> Entity:
    """An entity of the index, which may have to read a file."""
    return await asyncio.to_thread(served.index.entity, id, world)


async def changed(served: Served, change: Callable[[], Change]) -> Changed:
    if served.index.fixed:
        raise Mistake(f"{served.name}: {served.index.fixed} can't be changed.")
    done = await asyncio.to_thread(change)
    return Changed(**asdict(done), model=served.name, generation=served.index.generation)


def in_pieces(
    mentions: Sequence[Mention], costs: Sequence[int], most: int
) -> list[tuple[list[Mention], int]]:
    """Mentions in their order, in pieces that cost at most so many tokens, or of one mention."""
    pieces: list[tuple[list[Mention], int]] = []
    for mention, cost in zip(mentions, costs, strict=True):
        if pieces and pieces[-1][1] + cost <= most:
            pieces[-1] = [*pieces[-1][0], mention], pieces[-1][1] + cost
        else:
            pieces.append(([mention], cost))
    return pieces


async def unless_gone(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """The result of some work, which is cancelled where the client hangs up before."""

    async def hung_up() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            continue

    tasks = [asyncio.ensure_future(task) for task in (work, hung_up())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[0].done():
            raise Gone()
        return tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()


async def check_parameters(request: Request) -> None:
    """Refuse parameters of an address that its route doesn't have, and those that come twice."""
    known = [parameter.alias for parameter in request.scope["route"].dependant.query_params]
    names = [name for name, _ in request.query_params.multi_items()]
    if unknown := next((name for name in names if name not in known), None):
        raise Mistake(f"query {quoted(unknown)}: unknown.{choices(unknown, known)}")
    if twice := repeated(names):
        raise Mistake(f"query {twice}: comes twice. Leave one out.")


def check(asked: Retrieval, limits: Limits) -> None:
    """Refuse a request for more than the limits allow."""
    mentions, k = len(asked.mentions), asked.k
    for what, asked_for, most in (
        ("mentions", mentions, limits.mentions),
        ("k", k, limits.k),
        ("mentions times k", mentions * k, limits.candidates),
    ):
        if asked_for > most:
            raise Mistake(
                f"{what}: {asked_for}, {most} at most. Send fewer at a time, or a smaller k."
            )
    for n, m in enumerate(asked.mentions):
        check_length(f"mentions.{n}", m, limits)


def check_length(where: str, asked: AskedMention, limits: Limits) -> None:
    length = len(asked.left) + len(asked.mention) + len(asked.right)
    if length > limits.characters:
        raise Mistake(
            f"{where}: {length} characters with the text around it, {limits.characters} at most. "
            "Send less of left and right: only what is near a mention counts."
        )


def check_tokens(what: str, tokens: int, most: int, cure: str) -> None:
    """Refuse what takes too long."""
    if tokens > most:
        raise Mistake(f"{what}: about {tokens:,} tokens of work, {most:,} at most. {cure}")
