"""What requests and answers look like, for checking and for the description of the service.

Requests have the named fields and no others. Answers are what the index itself
has: an entity, a change, an answer as the command line and Python have it.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticSerializationError, to_json

from muver.kb.index.answer import Answer
from muver.kb.index.changes import Change
from muver.kb.index.entity import Entity
from muver.retriever.answers import Explanation, Mention

# pydantic looks whether a text is of whole characters only where its length is bounded.
String = Annotated[str, Field(min_length=0)]
Text = Annotated[str, Field(min_length=1)]
# Ids of entities and names of worlds are texts, and may be told as whole numbers.
WHOLE = BeforeValidator(lambda value: str(value) if type(value) is int else value)
# Text beside a mention, which may be none: null, as tables are written.
Side = Annotated[String, BeforeValidator(lambda value: "" if value is None else value)]
Id, World = Annotated[Text, WHOLE], Annotated[String | None, WHOLE]


def sendable(value: dict[str, Any]) -> dict[str, Any]:
    """What can be sent back."""
    try:
        to_json(value)
    except PydanticSerializationError:
        raise ValueError("expected whole characters, and at most 254 levels") from None
    return value


Sendable = Annotated[dict[str, Any], AfterValidator(sendable)]


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AskedMention(Form):
    """A mention in its text; without a world all worlds are searched. ``asked`` is anything of the
    client's own, such as an id, and comes back with the answer.
    """

    left: Side = ""
    mention: Text
    right: Side = ""
    world: World = None
    asked: Sendable = {}

    def as_mention(self) -> Mention:
        return Mention(self.mention, self.left, self.right, self.world, self.asked)


class Retrieval(Form):
    """Mentions, and how many entities to find for each; the first model if none is named."""

    mentions: Annotated[list[AskedMention], Field(min_length=1)]
    k: Annotated[int, Field(ge=1)] = 10
    model: String | None = None
    where: dict[String, String] = {}  # other columns of entities, and their values
    weights: dict[String, float] | None = None  # of signals, in place of the index's
    settings: Sendable = {}  # aggregate or words, in place of the index's
    excerpts: bool = False  # whether to cut the winning sentences out with their neighbours


class Question(Form):
    """A mention, and the entity of which to tell what each signal and view adds."""

    mention: AskedMention
    id: Id
    world: World = None
    model: String | None = None
    weights: dict[String, float] | None = None


class NewEntity(Form):
    """An entity to add, or to put in the place of the one with its id, which the address has."""

    id: Id | None = None
    title: String = ""
    description: String = ""
    aliases: list[String] = []
    world: World = None
    further: dict[String, String] = {}


@dataclass(frozen=True, kw_only=True)
class Retrieved:
    """Answers in the order of the mentions, from this generation of the index or a later one."""

    model: str
    generation: int
    results: list[Answer]


@dataclass(frozen=True, kw_only=True)
class Explained(Explanation):
    """An entity, and what adds to its score."""

    entity: Entity


@dataclass(frozen=True, kw_only=True)
class Changed(Change):
    """What a change did, and the generation that has it."""

    model: str
    generation: int


@dataclass(frozen=True, kw_only=True)
class Model:
    """An index that is served."""

    name: str
    generation: int
    worlds: list[str]
    changes: bool
    calibrated: bool


@dataclass(frozen=True)
class Sentence:
    """A sentence; for an error, what was expected and what to do."""

    detail: str
