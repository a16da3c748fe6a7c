"""What the stages of Table 2 are told, and what may not be asked of a knowledge base."""

import pytest

from muver.io.errors import InputError
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import model_settings, row_settings, search_settings
from muver.reproduction.workspace import graph_of
from tests.reproduction.settings import PARAMS


def resolved(preset="wikipedia", **more):
    return resolve(PARAMS, {"preset": preset, **more})


def with_text(name):
    return {"models": {"blink_wiki": {"views": {"text": name}}}}


def mined_from(row):
    return {"models": {"muver_wiki": {"negatives": {"from": row}}}}


def test_of_exact_search_only_what_moves_a_candidate_is_in_the_key():
    row = row_settings(resolved(), "muver_wiki")
    assert row["retrieve"] == {"k": 100, "match": "id", "aggregate": "max"}
    assert row["index"] is None
    faster = resolved(compute={"threads": 7}, linking={"search": {"memory_mb": 5, "minimum": 0.5}})
    assert row_settings(faster, "muver_wiki") == row


def test_an_index_is_in_the_key_with_how_it_is_searched():
    settings = resolved(systems={"muver_wiki": {"index": "hnsw"}})
    row = row_settings(settings, "muver_wiki")
    assert row["index"] == {"factory": "hnsw", "seed": 10000}
    assert row["retrieve"] == {
        "rescore": True, "most_views": 16384, "effort": None, "minimum": 0.995, "k": 100,
        "match": "id", "aggregate": "max",
    }  # fmt: skip
    assert graph_of(settings).index("muver_wiki", "hnsw").settings["check"]["agreement"] == 0.995
    search = search_settings(settings, "muver_wiki", "msnbc")
    assert search["split"] == "msnbc" and row["retrieve"].items() <= search.items()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"results": ["table2", "table1"]}, "results: table1 is not made of the dataset wikipedia"),
        ({"preset": "zeshel", "results": ["table2"]}, "table2 is not made of the dataset zeshel"),
        ({"systems": {"muver_wiki": {"index": "ivfsq"}}}, "'ivfsq'. Did you mean 'ivf_sq'"),
        ({"systems": {"muver_wiki": {"aggregate": "softmax_sum"}}}, "muver_wiki is made for"),
        ({"systems": {"muver_wiki": {"merge_layers": 2}}}, "Leave out merge_layers"),
        ({"tables": {"table2": ["bm25"]}}, "systems.bm25 is made for table2"),
        ({"tables": {"table2": ["som"]}}, "som is made for table2"),
        ({"tables": {"table2": {"figure": "vectors"}}}, "table2.figure: its sets would be in one"),
        ({"linking": {"test": ["aida-train"]}}, "'aida-train' is named twice among train, valid"),
        ({"linking": {"test": ["msnb"]}}, "linking.test names 'msnb'. Did you mean 'msnbc'"),
        ({"linking": {"validation": "dev"}}, "linking.validation is 'dev'"),
        ({"linking": {"kb": {"pages": 3}}}, "unknown key linking.kb.pages"),
        ({"linking": {"sets": {"msnbc": {"file": 3}}}}, "sets.msnbc.file is 3"),
        (with_text("blink"), "views.text is 'blink'. Allowed: blink_entities"),
        (
            {"preset": "zeshel", **with_text("blink_entities")},
            "has texts for the entities of a knowledge base, and the da",
        ),
        # Rows that negatives cannot be mined from.
        (mined_from("blnk_wiki"), "negatives.from is 'blnk_wiki'. Did you mean 'blink_wiki'"),
        (mined_from("bm25"), "systems.bm25 is made for table2.* Set model and aggregate"),
        (mined_from("muver_wiki"), "models.muver_wiki: is made of itself"),
    ],
)
def test_mistakes_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        resolved(**changes)


def test_the_search_that_negatives_are_mined_from_is_in_the_key():
    row = row_settings(resolved(), "muver_wiki")
    retrieve = {"k": 100, "match": "id", "aggregate": "max"}
    assert row["mining"] == {"retrieve": retrieve, "index": None}
    by_index = resolved(systems={"blink_wiki": {"index": "ivf_sq"}})
    assert row_settings(by_index, "muver_wiki")["mining"]["index"]["factory"] == "ivf_sq"
    assert "mining" not in row_settings(by_index, "blink_wiki")


def test_blinks_views_are_of_its_own_texts():
    """Those of MuVER are the knowledge base's paragraphs, and so are both in miniwikipedia."""
    settings = resolved()
    assert model_settings(settings, "blink_wiki")["views"]["text"] == "blink_entities"
    assert "text" not in model_settings(settings, "muver_wiki")["views"]
    texts = graph_of(settings).texts("blink_wiki")["texts"]
    assert texts.settings["expected"] == "blink_entities"
    assert not resolved("miniwikipedia").models["blink_wiki"].views.text
    source = {"source": {"blink_entities": "entity.jsonl"}}
    assert resolved("miniwikipedia", **with_text("blink_entities"), linking=source)


def test_negatives_are_mined_from_the_system_that_is_named():
    """Of two systems with one model; which of them stands first decides nothing."""
    other = {"method": "by IVF", "model": "blink_wiki", "aggregate": "max", "index": "ivf_sq"}
    changes = {"systems": {"by_ivf": other}, **mined_from("by_ivf")}
    settings = resolved(**changes)
    row = row_settings(settings, "muver_wiki")
    assert row["mining"]["index"] == {"factory": "ivf_sq", "seed": 10000}
    assert row["model"]["negatives"]["run"] == row_settings(settings, "by_ivf")
    backwards = {**PARAMS, "systems": dict(reversed(PARAMS["systems"].items()))}
    again = resolve(backwards, {"preset": "wikipedia", **changes})
    assert row_settings(again, "muver_wiki") == row


def test_a_row_over_a_knowledge_base_may_take_all_views_of_an_entity():
    one = {"log_mean_exp": {"temperature": 0.5}}
    best = resolved()
    mean = resolved(aggregates=one, systems={"muver_wiki": {"aggregate": "log_mean_exp"}})
    before, after = (row_settings(settings, "muver_wiki") for settings in (best, mean))
    added = {"aggregate": "log_mean_exp", "temperature": 0.5}
    assert after == {**before, "retrieve": before["retrieve"] | added}
    with pytest.raises(InputError, match="muver_wiki is made for table2.* Set one temperature"):
        resolved(systems={"muver_wiki": {"aggregate": "log_mean_exp"}})


def test_the_dataset_brings_its_preset():
    settings = resolve(PARAMS, {"dataset": "miniwikipedia"})
    assert (settings.preset, settings.workspace) == ("miniwikipedia", "miniwikipedia")
