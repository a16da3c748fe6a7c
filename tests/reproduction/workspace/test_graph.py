"""What tables need: no more models, stores and runs than their rows; and how files are named."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.reproduction.settings.rows import row_settings
from muver.reproduction.workspace.artifact import with_origins
from muver.reproduction.workspace.jobs import job_of
from muver.reproduction.workspace.models import tokens_of
from muver.reproduction.workspace.steps import code
from muver.retriever.encoders.hub import SHIPPED
from tests.reproduction.settings import graph

RELEASED = {
    "checkpoint": "best.bin", "views": {"kind": "prefix", "max_tokens": 128}, "score": "max",
}  # fmt: skip
SCRATCH = {"encoder": "scratch", "pretrain": {"steps": 200}}


def asked(result, rows, kind=None, **overrides):
    """Names of the artifacts that a table of these rows asks for."""
    made = graph(tables={result: rows}, **overrides).asked([result])
    return [one.name for one in made if kind in (None, one.kind)]


def test_a_lexical_row_needs_its_run_alone():
    kinds = {one.kind for one in graph(tables={"table1": ["bm25"]}).asked(["table1"])}
    data = {"raw", "corpus", "segment", "start"}
    assert kinds == {*data, "runs", "evaluations"}


def test_all_models_start_from_one_pretrained_encoder():
    made = graph(**SCRATCH)
    assert made.start.kind == "pretrained"
    assert [one.kind for one in made.start.parents] == ["start", *["corpus"] * 2, "segment"]
    for model in ("blink_128", "som", "muver"):
        assert made.model(model).inputs["start"] is made.start
    # At 0 steps it is the encoder itself, whatever the other settings say.
    without = graph(encoder="scratch", pretrain={"steps": 0, "batch_size": 7})
    assert without.start is without.encoder
    assert without.start.path == made.encoder.path
    assert without.model("muver").key != made.model("muver").key
    assert graph(preset="zeshel").start.kind == "start"
    linked = graph(preset="miniwikipedia", pretrain={"steps": 10})
    assert {one.kind for one in linked.start.parents} == {"start", "training"}


def test_the_encoder_that_comes_along_is_named_by_its_weights(monkeypatch, tmp_path):
    made = graph()
    weights = SHIPPED["miniwikia-bert"] / "model.safetensors"
    assert made.start is made.encoder and made.start.inputs == {}
    assert made.start.settings["weights_sha256"] == sha256_of(weights)
    (tmp_path / "manifest.json").write_text('{"identity": {"weights_sha256": "other"}}')
    monkeypatch.setitem(SHIPPED, "miniwikia-bert", tmp_path)
    assert graph().start.path != made.start.path


def test_two_rows_of_one_model_share_it():
    rows = ["muver_plain", "muver", "som"]
    assert asked("table1", rows, "models") == ["muver", "som"]
    assert asked("table1", rows, "stores") == ["test/muver"]  # token vectors are never stored
    assert asked("table1", rows, "merged") == ["test/muver-distant"]


def test_the_sweep_needs_its_searches_and_no_further_model():
    assert asked("table3", ["muver"], "models") == ["muver"]
    searches = ("distant", "close", "distant_full", "close_full")
    assert sorted(asked("table3", ["muver"], "merged")) == sorted(
        f"test/muver-{search}" for search in searches
    )
    assert len(asked("table3", ["muver"], "evaluations")) == 16


def test_a_weight_is_chosen_on_validation():
    assert asked("aggregates", ["muver_bm25"], "evaluations") == ["test/muver_bm25"]
    assert asked("aggregates", ["muver_bm25"], "runs") == ["test/muver_bm25"]
    assert asked("aggregates", ["muver_bm25"], "stores") == ["test/muver", "val/muver"]


def test_a_temperature_is_chosen_on_a_validation_run_of_each():
    row = "muver_log_mean_exp"
    values = ("0_0625", "0_125", "0_25", "0_5", "1", "2", "4", "8", "16")
    assert asked("aggregates", [row], "evaluations") == [f"test/{row}"]
    runs = asked("aggregates", [row], "runs")
    assert runs == [*(f"val/{row}_temperature_{value}" for value in values), f"test/{row}"]
    assert asked("aggregates", [row], "stores") == ["test/muver", "val/muver"]
    assert graph().index(row).input_files["chosen"] == f"{graph().run(row, 'test').path}.json"
    assert "chosen" not in graph().index("muver_max").inputs


def test_reciprocal_ranks_need_no_validation():
    runs = asked("aggregates", ["muver_bm25_rrf"], "runs")
    assert all(name.startswith("test/") for name in runs)


def test_a_chosen_model_needs_those_it_is_chosen_among():
    models = asked("table1", ["partalidou"], "models", preset="zeshel")
    assert models == ["blink_128", "blink_special", "blink_span", "blink_all", "partalidou"]
    # Chosen early, those that are no row's are trained in the same job, and BLINK by itself.
    assert asked("table1", ["partalidou"], "models") == ["blink_128", "partalidou"]
    made = graph()
    blink = made.model("blink_128")
    assert made.model("partalidou").inputs["models"] == [blink]
    assert blink.free == {"validate_after": [0.25]}
    assert job_of(made, made.model("partalidou"))["models"] == [("blink_128", blink.path)]
    # BLINK's validation after a quarter leaves its name, and so its files, as they are.
    alone = graph(models={"partalidou": {"after": 0}}).model("blink_128")
    assert not alone.free and alone.path == blink.path
    # At most three models for a quarter of the steps, and one for the rest.
    assert tokens_of(made.model("partalidou")) == 1.5 * tokens_of(blink)
    log = made.evaluation("partalidou", "test").input_files["choice"]
    assert log == f"{made.model('partalidou').path}/training_log.jsonl"
    assert "choice" not in made.evaluation("muver", "test").inputs


def test_a_model_may_start_from_another_on_worlds_too():
    start = {"models": {"muver": {"start": "blink_128"}}}
    made = graph(**start).model("muver")
    assert [one.label for one in made.parents][0] == "blink_128"
    assert made.key != graph().model("muver").key
    point = graph(**start).grid_point("muver_lr0.002_wd0.01_wu0.1_bs32_is5")
    assert [one.label for one in point.parents][0] == "blink_128"


def test_weights_are_named_through_starts_and_choices():
    made = graph(
        preset="zeshel",
        models={"old": RELEASED, "blink_128": {"start": "old"}, "muver": {"start": "partalidou"}},
    )
    assert made.weights("muver").artifact.name == "old"
    assert made.weights("som").artifact is made.start


def test_a_row_names_the_weights_of_all_rows_that_it_is_made_of():
    """So that its key is another one with another encoder."""
    systems = {"released": {"model": "old"}, "muver_bm25": {"of": ["blink_512", "released"]}}
    made = graph(preset="zeshel", models={"old": RELEASED}, systems=systems)
    start, released = made.start["/manifest.json"], made.model("old")["/manifest.json"]
    for system, expected in [
        ("bm25", []), ("muver", [start]), ("muver_bm25_rrf", [start]),
        ("muver_bm25", [start, released]),
    ]:  # fmt: skip
        assert made.all_weights(system) == expected
        found = made.evaluation(system, "test").inputs.get("identity", [])
        assert found == expected


def test_a_seed_names_other_files_of_what_is_drawn_and_the_same_of_the_rest():
    first, other = graph(), graph(seed=7)
    assert first.model("muver").path != other.model("muver").path
    assert first.corpus.path == other.corpus.path
    assert first.run("bm25", "test").path == other.run("bm25", "test").path


def test_a_repeat_seed_draws_the_start_and_pretraining_again():
    made, main = graph(repeat_seeds=[7], **SCRATCH), graph(**SCRATCH)
    repeated = made.model("muver_seed7")
    start = repeated.inputs["start"]
    encoder = start.inputs["start"]
    assert [(one.kind, one.name) for one in (encoder, start)] == [
        ("start", "seed7"), ("pretrained", "seed7"),
    ]  # fmt: skip
    assert [one.settings["seed"] for one in (encoder, start, repeated)] == [7, 7, 7]
    assert {one.id for one in (encoder, start)} <= {one.id for one in made.asked(["table1"])}
    assert made.weights("partalidou_seed7").artifact is start
    # The data are the same, and the rows of the main seed lead to the files that they had.
    assert start.inputs["entities"].path == main.start.inputs["entities"].path
    for kind in ("encoder", "start"):
        assert getattr(made, kind).path == getattr(main, kind).path
    assert made.model("muver").path == main.model("muver").path


def test_a_repeat_seed_has_the_public_encoder_and_pretrains_it_anew():
    made = graph(preset="zeshel", repeat_seeds=[7])
    assert made.model("muver_seed7").inputs["start"].path == made.start.path
    pretrained = graph(preset="zeshel", repeat_seeds=[7], pretrain={"steps": 1})
    start = pretrained.model("muver_seed7").inputs["start"]
    assert start.settings["seed"] == 7 and start.inputs["start"].path == made.encoder.path


def test_the_code_of_a_run_is_its_kind_s_and_of_several_repositories_that_of_their_pages():
    """For Snakemake and for DVC."""
    default, public = graph(), graph(preset="realworlds")
    for made, artifact, rule in (
        (default, default.raw, "download"),
        (public, public.raw, "download_worlds"),
        (default, default.run("bm25", "test"), "retrieve_bm25"),
        (default, default.corpus, "corpus"),
    ):
        assert made.code_of(artifact) == code(rule)


def test_the_machine_names_nothing():
    machine = {"compute": {"threads": 2, "batch_tokens": 1}, "retrieve": {"memory_mb": 64}}
    assert graph(**machine).by_place.keys() == graph().by_place.keys()


def test_precision_names_vectors():
    precise, other = graph(), graph(compute={"precision": "bf16"})
    assert precise.model("muver").path == other.model("muver").path
    assert precise.store("muver", "test").path != other.store("muver", "test").path
    # SOM's run encodes by itself, BM25's nothing.
    assert precise.run("som", "test").path != other.run("som", "test").path
    assert precise.run("bm25", "test").path == other.run("bm25", "test").path


def test_table2_asks_for_sets_parts_and_the_runs_that_negatives_are_mined_from():
    made = graph(preset="miniwikipedia").asked(["table2"])
    names = {kind: [one.name for one in made if one.kind == kind] for kind in ("runs", "training")}
    sets = ("aida-testb", "msnbc", "wnedwiki")
    rows = ("blink_wiki", "muver_wiki")
    assert sorted(names["runs"]) == sorted(
        ["aida-train/blink_wiki", *(f"{name}/{row}" for name in sets for row in rows)]
    )
    assert names["training"] == ["golds", "muver_wiki"]


def test_sets_of_one_file_are_told_apart():
    made = graph(preset="wikipedia")
    assert made.mentions("msnbc").key != made.mentions("wnedwiki").key
    assert made.model("blink_wiki").input_files["checkpoint"] == (
        "build/wikipedia/raw/biencoder_wiki_large.bin"
    )


def test_zeshel_with_a_small_encoder_is_the_same_data():
    large, small = (graph(preset=name) for name in ("zeshel", "zeshel_small"))
    assert small.raw.rule == "download" and small.corpus.settings["expected"] == "zeshel"
    assert [one.settings for one in small.data] == [one.settings for one in large.data]
    assert {one.name for one in small.asked(small.settings.results) if one.kind == "merged"} == {
        "test/muver-distant", "test/muver-close",
    }  # fmt: skip


def test_the_encoder_s_own_pooling_is_read_where_it_is_asked_for(tmp_path):
    for name in ("config.json", "modules.json"):
        (tmp_path / name).touch()
    asked = {"preset": "zeshel", "encoder": str(tmp_path)}
    plain, auto = graph(**asked).start, graph(**asked, pooling="auto").start
    assert plain.settings == {"encoder": str(tmp_path)}
    assert auto.settings == {"encoder": str(tmp_path), "pooling": "auto"}
    assert plain.inputs["source"] == [str(tmp_path / "config.json")]
    assert auto.inputs["source"] == [str(tmp_path / f) for f in ("config.json", "modules.json")]
    scratch = graph(preset="directory", dataset="miniwikia", encoder="scratch")
    assert scratch.start.settings["pooling"] == "auto"
    assert scratch.model("muver").settings["pooling"] == "auto"


def test_negatives_come_from_a_row_s_run_over_the_training_mentions():
    """On worlds as over a knowledge base, where training reads a part of it."""
    mined = {"models": {"muver": {"negatives": {"from": "muver_bm25", "count": 2}}}}
    fused = {"muver_bm25": {"of": ["som", "bm25"]}}
    made = graph(**mined, systems=fused)
    negatives = made.model("muver").inputs["negatives"].artifact
    assert negatives.inputs["run"].artifact.name == "train/muver_bm25"
    assert negatives.input_files["entities"] == made.corpus["/entities.parquet"].path
    assert asked("table1", ["muver_plain"], "runs", **mined, systems=fused) == [
        "train/som", "train/bm25", "val/som", "val/bm25",
        "train/muver_bm25", "test/muver_plain",
    ]  # fmt: skip
    made = graph(preset="miniwikipedia")
    subset = made.model("muver_wiki").inputs["negatives"].artifact
    negatives = subset.inputs["negatives"].artifact
    assert negatives.inputs["run"].artifact.name == "aida-train/blink_wiki"
    assert negatives.inputs["kb"] is made.kb


def test_a_sum_reads_the_vectors_of_its_rows_and_the_runs_of_others():
    """Over validation mentions too, where its weights are chosen; texts are encoded once."""
    sums = {"retriever": "signals", "model": "untrained", "of": ["added", "som", "muver", "names"]}
    made = graph(systems={"sum": {"method": "x", **sums}})
    run = made.run("sum", "test")
    for start, split in (("", "test"), ("validation_", "val")):
        folders = [one.name for one in run.inputs[f"{start}views"]]
        assert folders == [f"{split}/{one}" for one in ("muver", "muver", "muver", "muver-distant")]
        kinds = [one.kind for one in run.inputs[f"{start}views"]]
        assert kinds == ["stores", "globals", "stores", "merged"]
        assert [one.artifact.name for one in run.inputs[f"{start}scores"]] == [f"{split}/som"]
        assert run.inputs[f"{start}texts"].id == made.run("names", split).inputs["texts"].id


def test_a_second_stage_names_the_row_whose_candidates_it_ranks():
    """The other row's run, the settings behind it and what it leaves out are of its key."""
    made = graph()
    run = made.run("muver_reranked", "test")
    assert [one.artifact.name for one in run.inputs["runs"]] == ["test/muver"]
    assert "own_page" not in run.settings
    parts = row_settings(made.settings, "muver_reranked")["parts"]
    assert parts == [row_settings(made.settings, "muver")]
    cross = made.model("cross")
    assert cross.inputs["validation_run"].artifact.name == "val/muver_plain"
    again = graph(models={"muver": {"training": {"epochs": 9}}})
    assert again.run("muver_reranked", "test").key != run.key
    second = {"method": "Another", "retriever": "rerank", "model": "cross"}
    first = {"first": {"like": "muver", "own_page": "leave_out"}}
    elsewhere = graph(systems={**first, "second": {**second, "from": "first"}})
    assert elsewhere.run("second", "test").settings["own_page"] == "leave_out"
    with pytest.raises(InputError, match="rerank names from and model and retriever alone"):
        graph(systems={"second": second})


@pytest.mark.parametrize(
    ("given", "ask", "named"),
    [
        ({"preset": "miniwikipedia"}, lambda made: made.run("bm25", "msnbc"), "systems.bm25"),
        # a name that other settings gave
        ({}, lambda made: made.at("models", graph(seed=7).model("muver").id), "params.yaml asks"),
    ],
)
def test_what_the_settings_do_not_ask_for(given, ask, named):
    with pytest.raises(InputError, match=named):
        ask(graph(**given))


def test_tokens_of_a_mention_and_its_entities():
    made = graph(context={"max_tokens": 30}, training={"epochs": 1})
    tokens = {name: tokens_of(made.model(name)) for name in ("blink_128", "blink_512", "muver")}
    assert tokens == {"blink_128": 30 + 128, "blink_512": 30 + 512, "muver": 30 + 10 * 40}


def test_epochs_and_hard_negatives_count():
    own = {"models": {"muver_wiki": {"training": {"epochs": 2}}}}
    made = graph(preset="miniwikipedia", **own)
    context = made.settings.context.max_tokens
    assert tokens_of(made.model("muver_wiki")) == 2 * (context + (1 + 3) * 10 * 40)
    assert tokens_of(made.model("blink_wiki")) < tokens_of(made.model("muver_wiki"))


def test_a_point_of_the_grid_is_a_training_of_its_model():
    made = graph()
    names = made.settings.grid.models
    points = len(made.trials) // len(names)
    assert [tokens_of(one) for one in made.grid_points] == points * [
        tokens_of(made.model(name)) for name in names
    ]


def test_a_model_that_is_trained_on_other_texts_has_a_subset_of_them():
    """Without BLINK's checkpoint; benchmarks are fetched for the sets that are not there."""
    own = {"views": {"kind": "prefix", "max_tokens": 48, "text": "blink_entities"}, "score": "max"}
    made = graph(preset="miniwikipedia", models={"own": own})
    texts = {one.rule for one in with_origins([made.model("own")])}
    assert texts >= {"blink_entities", "texts", "subset", "train"}
    sets = {"aida-testb": {"file": str(Path(__file__))}}
    base = graph(preset="wikipedia", linking={"sets": sets})
    rules = {"kilt", "kb", "link"}
    for name, expected in (("aida-testb", rules), ("msnbc", {*rules, "blink_benchmarks"})):
        assert {one.rule for one in with_origins([base.mentions(name)])} == expected
