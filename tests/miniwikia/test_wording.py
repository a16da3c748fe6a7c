"""Articles, plurals, the data files, and that contexts paraphrase what descriptions say."""

from collections import Counter

from miniwikia.grammar import (
    TYPES,
    load_grammar,
)
from miniwikia.lexicon import load_lexicon, read_data
from miniwikia.pages import PageWriter
from miniwikia.sentences import SLOT, Sentences
from miniwikia.settings import Generate
from miniwikia.surfaces import Surface
from miniwikia.world import World
from miniwikia.writer import in_shares
from muver.io.typed import read


def test_every_fact_is_told_whole_and_in_several_ways() -> None:
    grammar, lexicon = load_grammar(), load_lexicon()
    for type_name in TYPES:
        kinds = grammar.by_type[type_name]
        assert len({kind.aspect for kind in kinds}) >= 8
        assert [kind.lead for kind in kinds] == [True] + [False] * (len(kinds) - 1)
        for kind in kinds:
            slots = {gap for gap, _ in kind.slots}
            for _, filler in kind.slots:
                assert filler[1:] in TYPES if filler[0] == "@" else filler in lexicon.classes
            # One way is the page's own; among the others one has room for the mention.
            assert sum(template.has_subject for template in kind.tell) >= 2
            assert len(kind.tell) >= 4
            for template in kind.tell:
                gaps = [piece[0] for piece in template.pieces if isinstance(piece, tuple)]
                assert slots <= set(gaps) <= slots | {"S", "he", "his", "him"}
                assert gaps.count("S") <= 1


def test_a_context_uses_other_words_than_the_description() -> None:
    world = World(5, "w", 60)
    sentences = Sentences(world)
    checked = 0
    for number, facts in enumerate(world.facts.of):
        for fact in facts[1:]:
            kind = world.grammar.kinds[fact[0]]
            surface = Surface("Mention", False, 1.0)
            for turn in range(4):
                text = sentences.mentioning(number, fact, surface, world.chance("t", turn))
                assert text.split(" ").count(SLOT) == 1
                for position, ((_, filler), value) in enumerate(
                    zip(kind.slots, fact[1:], strict=True)
                ):
                    forms = world.filling(filler, value)
                    told = forms[sentences.own_form(number, fact, position, len(forms))].bare
                    # A single word may well be part of a template or of another form.
                    if len(forms) > 1 and " " in told:
                        assert f" {told} " not in f" {text} "
                        checked += 1
    assert checked > 500


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
