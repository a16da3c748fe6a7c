"""No regular expression in the package can be made to run for ever by a text.

A pattern takes exponential time where a repeat stands inside a repeat, and quadratic time or worse
where two repeats that take the same letters stand side by side: a text that almost matches is then
divided among them in all ways. Possessive repeats (`*+`) don't try again and may stand anywhere.
"""

import ast
from functools import cache
from pathlib import Path
from re import _compiler, _constants, _parser

import pytest

import muver

PACKAGE = Path(muver.__file__).parent
FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall"}
FUNCTIONS |= {"finditer"}
LETTERS = [chr(code) for code in range(0x250)]  # enough of every class
REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
MANY = 100  # times; a repeat of fewer is harmless
# These read the pages of realworlds alone, whose SHA-256 is compared before a pattern sees them.
PINNED = {PACKAGE / "kb/importing/pages/forms.py", PACKAGE / "kb/importing/pages/worlds.py"}


def patterns():
    """File, line and text of each pattern; what is filled into one counts as a letter."""
    for path in sorted({*PACKAGE.rglob("*.py")} - PINNED):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Attribute(ast.Name("re"), name), [given, *_]) if (
                    name in FUNCTIONS
                ):
                    yield f"{path.name}:{node.lineno}", _written(given)


def _written(given):
    match given:
        case ast.Constant(str(text)):
            return text
        case ast.Constant(bytes(text)):
            return text.decode()
        case ast.JoinedStr(parts):
            return "".join(part.value if isinstance(part, ast.Constant) else "x" for part in parts)
    return None


def dangers(items):
    """What is wrong with the items of a parsed pattern, a sentence each."""
    items = list(_flat(items))
    for item in items:
        for own in _within(item):
            yield from dangers(own)
        if _many(item):
            first, *_ = _flat(item[1][2])
            for inner in _deep(item[1][2]):
                # Harmless where each turn begins with letters that the inner repeat doesn't take.
                if _letters(inner) & _starts([first]):
                    yield f"{inner} is repeated within {item}"
    for at, item in enumerate(items):
        for other in items[at + 1 :] if _many(item) else ():
            if _many(other) and _letters(item) & _starts([other]):
                yield f"{item} and {other} take the same letters"
            if not _may_be_empty(other):
                break


def _deep(items):
    """The repeats that stand anywhere in a sequence."""
    for item in _flat(items):
        if _many(item):
            yield item
        for own in _within(item):
            yield from _deep(own)


def _flat(items):
    """The items, with groups opened: they divide nothing."""
    for item in items:
        if item[0] is _constants.SUBPATTERN:
            yield from _flat(item[1][3])
        else:
            yield item


def _within(item):
    """The sequences in an item."""
    kind, value = item
    if kind is _constants.BRANCH:
        return value[1]
    if kind in (*REPEATS, _constants.POSSESSIVE_REPEAT):
        return [value[2]]
    if kind in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [value[1]]
    return [value] if kind is _constants.ATOMIC_GROUP else []


def _many(item):
    return item[0] in REPEATS and item[1][1] > MANY and item[1][0] != item[1][1]


def _may_be_empty(item):
    return _parser.SubPattern(_parser.State(), [item]).getwidth()[0] == 0


def _letters(item):
    """The letters that an item may take."""
    if within := _within(item):
        return set().union(*(_letters(one) for items in within for one in _flat(items)))
    return _taken(item)


def _starts(items):
    """The letters with which a sequence may begin."""
    found = set()
    for item in _flat(items):
        within = _within(item)
        found |= set().union(*map(_starts, within)) if within else _taken(item)
        if not _may_be_empty(item):
            break
    return found


@cache
def _class(kind, value):
    one = _compiler.compile(_parser.SubPattern(_parser.State(), [(kind, value)]))
    return {letter for letter in LETTERS if one.fullmatch(letter)}


def _taken(item):
    if item[0] in (_constants.AT, _constants.GROUPREF):
        return set()
    kind, value = item
    return _class(kind, tuple(value) if isinstance(value, list) else value)


def test_no_text_makes_a_pattern_run_for_ever():
    found = list(patterns())
    made = [place for place, pattern in found if pattern is None]
    assert not made, "made while the program runs: write it out, or do without"
    assert not {
        (place, danger) for place, pattern in found for danger in dangers(_parser.parse(pattern))
    }


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+b", r"\s+\s*\.", r"(?:x|a*)*y", r"\w+:?\w*=", r"(ab*|b)*c", r"\d+(?:[.\d]*)x"],
)
def test_what_the_test_above_finds(pattern):
    assert list(dangers(_parser.parse(pattern)))


@pytest.mark.parametrize(
    "pattern", [r"a+b", r"(-[a-z]+)*", r"\s*+:?\s*", r"[a-z]+ [a-z]+", r"\d+(\|\d+)*"]
)
def test_what_it_lets_through(pattern):
    assert not list(dangers(_parser.parse(pattern)))
