"""Articles, plurals, the data files, and that contexts paraphrase what descriptions say."""

from collections import Counter

from miniwikia.lexicon import read_data
from miniwikia.pages import PageWriter
from miniwikia.settings import Generate
from miniwikia.world import World
from miniwikia.writer import in_shares
from muver.io.typed import read


def links_at(one_aspect: float) -> list[tuple[int, int]]:
    """How many facts each passage of a world tells, and of how many aspects."""
    world = World(5, "w", 120)
    pages = PageWriter(world, one_aspect)
    links = [link for number in range(120) for link in pages.write(number).links]
    kinds = world.grammar.kinds
    return [(len(link.told), len({kinds[fact[0]].aspect for fact in link.told})) for link in links]


def test_a_context_tells_one_aspect_of_its_entity_or_two_as_asked() -> None:
    # Facts told, and their aspects: a second fact is of the same aspect, or of another one.
    assert set(links_at(1)) == {(1, 1), (2, 1)}
    assert set(links_at(0)) == {(1, 1), (2, 2)}
    mixed = links_at(0.5)
    two = mixed.count((2, 2))
    assert set(mixed) == {(1, 1), (2, 1), (2, 2)}
    assert 0.35 * links_at(0).count((2, 2)) < two < 0.65 * links_at(0).count((2, 2))


def test_how_many_facts_the_default_s_test_contexts_tell() -> None:
    """What docs/data.md states: facts told, and their aspects."""
    asked = read(Generate, read_data("settings.yaml")["miniwikia"])
    counts: Counter[tuple[int, int]] = Counter()
    for name in asked.worlds.test:
        world = World(asked.seed, name, asked.entities_per_world)
        pages = PageWriter(world, asked.one_aspect)
        links = [link for n in range(len(world.entities)) for link in pages.write(n).links]
        for link in in_shares(world, links)[: asked.mentions.test // len(asked.worlds.test)]:
            aspects = {world.grammar.kinds[fact[0]].aspect for fact in link.told}
            counts[len(link.told), len(aspects)] += 1
    assert counts == {(1, 1): 1002, (2, 1): 127, (2, 2): 671}
