"""What the schema cannot say of settings: that names exist and that choices fit together."""

from collections.abc import Iterable, Mapping
from typing import Any

from muver.io.errors import InputError
from muver.settings.linked import DATASETS as LINKED
from muver.settings.linked import is_linked
from muver.settings.rows import miner, trained_as
from muver.settings.schema import suggestion

Settings = Mapping[str, Any]
BUILT = ("table4", "table5", "figure2", "grid")  # results without rows that could be chosen
PAPERS = ("table1", "table2", "table3", "table6")  # whose captions are known


def check_references(settings: Settings) -> None:
    """Refuse settings that name what is not there or do not fit together.

    Raises
    ------
    InputError
        Names the key and says what to do.
    """
    for name, model in settings["models"].items():
        _check_model(settings, name, model)
    for name, system in settings["systems"].items():
        _check_system(settings, name, system)
    for name in settings["models"]:
        _check_negatives(settings, name)
    for name in settings["models"]:
        _check_origins(settings, name, ())
    _check_scratch(settings["scratch"])
    _check_searches(settings["merge"]["searches"])
    _check_tables(settings)
    _check_linked(settings)
    _check_figures(settings)
    _check_grid(settings)
    if settings["seed"] in settings["repeat_seeds"]:
        raise InputError(
            f"params.yaml: repeat_seeds holds {settings['seed']}, which is the seed itself. "
            "Leave it out."
        )


def _check_model(settings: Settings, name: str, model: Settings) -> None:
    where = f"models.{name}"
    if "best_of" in model:
        _check_names(f"{where}.best_of", model["best_of"], settings["models"])
        kinds = set()
        for one in model["best_of"]:
            if (
                not {"views", "score"} <= set(settings["models"][one])
                or "checkpoint" in (settings["models"][one])
            ):
                raise InputError(
                    f"params.yaml: {where}.best_of: {one} is not trained here, so it has no "
                    "validation score to be chosen by."
                )
            other = trained_as(settings, one)
            kinds.add((other["score"], other["metric"]))
        if len(kinds) > 1:
            raise InputError(
                f"params.yaml: {where}.best_of: its models differ in score or metric; choose "
                "among models that are scored alike."
            )
        return
    kind, score = model["views"]["kind"], model["score"]
    if score == "sum_max" and kind == "sentences":
        raise InputError(
            f"params.yaml: {where}: score sum_max compares the token vectors of one view an "
            "entity. Set views.kind to tokens, or score to max."
        )
    if score == "sum_max" and (
        model.get("metric", "dot") != "dot" or model.get("pooling", "cls") != "cls"
    ):
        raise InputError(
            f"params.yaml: {where}: score sum_max compares token vectors by dot products; metric "
            "and pooling have no meaning there. Leave them out."
        )
    for key, meant in (("types", "prefix"), ("padding", "tokens")):
        if model["views"].get(key) and kind != meant:
            raise InputError(
                f"params.yaml: {where}.views.{key} has a meaning for views of the kind {meant} "
                f"only, and these are of the kind {kind}. Leave it out."
            )
    for key in ("training", "start", "negatives"):
        if "checkpoint" in model and key in model:
            raise InputError(
                f"params.yaml: {where}: weights from a checkpoint are not trained. Leave {key} out."
            )
    training = {**settings["training"], **model.get("training", {})}
    if training.get("padding_views") and not model["views"].get("training_views"):
        raise InputError(
            f"params.yaml: {where}: padding_views fills an entity up to views.training_views, "
            "which is not set. Set it, or padding_views to false."
        )


def _check_negatives(settings: Settings, name: str) -> None:
    """The system that a model's hard negatives are mined from exists and can be mined from."""
    if "negatives" not in settings["models"][name]:
        return
    where, system = (
        f"models.{name}.negatives.system",
        settings["models"][name]["negatives"]["system"],
    )
    _check_names(where, [system], settings["systems"], of="is")
    change = _to_rank_by_best_view(settings, system)
    if change is not None:
        raise InputError(
            f"params.yaml: {where} is {system!r}, but negatives are mined from a system that ranks "
            f"entities by their best view as it is. Name another one, or change systems.{system}: "
            f"{change}."
        )


def _check_origins(settings: Settings, name: str, above: tuple[str, ...]) -> None:
    """What a model starts from exists, and none is made of itself."""
    if name in above:
        raise InputError(
            f"params.yaml: models.{above[0]}: is made of itself ({' <- '.join((*above, name))}). "
            "Start one of them from another model, or from the encoder."
        )
    own = settings["models"][name]
    origins = list(own.get("best_of", []))
    if "start" in own:
        _check_names(f"models.{name}.start", [own["start"]], settings["models"], of="is")
        origins.append(own["start"])
    if "negatives" in own:
        origins.append(miner(settings, name))
    for other in origins:
        _check_origins(settings, other, (*above, name))


def _check_system(settings: Settings, name: str, system: Settings) -> None:
    where = f"systems.{name}"
    if "fuse" in system:
        _check_names(f"{where}.fuse", system["fuse"], settings["systems"])
        _check_fusion(settings, name)
        return
    model = system.get("model")
    if model is None:
        return
    _check_names(f"{where}.model", [model], settings["models"], of="is")
    sums_tokens = trained_as(settings, model)["score"] == "sum_max"
    more = any(system.get(key) for key in ("merge_layers", "global_view", "spans"))
    if sums_tokens and (system["aggregate"] != "max" or more):
        raise InputError(
            f"params.yaml: {where}: {model} compares token vectors, which are neither "
            "merged nor summed over views. Set aggregate to max and leave out merge_layers."
        )
    if system.get("merge_layers", 0) > settings["merge"]["layers"]:
        raise InputError(
            f"params.yaml: {where}.merge_layers is {system['merge_layers']}, but "
            f"merge.layers is only {settings['merge']['layers']}. Raise merge.layers."
        )
    if "search" in system:
        _check_names(f"{where}.search", [system["search"]], settings["merge"]["searches"], of="is")
    candidates = {**settings["retrieve"], **system}["softmax_candidates"]
    if system["aggregate"] == "softmax_sum" and system.get("k", 0) > candidates:
        raise InputError(
            f"params.yaml: {where}.k is {system['k']}, but the views of only {candidates} "
            "candidates are summed. Raise softmax_candidates."
        )


def _check_fusion(settings: Settings, name: str) -> None:
    where, system = f"systems.{name}", settings["systems"][name]
    own = {**settings["retrieve"], **system}
    for part in system["fuse"]:
        other = {**settings["retrieve"], **settings["systems"][part]}
        if "fuse" in other:
            raise InputError(f"params.yaml: {where}.fuse: {part} is itself a fusion.")
        if other["match"] != own["match"]:
            raise InputError(
                f"params.yaml: {where} matches by {own['match']}, its part {part} by "
                f"{other['match']}. Give both the same match."
            )
    cutoff = settings["fusion"]["cutoff"]
    if system["by"] == "weighted" and cutoff > own["k"]:
        raise InputError(
            f"params.yaml: fusion.cutoff is {cutoff}, but {where} keeps only {own['k']} "
            "candidates. Lower it."
        )


def _check_scratch(scratch: Settings) -> None:
    if scratch["hidden"] % scratch["heads"]:
        raise InputError(
            f"params.yaml: scratch.hidden is {scratch['hidden']}, which scratch.heads "
            f"({scratch['heads']}) does not divide. Choose a multiple."
        )


def _check_searches(searches: Settings) -> None:
    for name, search in searches.items():
        if "wasted" in search and search["among"] != "neighbours":
            raise InputError(
                f"params.yaml: merge.searches.{name}.wasted has a meaning among neighbours only; "
                "among all views no choice is wasted. Leave it out."
            )


def _check_tables(settings: Settings) -> None:
    tables = settings["tables"]
    _check_names("results", settings["results"], [*tables, *BUILT])
    for table, own in tables.items():
        if table in BUILT:
            raise InputError(
                f"params.yaml: tables.{table}: the result of this name has no rows to choose. "
                "Rename the table."
            )
        if table not in PAPERS and "caption" not in own:
            raise InputError(f"params.yaml: tables.{table} needs a caption.")
        _check_names(f"tables.{table}.rows", own["rows"], settings["systems"])
        if "against" in own:
            _check_names(f"tables.{table}.against", [own["against"]], settings["systems"], of="is")
        for row in own["rows"]:
            depth = {**settings["retrieve"], **settings["systems"][row]}["k"]
            if max(settings["evaluate"]["cutoffs"]) > depth:
                raise InputError(
                    f"params.yaml: evaluate.cutoffs goes up to "
                    f"{max(settings['evaluate']['cutoffs'])}, but retrieve.k keeps only {depth} "
                    "candidates. Raise retrieve.k."
                )
    for pair in settings["contrasts"]:
        _check_names("contrasts", pair, settings["systems"])
    _check_names("sweep.searches", settings["sweep"]["searches"], settings["merge"]["searches"])
    cutoff = settings["sweep"]["cutoff"]
    if "table3" in settings["results"] and cutoff not in settings["evaluate"]["cutoffs"]:
        raise InputError(
            f"params.yaml: sweep.cutoff is {cutoff}, which is not among evaluate.cutoffs "
            f"({', '.join(map(str, settings['evaluate']['cutoffs']))}). Add it there."
        )


def _check_linked(settings: Settings) -> None:
    """Table 2 is made of a knowledge base, everything else of worlds."""
    over_kb, results = is_linked(settings), settings["results"]
    other = [name for name in results if (name == "table2") != over_kb]
    if other:
        raise InputError(
            f"params.yaml: results: {other[0]} is not made of the dataset {settings['dataset']}. "
            f"Table 2, and it alone, is made of {' and '.join(LINKED)}."
        )
    _check_sets(settings)
    for name, system in settings["systems"].items():
        if system.get("index") is not None:
            known = settings["linking"]["indexes"]
            _check_names(f"systems.{name}.index", [system["index"]], known, of="is")
    for name, model in settings["models"].items():
        _check_text(settings, name, model.get("views", {}).get("text"))
    for row in settings["tables"]["table2"]["rows"] if over_kb else []:
        change = _to_rank_by_best_view(settings, row)
        if change is not None:
            raise InputError(
                f"params.yaml: systems.{row} stands in table2, whose candidates are ranked by "
                f"their best view as it is. {change}."
            )


def _check_sets(settings: Settings) -> None:
    """The sets for training, validation and test are entries of their own."""
    linking = settings["linking"]
    asked = {"train": [linking["train"]], "validation": [linking["validation"]]}
    for key, names in {**asked, "test": linking["test"]}.items():
        _check_names(f"linking.{key}", names, linking["sets"])
        if settings["dataset"] == "miniwikipedia":
            _check_names(f"linking.{key}", names, linking["generate"]["mentions"])
    _check_names("linking.generate.mentions", linking["generate"]["mentions"], linking["sets"])
    names = [linking["train"], linking["validation"], *linking["test"]]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"params.yaml: linking: {twice!r} is named twice among train, validation and test. "
            "A set serves one of them."
        )


def _check_text(settings: Settings, name: str, text: str | None) -> None:
    """A text from elsewhere is of the entities of a knowledge base, and its file can be had."""
    if text is None:
        return
    where = f"models.{name}.views.text"
    if not is_linked(settings):
        raise InputError(
            f"params.yaml: {where}: {text} has texts for the entities of a knowledge base, and the "
            f"dataset {settings['dataset']} has its own. Leave it out."
        )
    if settings["dataset"] == "miniwikipedia" and settings["linking"]["source"][text] is None:
        raise InputError(
            f"params.yaml: {where}: {text} is downloaded for the dataset wikipedia. Name a file of "
            f"your own under linking.source.{text}, or leave {where} out."
        )


def _to_rank_by_best_view(settings: Settings, name: str) -> str | None:
    """What to change for a system to rank by an entity's best view alone; None if it does."""
    system = settings["systems"][name]
    more = [key for key in ("merge_layers", "global_view", "spans") if system.get(key)]
    if more:
        return f"Leave out {', '.join(more)}"
    if system.get("aggregate") != "max":
        return "Set model and aggregate: max"
    if trained_as(settings, system["model"])["score"] == "sum_max":
        return "Set a model whose score is max"
    return None


def _check_figures(settings: Settings) -> None:
    figure = settings["figures"]["figure2"]
    _check_names("figures.figure2.rows", figure["rows"], settings["systems"])
    if "figure2" in settings["results"] and figure["cutoff"] > settings["retrieve"]["k"]:
        raise InputError(
            f"params.yaml: figures.figure2.cutoff is {figure['cutoff']}, but retrieve.k keeps "
            f"only {settings['retrieve']['k']} candidates. Lower it."
        )
    if figure["last"] % figure["bin"]:
        raise InputError(
            f"params.yaml: figures.figure2.last is {figure['last']}, which bins of "
            f"{figure['bin']} sentences do not fill. Choose a multiple."
        )


def _check_grid(settings: Settings) -> None:
    model = settings["grid"]["model"]
    _check_names("grid.model", [model], settings["models"], of="is")
    if {"best_of", "checkpoint"} & set(settings["models"][model]):
        raise InputError(
            f"params.yaml: grid.model is {model!r}, which is not trained as one model."
        )


def _check_names(
    where: str, names: Iterable[str], known: Mapping[str, Any], of: str = "names"
) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"params.yaml: {where} {of} {name!r}{suggestion(name, known)}")
