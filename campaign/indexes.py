"""An index that can be attacked: made of seeded entities, changed by commands, looked at."""

import json
import random
from pathlib import Path

from muver.io.errors import InputError
from muver.kb.index import changes
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.retriever.answers import Mention
from tests import tiny
from tests.workflow.conftest import Project

ENTITIES = 3000
FIELDS = ("id", "title", "description", "world")
COMMANDS = {
    "add": ["muver", "index", "add", "index", "more.jsonl"],
    "update": ["muver", "index", "update", "index", "other.jsonl"],
    "compact": ["muver", "index", "compact", "index"],
}
CREATE = {
    "create": ["muver", "index", "create", "more.jsonl", "--model", "bm25", "--out", "new"],
}


def entities(count: int, first: int = 0, seed: int = 0) -> list[Entity]:
    """Entities with ids from ``first`` on; another seed gives them other texts."""
    chance = random.Random(seed)
    return [
        Entity(
            id=f"e{number}",
            title=" ".join(chance.choices(tiny.WORDS, k=2)),
            description=" ".join(chance.choices(tiny.WORDS, k=20)),
            world=("alder", "birch")[number % 2],
        )
        for number in range(first, first + count)
    ]


def made(folder: Path, count: int = ENTITIES) -> Project:
    """A folder with an index of words that was changed twice, and files to change it with."""
    folder.mkdir(parents=True)
    index = Index.create(folder / "index", entities(count), "bm25")
    index.add(entities(count // 10, count))
    index.remove(["e1", "e5"])
    for name, given in (
        ("more", entities(count, 2 * count)),
        ("other", entities(count, count // 2, seed=1)),
    ):
        lines = [json.dumps({key: getattr(one, key) for key in FIELDS}) for one in given]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    return Project(folder)


def outcome(folder: Path) -> dict[str, str]:
    """What an index holds and answers, what is wrong with it, and its files' names."""
    files = {str(path.relative_to(folder)): "there" for path in folder.rglob("*")}
    try:
        index = Index.open(folder / "index")
        wrong = changes.verify(folder / "index")
    except InputError as error:
        return {**files, "opened": str(error)}
    return {**files, "verified": str(wrong), "state": str(index.generation), **answers(index)}


def answers(index: Index) -> dict[str, str]:
    """All entities of an index, and candidates of some mentions."""
    there = {(one.world, one.id): one.content for one in index.entities()}
    asked = [Mention(" ".join(pair)) for pair in zip(tiny.WORDS, tiny.WORDS[5:], strict=False)]
    ranked = [[(one.document_id, one.score) for one in own] for own in index.retrieve(asked, 10)]
    return {"entities": str(sorted(there.items())), "answers": str(ranked)}
