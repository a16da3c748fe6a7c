"""A collection that holds an index's entities: a point each, with its views as a multivector.

A point's number is the entity's key. Its payload is the entity, a hash of its content, where its
sentences stand, and its views. The collection's metadata say which index was pushed there.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import msgspec
import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from muver.io.errors import InputError, Mistake
from muver.io.typed import Record
from muver.kb.index.entity import Entity, EntityViews
from muver.kb.index.index_settings import Weights
from muver.kb.index.names import folded
from muver.kb.index.snapshot import NoAnswer
from muver.kb.index.state import State

KEY = "QDRANT_API_KEY"
SECONDS = 60  # for one answer
RANKED = ("exact", "views")  # signals
DISTANCES = {"dot": models.Distance.DOT, "l2": models.Distance.EUCLID}
METADATA = "muver"
MOST_WORLDS = 100_000
MESSAGE = 400  # characters of what a server says
CONTENTS_A_PAGE = 10_000


class Address(NamedTuple):
    """A server (scheme, host, port, and what stands before the collection in the path), a
    collection, and how many entities HNSW looks at (``hnsw_ef``); None: all of them, exact search.
    """

    server: str
    collection: str
    ef: int | None = None

    @classmethod
    def read(cls, given: str, folder: Path) -> "Address":
        """The address in a URL, ``http://HOST:PORT/COLLECTION?ef=N``; without a collection it is
        called as the index's folder.
        """
        url = urlsplit(given)
        options = parse_qs(url.query, keep_blank_values=True)
        ef = options.pop("ef", [None])[-1]
        right = url.scheme in ("http", "https") and url.hostname and not options
        if not right or not (ef is None or (ef.isdecimal() and int(ef))):
            raise InputError(
                f"--qdrant {given}: not the address of a collection. Expected "
                "http://HOST:6333/COLLECTION, perhaps with ?ef=128, a number from 1."
            )
        before, _, name = url.path.rpartition("/")
        server = f"{url.scheme}://{url.netloc}{before}"
        return cls(server, name or folder.resolve().name, ef and int(ef))

    def __str__(self) -> str:
        return f"{self.server}/{self.collection}"


class About(Record):
    """What the metadata say of the index that was pushed last, to its end (before that of
    ``generation`` 0); ``longest`` is the length of the longest vector.
    """

    fingerprint: str
    generation: int = 0
    longest: float = 0.0


class Points:
    """The collection at an address for an index of this state."""

    def __init__(self, address: Address, state: State):
        self.address, self._state = address, state
        self._client = connect(address.server)

    def make(self) -> None:
        """Make the collection if it is not there; one of another index is refused."""
        if self._ask("collection_exists"):
            self.about()
            return
        model = self._state.model
        several = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM)
        vectors = models.VectorParams(
            size=model.dimension, distance=DISTANCES[model.metric], multivector_config=several
        )
        self._ask(
            "create_collection",
            vectors_config=vectors,
            metadata=_metadata(About(self._state.made_with)),
        )
        for name in ("world", "names"):
            self._ask("create_payload_index", name, models.PayloadSchemaType.KEYWORD)

    def about(self) -> About:
        """What was pushed there, if it is of an index with this model and these settings."""
        if not self._ask("collection_exists"):
            raise InputError(
                f"{self.address}: no such collection. Make it with `muver index push`."
            )
        metadata = self._ask("get_collection").config.metadata or {}
        other = "Name another collection, or remove this one from Qdrant."
        if METADATA not in metadata:
            raise InputError(
                f"{self.address}: this collection was not made by `muver index push`. {other}"
            )
        about = msgspec.convert(metadata[METADATA], About)
        if about.fingerprint != self._state.made_with:
            raise InputError(
                f"{self.address}: of an index with another model or other settings. {other}"
            )
        return about

    def contents(self) -> dict[int, str]:
        """The hash of each entity's content, by key."""
        found: dict[int, str] = {}
        page = None
        while True:
            points, page = self._ask(
                "scroll", limit=CONTENTS_A_PAGE, offset=page, with_payload=["content"]
            )
            found |= {point.id: point.payload["content"] for point in points}
            if page is None:
                return found

    def put(self, entities: Mapping[int, EntityViews]) -> None:
        points = [
            models.PointStruct(
                id=key,
                vector=one.vectors.tolist(),
                payload={
                    **msgspec.to_builtins(one.entity),
                    "names": list(map(folded, [one.entity.title, *one.entity.aliases])),
                    "content": content_of(one.entity.content),
                    "sentences": one.sentences.tolist(),
                    "views": one.views.tolist(),
                },
            )
            for key, one in entities.items()
        ]
        self._ask("upsert", points)

    def remove(self, keys: Sequence[int]) -> None:
        self._ask("delete", models.PointIdsList(points=list(keys)))

    def tell(self, about: About) -> None:
        """Write what was pushed, when all of it is there."""
        self._ask("update_collection", metadata=_metadata(about))

    @cached_property
    def worlds(self) -> dict[str, int]:
        found = self._ask("facet", "world", limit=MOST_WORLDS, exact=True)
        return dict(sorted((hit.value, hit.count) for hit in found.hits))

    def near(
        self, vectors: np.ndarray, world: str | None, k: int, names: Sequence[str] = ()
    ) -> list[tuple[list[int], np.ndarray]]:
        """The keys of the ``k`` points nearest to each of (some, d) vectors, best first, and their
        similarities, of a world or of all; with ``names`` of those alone that are called so.
        """
        ef = self.address.ef
        params = models.SearchParams(exact=ef is None, hnsw_ef=ef)

        def only(name: str | None) -> models.Filter:
            return models.Filter(must=[
                models.FieldCondition(key=key, match=models.MatchValue(value=value))
                for key, value in (("world", world), ("names", name)) if value is not None
            ])  # fmt: skip

        requests = [
            models.QueryRequest(query=[vector], filter=only(name), params=params, limit=k)
            for vector, name in zip_longest(vectors.tolist(), names)
        ]
        sign = -1 if self._state.model.metric == "l2" else 1
        return [
            ([one.id for one in own.points], sign * np.array([one.score for one in own.points]))
            for own in self._ask("query_batch_points", requests)
        ]

    def find(self, keys: Iterable[int]) -> dict[int, models.Record]:
        return self._of(keys, with_payload=False)

    def entities_of(self, keys: Iterable[int]) -> dict[int, Entity]:
        points = self._of(keys, with_payload=True)
        return {key: msgspec.convert(point.payload, Entity) for key, point in points.items()}

    def views_of(self, keys: Iterable[int]) -> dict[int, EntityViews]:
        return {
            key: EntityViews(
                msgspec.convert(point.payload, Entity),
                np.array(point.payload["sentences"], dtype=np.int32).reshape(-1, 2),
                np.array(point.payload["views"], dtype=np.int32),
                np.array(point.vector, dtype=np.float32),
            )
            for key, point in self._of(keys, with_payload=True, with_vectors=True).items()
        }

    def _of(self, keys: Iterable[int], **wanted: bool) -> dict[int, models.Record]:
        return {point.id: point for point in self._ask("retrieve", list(keys), **wanted)}

    def _ask(self, method: str, *given: Any, **named: Any) -> Any:
        """Call a method of the client for the collection, and say what is wrong where Qdrant does
        not do as it is asked.
        """
        try:
            return getattr(self._client, method)(self.address.collection, *given, **named)
        except UnexpectedResponse as error:
            said = " ".join(error.content.decode(errors="replace").split())[:MESSAGE]
            raise NoAnswer(
                f"{self.address}: Qdrant refused ({error.status_code}: {said}). If it wants a key, "
                f"put it in {KEY}."
            ) from None
        except (ResponseHandlingException, ValueError) as error:
            raise NoAnswer(
                f"{self.address}: no answer from Qdrant ({error}). Is it running there?"
            ) from None


def check(state: State, folder: Path) -> None:
    """Refuse an index that Qdrant cannot rank."""
    if "views" not in state.columns or state.settings.aggregate.kind != "max":
        raise InputError(
            f"{folder}: Qdrant ranks by the best view of a sentence and by equal names. This index "
            "has no such views, or another aggregate than max. Ask it without --qdrant, or make "
            "one with --views sentences."
        )


def check_weights(weights: Weights) -> None:
    """Refuse weights of what Qdrant does not rank by."""
    others = [name for name, weight in weights.items() if weight and name not in RANKED]
    if others or not weights["views"]:
        given = ",".join(["views=1", *(f"{name}=0" for name in others)])
        raise Mistake(
            f"weights: Qdrant ranks by {' and '.join(RANKED)} alone. Ask with --weights {given}, "
            "or make the index with these."
        )


def connect(server: str) -> QdrantClient:
    key = os.environ.get(KEY)
    return QdrantClient(url=server, api_key=key, timeout=SECONDS, check_compatibility=False)


def content_of(content: int) -> str:
    """An entity's content as payloads have it: Qdrant's numbers have a bit less."""
    return f"{content:016x}"


def _metadata(about: About) -> dict[str, Any]:
    return {METADATA: msgspec.to_builtins(about)}
