"""Sequences of changes of an index, and what is asked of it after them."""

from dataclasses import replace

from hypothesis import strategies as st

from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.retriever.answers import Mention
from tests import tiny

MENTIONS = [
    Mention("the river king", "In spring", "saw the bell."),
    Mention("tower", world="birch"),
    Mention("nothing", world="alder"),
    Mention("a lantern of the crown", right="and the sword"),
]
TEXTS = ["", *(" ".join(sentences) for sentences in tiny.texts(4))]
CONTENTS = st.tuples(st.sampled_from(["river tower", "king", "bell"]), st.sampled_from(TEXTS))
KEYS = st.tuples(st.sampled_from(["alder", "birch"]), st.sampled_from("abcdef"))
SOME = st.dictionaries(KEYS, CONTENTS, min_size=1, max_size=8)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), SOME),
        st.tuples(st.just("update"), SOME),
        st.tuples(st.just("remove"), st.sets(KEYS, max_size=4)),
        st.tuples(st.just("compact"), st.none()),
    ),
    max_size=5,
)


def entities(contents) -> list[Entity]:
    return [
        Entity(id=id, title=title, description=text, world=world)
        for (world, id), (title, text) in contents.items()
    ]


def apply(index: Index, there: dict, step: str, given) -> Index:
    """Do a step on an index and on a dictionary."""
    if step == "compact":
        index.compact()
    elif step == "remove":
        for world, id in given & there.keys():
            assert index.remove([id], world).removed == 1
            del there[world, id]
    else:
        if step == "add":
            given = {key: content for key, content in given.items() if key not in there}
        change = getattr(index, step)(entities(given))
        assert change.added == len(given.keys() - there.keys())
        same = sum(there.get(key) == content for key, content in given.items())
        assert (change.unchanged, change.updated) == (same, len(given) - same - change.added)
        there |= given
    return index


def answers(index, k: int):
    asked = [one for one in MENTIONS if one.world is None or one.world in index.worlds]
    return [[replace(best, entity=0) for best in own] for own in index.retrieve(asked, k)]
