"""What requests and answers look like, for checking and for the description of the service."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(min_length=1)]


class Form(BaseModel):
    """The named fields and no others, of these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AskedMention(Form):
    """A mention in its text; without a world all worlds are searched."""

    left: str = ""
    mention: Text
    right: str = ""
    world: str | None = None


class Retrieval(Form):
    """Mentions, and how many entities to find for each; the first model if none is named."""

    mentions: Annotated[list[AskedMention], Field(min_length=1)]
    k: Annotated[int, Field(ge=1)] = 10
    model: str | None = None
    excerpts: bool = False  # whether to cut the winning sentences out with their neighbours


class Excerpt(Form):
    """The winning sentences as the description has them, and what stands around them."""

    before: str
    winning: str
    after: str


class Found(Form):
    """A ranked entity.

    ``layer``, ``first`` and ``last`` tell which view won: 0 is a view of the description's
    sentences, 1 to 4 a layer of merging, -1 none (BM25), -2 the global view, -3 a span.
    """

    rank: int
    id: str
    title: str
    world: str | None
    score: float
    probability: float | None
    layer: int
    first: int
    last: int
    text: str
    excerpt: Excerpt | None = None


class FoundForMention(Form):
    """Ranked entities, best first; ``none``: whether none of them is likely the one meant."""

    candidates: list[Found]
    none: bool | None


class Retrieved(Form):
    """Answers in the order of the mentions, from this generation of the index or a later one."""

    model: str
    generation: int
    results: list[FoundForMention]


class Question(Form):
    """A mention, and the entity of which to tell what each of its views adds."""

    mention: AskedMention
    id: Text
    world: str | None = None
    model: str | None = None


class Entity(Form):
    """An entity of the knowledge base."""

    id: str
    title: str
    description: str
    aliases: list[str]
    world: str

    @classmethod
    def of(cls, one: Any) -> "Entity":
        """An entity of an index."""
        return cls.model_validate(one, from_attributes=True)


class View(Form):
    """A view of an entity; ``start`` and ``end`` where its text stands in the description."""

    similarity: float
    share: float
    layer: int
    first: int
    last: int
    text: str
    start: int | None
    end: int | None


class Explained(Form):
    """An entity and its views, the greatest share first."""

    entity: Entity
    views: list[View]


class Given(Form):
    """An entity to add, or to put in the place of the one with its id."""

    title: Text
    description: str = ""
    aliases: list[str] = []
    world: str | None = None


class Changed(Form):
    """What a change did, and the generation that has it."""

    model: str
    generation: int
    added: int
    updated: int
    unchanged: int
    removed: int


class Model(Form):
    """An index that is served; without ``all_worlds`` a mention has to name its world."""

    name: str
    generation: int
    worlds: list[str]
    all_worlds: bool
    changes: bool
    calibrated: bool


class Said(Form):
    """A sentence; for an error, what was expected and what to do."""

    detail: str
