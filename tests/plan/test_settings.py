"""What a plan may be told, and that it knows the other stages' defaults."""

import pytest

from muver.corpus.kilt.settings import DEFAULTS as KB
from muver.corpus.sources import find_source
from muver.encoders.device import BATCH_TOKENS as DEVICE_TOKENS
from muver.encoders.stages import kb_part
from muver.encoders.stages.settings import COMPUTE, PART
from muver.io.errors import InputError
from muver.plan import memory
from muver.plan.settings import BATCH_TOKENS, BYTES, DEFAULTS, check
from muver.retrieval.ann.settings import BUILD, SEARCH


def test_the_defaults_are_those_of_the_stages_and_the_published_counts():
    assert {key: DEFAULTS[key] for key in COMPUTE} == COMPUTE
    assert BATCH_TOKENS == DEVICE_TOKENS and memory.ENTITIES == kb_part.ENTITIES
    assert list(BYTES) == list(kb_part.DTYPES) and DEFAULTS["dtype"] == PART["dtype"]
    for key in ("paragraphs", "part_bytes", "line_bytes"):
        assert DEFAULTS[key] == KB[key]
    assert DEFAULTS["build_memory_mb"] == BUILD["memory_mb"]
    assert DEFAULTS["search_memory_mb"] == SEARCH["memory_mb"]
    assert DEFAULTS["entities"] == find_source("kilt").published.entities["wikipedia"]
    published = find_source("blink_benchmarks").published.mentions
    assert DEFAULTS["mentions"] == sum(published.values())
    assert round(DEFAULTS["dump_bytes"] / 2**30, 2) == 34.76


def test_a_part_of_the_encoder_and_of_the_rates_may_be_given():
    settings = check({"encoder": {"hidden_size": 64}, "rates": {"read": 20}})
    assert settings["encoder"] == {**DEFAULTS["encoder"], "hidden_size": 64}
    assert settings["rates"] == {"read": 20, "encode": {}, "build": {}, "search": {}}
    assert check({"batch_tokens": 7})["batch_tokens"] == 7


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"entity": 3}, "unknown key 'entity'. Did you mean 'entities'"),
        ({"entities": 0}, "entities is 0, expected a whole number, at least 1"),
        ({"dtype": "bf16"}, "dtype is 'bf16', expected one of 'fp16', 'fp32'"),
        ({"device": "gpu"}, "device is 'gpu', expected one of"),
        ({"batch_tokens": "all"}, "batch_tokens is 'all', expected a whole number"),
        ({"encoder": {"hidden": 3}}, "unknown key 'hidden'"),
        ({"models": {"som": {"kind": "tokens"}}}, "models.som.kind is 'tokens', expected one of"),
        ({"models": {"som": 3}}, "models.som.kind is 3, expected one of prefix, sentences"),
        ({"models": {"a": {"kind": "prefix"}}}, "max_tokens is None, expected a whole number"),
        ({"rates": {"encode": {"muver": 1}}}, "rates.encode: unknown name 'muver'. Did you mean"),
        ({"rates": {"search": {"exakt": 1}}}, "unknown name 'exakt'. Did you mean 'exact'"),
        ({"rates": {"build": {"hnsw": 0}}}, "rates.build.hnsw is 0, expected a number above 0"),
        ({"rates": {"read": "fast"}}, "rates.read is 'fast', expected a number above 0"),
    ],
)
def test_settings_that_are_not_allowed(given, words):
    with pytest.raises(InputError, match=words):
        check(given)
