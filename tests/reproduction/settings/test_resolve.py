"""Settings: what wins, what is refused and how, what makes a row."""

import copy
import json

import pytest
from msgspec import UNSET

from muver.io.errors import InputError
from muver.reproduction.settings import precision
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import model_settings, row_settings
from tests.reproduction.settings import PARAMS

OTHER_CUTOFF = {"validation_cutoff": 32}
MINE = {"method": "Mine", "model": "blink_128"}
ENTRIES = ("aggregates", "models", "systems", "tables")


@pytest.fixture
def params():
    """params.yaml as it is in the repository, to change."""
    return json.loads(json.dumps(PARAMS))  # YAML shares what an alias names; here nothing is


def change(params, key: str, value) -> None:
    """Set ``a.b.c`` in a nested dictionary."""
    *folders, last = key.split(".")
    for folder in folders:
        params = params.setdefault(folder, {})
    params[last] = value


def override(key: str, value) -> dict:
    nested: dict = {}
    change(nested, key, value)
    return nested


@pytest.mark.parametrize("preset", PARAMS["presets"])
def test_every_preset_resolves(params, preset):
    settings = resolve(params, {"preset": preset})
    assert settings.preset == settings.workspace == preset
    for system in settings.systems:
        assert row_settings(settings, system)


def test_command_line_over_preset_over_sections(params):
    params["training"]["batch_size"] = 1
    params["training"]["clip_norm"] = 7.0
    params["presets"]["miniwikia"]["training"]["batch_size"] = 2
    settings = resolve(params, {})
    assert (settings.training.batch_size, settings.training.clip_norm) == (2, 7.0)
    settings = resolve(params, {"training": {"batch_size": 3}})
    assert (settings.training.batch_size, settings.training.clip_norm) == (3, 7.0)
    assert settings.training.epochs == params["presets"]["miniwikia"]["training"]["epochs"]


def test_lists_are_replaced_whole(params):
    settings = resolve(params, {"tables": {"table1": ["bm25"]}})
    assert settings.tables["table1"].rows == ["bm25"]  # a list is short for the rows
    assert settings.tables["table1"].against == params["tables"]["table1"]["against"]
    assert settings.tables["table6"].rows == params["tables"]["table6"]["rows"]


def test_what_is_given_stays_as_it_is(params):
    before = copy.deepcopy(params)
    resolve(params, {"training": {"batch_size": 3}, "repeat_seeds": [5]})
    assert params == before


def test_numbers_inside_a_section_may_come_as_text(params):
    """As Snakemake passes what stands inside ``--config training={...}``."""
    given = {"batch_size": "3", "learning_rate": "1e-5", "mask_false_negatives": "true"}
    training = resolve(params, {"training": given}).training
    assert (training.batch_size, training.learning_rate) == (3, 1e-5)
    assert training.mask_false_negatives is True


@pytest.mark.parametrize("text", ["2001-99-99", "a: ["])
def test_a_text_that_is_no_value_stays_a_text(params, text):
    """A caption may look like a date."""
    given = {"table1": {"caption": text, "rows": ["bm25"]}}
    assert resolve(params, {"tables": given}).tables["table1"].caption == text


@pytest.mark.parametrize(
    "overrides, preset, dataset, workspace",
    [
        ({}, "miniwikia", "miniwikia", "miniwikia"),
        ({"preset": "zeshel"}, "zeshel", "zeshel", "zeshel"),
        ({"dataset": "zeshel"}, "zeshel", "zeshel", "zeshel"),
        ({"dataset": "data/wikis"}, "directory", "data/wikis", "wikis"),
        ({"dataset": "data/wikis/"}, "directory", "data/wikis/", "wikis"),
        ({"dataset": "data/zeshel"}, "directory", "data/zeshel", "zeshel-directory"),
        ({"dataset": "data/wikis", "preset": "zeshel"}, "zeshel", "data/wikis", "wikis"),
        ({"preset": "directory"}, "directory", "zeshel", "directory"),
        ({"dataset": "data/wikis", "preset": "released"}, "released", "data/wikis", "wikis"),
        ({"dataset": "data/my wikis", "workspace": "w"}, "directory", "data/my wikis", "w"),
    ],
)
def test_preset_and_workspace_go_with_the_dataset(params, overrides, preset, dataset, workspace):
    settings = resolve(params, overrides)
    found = (settings.preset, settings.dataset, settings.workspace)
    assert found == (preset, dataset, workspace)


def test_a_written_workspace_is_of_the_dataset_written(params):
    params["workspace"] = "mine"
    assert resolve(params, {}).workspace == "mine"
    assert resolve(params, {"dataset": "data/wikis"}).workspace == "wikis"


def test_a_folder_whose_name_the_shell_would_split_needs_another(params):
    with pytest.raises(InputError, match="'my wikis', which may only have letters"):
        resolve(params, {"dataset": "data/my wikis"})


def test_a_directory_under_another_written_preset_keeps_it(params):
    params["preset"] = "zeshel"
    assert resolve(params, {"dataset": "data/wikis"}).preset == "zeshel"


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("sed", 1, r"unknown key sed. Did you mean 'seed'\? Allowed: .*preset, dataset"),
        ("training.batchsize", 1, r"unknown key training.batchsize. Did you mean 'batch_size'\?"),
        ("systems.muver.merge_layer", 1, r"systems.muver.merge_layer. Did you mean 'merge_layers'"),
        ("training.batch_size", "many", "training.batch_size is 'many'"),
        ("training.batch_size", 2.5, "training.batch_size is 2.5"),
        ("download.url", 3, "download.url is 3"),
        ("dataset", ["zeshel"], "dataset is .'zeshel'."),
        ("training", "fast", "training is 'fast'"),
        ("training.batch_size", 0, "training.batch_size is 0"),
        ("merge.searches.distant.pairs", "distnat", "distant.pairs is 'distnat'. Did you mean"),
        ("bm25.query", "text", "bm25.query is 'text'"),
        ("models.Muver", PARAMS["models"]["muver"], "the name is 'Muver'"),
        ("preset", "zeshell", r"there is no presets/zeshell.yaml. Did you mean 'zeshel'\?"),
        ("systems.muver.model", "muverr", r"systems.muver.model is 'muverr'. Did you mean 'muver'"),
        ("tables.table1", ["bm52"], r"tables.table1.rows names 'bm52'. Did you mean 'bm25'\?"),
        ("evaluate.cutoffs", [1, 100], "evaluate.cutoffs goes up to 100, but .* keeps only 64"),
        ("systems.muver.merge_layers", 9, "systems.muver.merge_layers is 9, but merge.layers is"),
        ("systems.bm25.model", "muver", "systems.bm25: .* bm25 names retriever alone"),
        ("systems.som.merge_layers", 2, "systems.som: som compares token vectors"),
        ("systems.muver.depth", 2, "unknown key systems.muver.depth"),
        ("systems.bm25.depth", 2, "systems.bm25: .* bm25 names retriever alone"),
        ("systems.muver_reranked.k", 9, "muver_reranked.k: is that of muver. Set it there"),
        ("systems.muver_reranked.model", "muver", "muver_reranked: muver retrieves. Name a model"),
        ("systems.som.model", "cross", "systems.som: cross only reranks. Set retriever to rerank"),
        ("models.cross.start", "muver", "models.cross: a cross-encoder starts from the encoder"),
        ("models.cross.metric", "l2", "models.cross: score cross reads one view .* out metric and"),
        ("models.muver_l2.start", "cross", "models.muver_l2.start: cross is a cross-encoder. Name"),
        ("systems.muver.aggregate", "maxx", r"aggregate is 'maxx'. Did you mean 'max'\?"),
        ("aggregate", "mean", "aggregate is 'mean'.*Allowed: max, softmax_sum"),
        ("aggregates.max.temperature", 1, "the aggregate max takes nothing, and temperature"),
        ("aggregates.log_mean_exp.temperature", 0, "temperature is 0"),
        ("aggregates.log_mean_exp.temperature", [], "temperature is .."),
        ("aggregates.log_mean_exp.temperature", [1, 1], "temperature has 1 twice"),
        ("models.muver.score", "sum_max", "models.muver: score sum_max compares the token"),
        ("scratch.hidden", 33, "scratch: hidden is 33, which heads"),
        ("results", ["table7"], "results names 'table7'. Did you mean 'table"),
        ("repeat_seeds", [10000], "repeat_seeds holds 10000, which is the seed itself"),
        ("models.som.metric", "l2", "models.som: score sum_max compares the token"),
        ("models.partalidou.best_of", ["blnk_128"], "best_of names 'blnk_128'. Did you mean"),
        ("models.new", {"best_of": ["blink_128", "partalidou"]}, "partalidou is not trained here"),
        ("models.partalidou.best_of", ["muver", "muver_l2"], "differ in score or metric"),
        ("systems.plain_l2.global_view", 0.2, "systems.plain_l2.global_view: a sum of vectors has"),
        ("models.partalidou.score", "max", "unknown key models.partalidou.score"),
        ("models.partalidou.after", 1.5, "models.partalidou.after is 1.5"),
        ("models.muver.after", 0.5, "unknown key models.muver.after"),
        ("models.muver_padding.views.training_views", None, "padding_views fills an entity up to"),
        ("systems.muver.search", "distnt", r"systems.muver.search is 'distnt'. Did you mean"),
        ("systems.muver_bm25_rrf.fuse", ["muver", "bm52"], "muver_bm25_rrf.fuse names 'bm52'. Did"),
        ("systems.muver_bm25.of", ["muver", "muver_bm25"], "muver_bm25: is made of itself"),
        ("systems.muver_bm25.of", ["muver", "wrods"], "muver_bm25.of names 'wrods'. Did you mean"),
        ("systems.muver_bm25_rrf.from", "muver", "unknown key systems.muver_bm25_rrf.from"),
        ("tables.table1.against", "blink", "tables.table1.against is 'blink'. Did you mean"),
        ("tables.mine", ["bm25"], "tables.mine needs a caption"),
        ("tables.grid", ["bm25"], "tables.grid: the result of this name has no rows to choose"),
        ("sweep.searches", ["clos"], r"sweep.searches names 'clos'. Did you mean 'close'\?"),
        ("merge.searches.close.wasted", "lost", "close.wasted is 'lost'. Allowed: kept, replaced"),
        ("merge.searches.all_pairs.wasted", "replaced", "all_pairs: .*wasted"),
        ("signals.cutoff", 65, "signals.cutoff goes up to 65, but muver_signals keeps only 64"),
        ("systems.bm25.match", "id", "matches by title, its part bm25 by id"),
        ("models.muver.views.types", True, "muver.views: types"),
        ("sweep.cutoff", 63, "sweep.cutoff is 63, which is not among evaluate.cutoffs"),
        ("figures.figure2.cutoff", 65, "figure2.cutoff goes up to 65, but .* keeps only 64"),
        ("figures.figure2.last", 99, "figure2: last is 99, which bins of 5 sentences do not fill"),
        ("grid.models", ["partalidou"], "grid.models names 'partalidou', which is not trained as"),
        ("grid.models", ["muver", "cross"], "grid.models names 'cross', a cross-encoder"),
        ("grid.warmup", [1.0], "grid.warmup.0 is 1.0"),
        ("models.blink_special.training", OTHER_CUTOFF, "partalidou.best_of: its models differ in"),
        ("models.som.training", OTHER_CUTOFF, "grid.models: its models differ in training.val"),
        ("systems.muver_bm25_rrf.own_page", "leave_out", "own_page: is that of its parts"),
        ("systems.muver_distant_1", MINE, "muver_distant_1 is the name of what a table, a sw"),
        ("tables.report", {"caption": "Mine", "rows": ["bm25"]}, "tables.report: the result of"),
        ("tables.table3.repeat_seeds", [5], "table3.repeat_seeds: Table 1 has the top-level"),
        ("models.muver_l2.like", "muvver", "models.muver_l2.like is .muvver.. Did you mean .muver"),
        ("models.muver.like", "muver_l2", "models.*: is like itself"),
        ("tables.seeds.own_page", "out", "seeds.own_page is .out.. Allowed: keep, leave_out, both"),
        ("tables.seeds.labelled", [2], "tables.seeds.labelled.0 is 2"),
        ("figures.grid", PARAMS["figures"]["figure2"], "figures.grid: is a result without a fig"),
        ("preset", ["zeshel"], "preset: there is no presets/.*zeshel"),
        # Before experiments join the section.
        ("models", 4, "models is 4: expected"),
        ("tables", 4, "tables is 4: expected"),
        ("contrasts", 4, "contrasts is 4: expected"),
    ],
)
def test_mistakes_are_named(params, key, value, message):
    """The same mistake in params.yaml and on the command line."""
    with pytest.raises(InputError, match=message):
        resolve(params, override(key, value))
    # The preset must not hide what is written, nor name what only it has.
    for section in (key.split(".")[0], "results", "tables", "systems"):
        params["presets"]["miniwikia"].pop(section, None)
    section, name = [*key.split("."), ""][:2]
    if section in ENTRIES and name not in params[section]:  # an experiment's entry
        return
    change(params, key, value)
    with pytest.raises(InputError, match=message):
        resolve(params, {})


@pytest.mark.parametrize(
    "key, message",
    [
        ("training.epochs", "training.epochs is missing"),
        ("models.muver.views.title_room", "models.muver.views: title_room is missing"),
    ],
)
def test_a_missing_key(params, key, message):
    *sections, last = key.split(".")
    part = params
    for section in sections:
        part = part[section]
    del part[last]
    with pytest.raises(InputError, match=message):
        resolve(params, {"preset": "zeshel"})


LIKE = {"x": {"like": "som", "viws": 1}}


@pytest.mark.parametrize(
    "layer, key, value, message",
    [
        (
            "presets.zeshel",
            "trainig",
            {"epochs": 1},
            "unknown key trainig. Did you mean 'training'",
        ),
        ("presets.zeshel", "training.epochs", 0, "training.epochs is 0"),
        ("presets.zeshel", "scratch", {"hidden": 33}, "scratch: hidden is 33"),
        ("experiments.mined", "tabel", {}, "unknown key tabel. Did you mean 'table'"),
        ("experiments.mined", "asks", None, "asks is None"),
        (
            "experiments.mined",
            "models.muver",
            {"like": "som"},
            "models.muver is the name of another",
        ),
        ("experiments.mined", "models", LIKE, "unknown key models.x.viws"),
        ("experiments.mined", "table", {"caption": "x", "rows": []}, r"table.rows is \[\]"),
    ],
)
def test_a_message_begins_with_the_file_that_has_the_mistake(params, layer, key, value, message):
    change(params, f"{layer}.{key}", value)
    with pytest.raises(InputError, match=f"^{layer.replace('.', '/')}.yaml: {message}"):
        resolve(params, {"preset": "zeshel"})
    del params["presets"]["zeshel"], params["experiments"]["mined"]
    resolve(params, {})
    params["seed"] = -1
    with pytest.raises(InputError, match="^params.yaml: seed is -1"):
        resolve(params, {"preset": "released"})


def test_deleting_its_file_deletes_the_idea(params):
    del params["experiments"]["mined"]
    settings = resolve(params, {})
    assert "mined" not in settings.tables and "muver_mined" not in settings.systems
    assert "muver_mined" not in settings.models


def test_an_experiment_may_say_what_a_preset_changes_of_it(params):
    own = params["experiments"]["seeds"]
    assert resolve(params, {}).tables["seeds"].repeat_seeds == [10001, 10002]
    elsewhere = resolve(params, {"preset": "zeshel"}).tables["seeds"]
    assert elsewhere.repeat_seeds == own["table"]["repeat_seeds"]
    assert elsewhere.rows == own["table"]["rows"]


def test_a_model_s_own_training_settings_win(params):
    params["models"]["som"]["training"] = {"batch_size": 7}
    settings = resolve(params, {})
    assert model_settings(settings, "som")["training"]["batch_size"] == 7
    assert model_settings(settings, "muver")["training"]["batch_size"] != 7
    assert model_settings(settings, "som")["training"]["epochs"] == settings.training.epochs


@pytest.mark.parametrize("fast, used", [(True, "bf16"), (False, "fp32")])
def test_an_automatic_precision_is_settled_before_a_row_has_its_key(
    params, monkeypatch, fast, used
):
    monkeypatch.setattr(precision, "fast_at_bf16", lambda device: fast)
    asked = {"precision": "auto", "training_precision": "auto"}
    settings = resolve(params, {"compute": asked})
    assert {key: getattr(settings.compute, key) for key in asked} == dict.fromkeys(asked, used)
    row = row_settings(settings, "muver")
    assert (row["precision"], row["model"]["precision"]) == (used, used)
    written_out = resolve(params, {"compute": dict.fromkeys(asked, used)})
    assert row_settings(written_out, "muver") == row


def test_rows_are_in_full_precision_unless_asked_for_otherwise(params, monkeypatch):
    monkeypatch.setattr(precision, "fast_at_bf16", lambda device: False)  # where some say auto
    for preset in params["presets"]:
        compute = resolve(params, {"preset": preset}).compute
        assert compute.precision == compute.training_precision == "fp32"


@pytest.mark.parametrize(
    "given, message",
    [
        ({"merge.top_k": 0.2}, "unknown key merge.top_k.* as --config merge='{top_k: 0.2}'"),
        ({"merge": 0.2}, "merge is 0.2"),
        ({"x": "y"}, "unknown key x. Allowed: [^']*$"),
        ({"seed": "x"}, "seed is 'x'"),
    ],
)
def test_the_command_line_s_form_is_shown(params, given, message):
    """Snakemake lays --config over the file's content before we see it."""
    with pytest.raises(InputError, match=f"^--config: {message}"):
        resolve({**params, **given}, given)


def test_sentences_by_unicode_s_rules_are_split_where_they_are_too_long(params):
    for segment, split in ({}, UNSET), ({"by": "unicode"}, "split"):
        settings = resolve(params, {"segment": segment})
        assert settings.models["muver"].views.long_sentences == split
