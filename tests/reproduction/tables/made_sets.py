"""Evaluations of linked sets: two systems, three sets of four, two and five mentions inside."""

from typing import Any

from muver.reproduction.tables.paper import paper, published
from muver.retriever.evaluation.recall import scored
from tests.blank import blank_evaluation
from tests.reproduction.tables.conftest import make_ranks

Evaluation = dict[str, Any]
SIZES = {"aida-testb": 4, "msnbc": 2, "wnedwiki": 5}
HITS = {  # at 10 and 100
    "blink_wiki": {"aida-testb": (2, 3), "msnbc": (1, 2), "wnedwiki": (0, 1)},
    "muver_wiki": {"aida-testb": (3, 4), "msnbc": (0, 2), "wnedwiki": (5, 5)},
}
AGREED = {
    "factory": "IVF4,SQ8", "agreement": 0.996, "recall": 0.998, "best": {"found": 0.996}, "k": 100,
    "mentions": 50, "knob": "nprobe", "effort": 16,
}  # fmt: skip
ROWS = [{"method": "BLINK", "system": "blink_wiki"}, {"method": "MuVER", "system": "muver_wiki"}]


def make(
    system: str,
    name: str,
    size: int | None = None,
    hits: tuple[int, int] | None = None,
    **other: Any,
) -> Evaluation:
    """The evaluation of a system on a set."""
    size, hits = size or SIZES[name], hits or HITS[system][name]
    made = {
        "system": system,
        "dataset": "miniwikipedia",
        "fingerprint": f"{name}-f00d",
        "set": name,
        "settings": {"system": system, "seed": 1},
        "cutoffs": [10, 100],
        "views_per_entity": 4.5 if system == "muver_wiki" else 1.0,
        "outside": 3,
        "matched_by_title": 1,
        "kb": {"entities": 50, "fingerprint": "kb"},
        "model": f"{system} weights",
        "index": AGREED if system == "muver_wiki" else None,
    }
    scores = scored(make_ranks({name: hits}, {name: size}, k=100), [10, 100], "documents")
    return blank_evaluation(scores, **{**made, **other})


def make_all(**other: Any) -> list[Evaluation]:
    return [make(system, name, **other) for system in HITS for name in SIZES]


def of_the_paper() -> list[Evaluation]:
    """On the paper's knowledge base and as many mentions as BLINK's, with the paper's recall."""
    return [one_of_the_paper(system, name) for system in HITS for name in SIZES]


def one_of_the_paper(system: str, name: str, size: int | None = None) -> Evaluation:
    """The same for one system and set; ``size`` is another number of mentions."""
    own = paper()["table2"]["sets"][name]
    size = size or own["support"]
    recall = published("table2", system, [10, 100], own["column"])
    hits = tuple(round(value * size / 100) for value in recall.values())
    kb = {"entities": 5903530, "fingerprint": "kb"}
    return make(system, name, size, hits, kb=kb, dataset="wikipedia", identified_as="kilt")
