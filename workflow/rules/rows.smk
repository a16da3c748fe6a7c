# Settings and inputs of the tables, and what records their rows in MLflow.

SPECIAL = ("table3", "table4", "table5", "grid", *S["figures"])  # have rules of their own
COMPARED = [name for name in W.measured if name not in SPECIAL]
MADE = [*COMPARED] if ONE_BASE else [*COMPARED, *SPECIAL]  # results/NAME.csv
POINTS = [point.files[0] for point in W.grid_points]
RECORDABLE = {*COMPARED, "table3", "grid"} - {"table6"}  # its rows are Table 1's
RECORDED = [name for name in S["results"] if name in RECORDABLE]
# Kinds whose jobs count towards the recorded time of a row.
TIMED = {
    "stores": "encode",
    "merged": "merge",
    "globals": "encode_global",
    "spans": "encode_spans",
}


def rows_of(table):
    """Rows of a table for its stage."""
    named = []
    for name in S["tables"][table]["rows"]:
        row, own = table_row(S, name), system_of(S, name)
        if table == "table3":
            row |= {key: own.get(key) for key in ("merge_layers", "search", "sweep_of")}
        elif table != "table6":
            row["repeats"] = S["repeats"][table].get(name, [])
        named.append(row)
    return named


def comparison(wildcards):
    """Settings of a table of rows."""
    own = S["tables"][wildcards.table]
    chosen = {"rows": rows_of(wildcards.table), "contrasts": S["contrasts"]}
    if wildcards.table != "table6":
        against = own.get("against")
        chosen |= {
            "against": against if against in own["rows"] else None,
            "caption": own.get("caption"),
            "sets": W.sets,
        }
    return as_json(chosen)


def errors_by_length(wildcards):
    """Settings of a figure of two rows."""
    own = S["figures"][wildcards.figure]
    rows = [{"method": S["systems"][name]["method"], "system": name} for name in own["rows"]]
    return as_json({**own, "rows": rows})


def training_logs(table):
    """System and training log of each row that has a model, and its encoder's if that was trained."""
    found = []
    for system in W.rows(table):
        if model := S["systems"][system].get("model"):
            logs = [W.model(model).files[-1]]
            if W.start.kind == "pretrained":
                logs.append(W.start.files[-1])
            found += [(system, log) for log in logs if log.endswith(".jsonl")]
    return list(dict.fromkeys(found))


def scores(table):
    """Inputs of a table: scores and gold ranks, and for MLflow runs and training logs."""
    made = W.evaluations(table)
    return {
        "evaluations": [one.files[0] for one in made],
        "ranks": [one.files[1] for one in made],
        "runs": [one.input_files["run"] for one in made],
        "logs": sorted({log for _, log in training_logs(table)}),
    }


def shown(file, caption):
    """A file that Snakemake's own report shows, with its caption in workflow/report."""
    labels = {"result": Path(file).stem, "form": "figure" if file.endswith(".svg") else "table"}
    category = f"{labels['form'].capitalize()}s"
    return report(file, caption=f"../report/{caption}.rst", category=category, labels=labels)


def not_made(table):
    """Raise an error that says how to ask for Table 2 of other data, or what there is."""
    if table == "table2" and not ONE_BASE:
        raise WorkflowError(
            f"results/table2.csv: not made of the dataset {S['dataset']}. Ask for it with"
            " --config preset=miniwikipedia (anywhere, in minutes) or --config preset=wikipedia."
        )
    raise WorkflowError(
        f"results/{table}.csv: the dataset {S['dataset']} has no table of this name."
        f"{did_you_mean(table, MADE)} There are: {', '.join(sorted(MADE))}."
    )


def benchmarks(table):
    """The benchmark file of each stage that made a system, by system and stage."""
    found = {}
    for evaluation in W.evaluations(table):
        system, run = evaluation.label, evaluation.inputs["run"].artifact
        own = found.setdefault(system, {})
        own[f"search_{run.set}" if ONE_BASE else "retrieve"] = run
        own |= {TIMED[one.kind]: one for one in run.parents if one.kind in TIMED}
        if model := S["systems"][system].get("model"):
            own["train"] = W.model(model)
    return {
        system: {stage: f"{LOGS}/{one.rule}/{one.id}.benchmark.tsv" for stage, one in own.items()}
        for system, own in found.items()
    }


def dataset_source():
    """The source of the dataset: an address, a file or a folder."""
    if W.raw is None:
        return S["dataset"]
    if not W.raw.pinned:  # generated
        return W.raw.path
    if ONE_BASE:
        return L["source"]["kilt"] or find_source("kilt").address
    return S["download"]["source"] or S["download"]["url"] or find_source("zeshel").address


def record_settings(table):
    """What a table's rows, or the grid's points, are recorded from."""
    chosen = {key: S[key] for key in ("dataset", "encoder")} if S["preset"] == "directory" else {}
    config = [f"{key}={value}" for key, value in (chosen or {"preset": S["preset"]}).items()]
    said = {
        "experiment": table,
        "source": dataset_source(),
        "options": f"--config {' '.join(config)}",
        "out": f"{ROOT}/recorded/{table}.csv",
        **S["tracking"],
    }
    if table == "grid":
        times = {p.name: {"train": f"{LOGS}/grid/{p.id}.benchmark.tsv"} for p in W.grid_points}
        return {**said, "grid": f"{RESULTS}/grid.json", "logs": POINTS, "benchmarks": times}
    made, artifacts = scores(table), {}
    for system, log in training_logs(table):
        artifacts.setdefault(system, []).append(log)
    return {
        **said,
        "table": f"{RESULTS}/{table}.json",
        "evaluations": made["evaluations"],
        "runs": made["runs"],
        "artifacts": artifacts,
        "benchmarks": benchmarks(table),
        "figures": [f"{RESULTS}/figures/table3.svg"] if table == "table3" else [],
    }


def recording(table):
    """The command that records a table; the table stays if recording fails."""
    if table not in RECORDABLE:
        return ""
    settings = shlex.quote(as_json({"tables": [record_settings(table)]}))
    return f"&& muver record --keep-going --log {LOGS}/record/{table}.log --settings {settings}"
