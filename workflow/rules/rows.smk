# What a model, a system or a table needs: the functions by which the rules find their inputs.


def candidates(wildcards):
    """Files of the models among which one is chosen."""
    return [file for one in S["models"][wildcards.model]["best_of"] for file in W.model_files(one)]


def validation_cutoff(model):
    """The k of recall@k by which a model's checkpoint was selected."""
    return model_settings(S, model)["training"]["validation_cutoff"]


def grid_settings(point):
    """Settings of the grid's model at one of its points."""
    base = model_settings(S, S["grid"]["model"])
    return overlay(base, {"training": POINTS[point]})


def retrieval(wildcards):
    """A system's retrieval settings as one JSON string."""
    return as_json(retrieval_settings(S, wildcards.system, wildcards.get("split", SPLIT)))


def model(wildcards):
    """Files of a system's model."""
    return W.model_files(S["systems"][wildcards.system]["model"])


def store(wildcards):
    """View store of a system's model."""
    split = wildcards.get("split", SPLIT)
    return W.store_files(S["systems"][wildcards.system]["model"], split)


def merged_layers(wildcards):
    """Merged layers of a system's model, where the system uses them."""
    own, split = system_of(S, wildcards.system), wildcards.get("split", SPLIT)
    return W.merged_files(own["model"], split, own["search"]) if own["merge_layers"] else []


def global_views(wildcards):
    """Global views of a system's model, where the system uses them."""
    own, split = system_of(S, wildcards.system), wildcards.get("split", SPLIT)
    return W.global_files(own["model"], split) if own["global_view"] else []


def spans(wildcards):
    """Exhaustive spans of a system's model, where the system uses them."""
    own, split = system_of(S, wildcards.system), wildcards.get("split", SPLIT)
    return W.span_files(own["model"], split) if own["spans"] else []


def parts(wildcards):
    """Runs that a system fuses."""
    return [
        W.run_files(part, wildcards.split)[0] for part in S["systems"][wildcards.system]["fuse"]
    ]


def validation_parts(wildcards):
    """The same on validation, where the weight is chosen."""
    own = S["systems"][wildcards.system]
    return [W.run_files(part, "val")[0] for part in own["fuse"] if own["by"] == "weighted"]


def identity(wildcards):
    """The manifest that names the weights behind a system."""
    name = S["systems"][wildcards.system].get("model")
    return W.identity_file(name) if name in CONVERTED else f"{ROOT}/start/manifest.json"


def rows_of_table(table):
    """Rows of a table with their names, as its stage takes them."""
    named = []
    for name in S["tables"][table]["rows"]:
        own = system_of(S, name)
        row = table_row(S, name)
        if table == "table1":
            row["repeats"] = S["repeats"].get(name, [])
        if table == "table3":
            row |= {key: own.get(key) for key in ("merge_layers", "search", "sweep_of")}
        named.append(row)
    return named


def comparison(wildcards):
    """Settings of a table of rows, the row that the others are tested against among them."""
    own = S["tables"][wildcards.table]
    against = own.get("against")
    return as_json(
        {
            "rows": rows_of_table(wildcards.table),
            "against": against if against in own["rows"] else None,
            "contrasts": S["contrasts"],
            "caption": own.get("caption"),
        }
    )


def errors_by_length(wildcards):
    """Settings of a figure of two rows."""
    own = S["figures"][wildcards.figure]
    rows = [{"method": S["systems"][name]["method"], "system": name} for name in own["rows"]]
    return as_json({**own, "rows": rows})


def evaluations(table):
    """Scores of a table's systems."""
    return [W.evaluation_files(system)[0] for system in systems(table)]


def ranks(table):
    """Gold ranks of a table's systems."""
    return [W.evaluation_files(system)[1] for system in systems(table)]


def runs(table):
    """Run files of a table's systems."""
    return [W.run_files(system, SPLIT)[0] for system in systems(table)]


def systems(table):
    """Systems of a table, further seeds among them."""
    return needs_of(S, [table]).systems


def artifacts(table):
    """The training log of each row that has a model, as SYSTEM=FILE."""
    models = {s: S["systems"][s].get("model") for s in systems(table)}
    return [f"{s}={ROOT}/models/{m}/training_log.jsonl" for s, m in models.items() if m]


def logs(table):
    """Those files alone."""
    return [artifact.partition("=")[2] for artifact in artifacts(table)]


def stage_benchmarks(name):
    """The benchmark file of each stage that made a system, as SYSTEM:STAGE=FILE."""
    own = system_of(S, name)
    files = {"retrieve": f"retrieve/{SPLIT}/{name}"}
    if trained := own.get("model"):
        files["train"] = f"train/{trained}"
        files["encode"] = f"encode/{SPLIT}/{trained}"
        if own["merge_layers"]:
            files["merge"] = f"merge/{SPLIT}/{trained}_{own['search']}"
        if own["global_view"]:
            files["encode_global"] = f"encode_global/{SPLIT}/{trained}"
        if own["spans"]:
            files["encode_spans"] = f"encode_spans/{SPLIT}/{trained}"
    return [f"{name}:{stage}={LOGS}/{file}.benchmark.tsv" for stage, file in files.items()]


def dataset_source():
    """Where the dataset comes from: an address or a folder."""
    if S["dataset"] != "zeshel":
        return W.raw
    download = S["download"]
    return download["source"] or download["url"] or find_source("zeshel").address


def record_table(table):
    """The arguments that record a table's rows, one MLflow experiment a table."""
    figures = ["--figures", "results/figures/table3.svg"] if table == "table3" else []
    return [
        *("--settings", record_settings(table), "--table", f"results/{table}.json"),
        *("--evaluations", *evaluations(table), "--runs", *runs(table)),
        *("--artifacts", *artifacts(table), *figures),
        *("--benchmarks", *(one for name in systems(table) for one in stage_benchmarks(name))),
        *("--out", f"{ROOT}/recorded/{table}.csv"),
    ]


def record_grid():
    """The arguments that record the grid's points under one parent."""
    timed = [f"{point}:train={LOGS}/grid/{point}.benchmark.tsv" for point in POINTS]
    return [
        *("--settings", record_settings("grid"), "--grid", "results/grid.json"),
        *("--logs", *map(W.grid_log, POINTS), "--benchmarks", *timed),
        *("--out", f"{ROOT}/recorded/grid.csv"),
    ]


def record_arguments(table):
    """What `muver record` is told of a table."""
    return record_grid() if table == "grid" else record_table(table)


def places(keys):
    """Folders below a stage's own, of stores given as (model, split, ...)."""
    return ["/".join([split, model, *more]) for model, split, *more in keys]


def prune(folder, keep="keep"):
    """The command that removes from a folder what the params of this name do not keep."""
    return f"muver prune --log {{log}} --folder {ROOT}/{folder} --keep {{params.{keep}}}"


def no_knowledge_base(wildcards):
    """Say which presets make Table 2."""
    raise WorkflowError(
        f"results/table2.csv: not made of the dataset {S['dataset']}. Ask for it with"
        " --config preset=miniwikipedia (anywhere, in minutes) or --config preset=wikipedia."
    )
