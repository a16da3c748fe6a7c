# Rows of the tables that were made, into MLflow.

RECORDED = [name for name in S["results"] if name in (*COMPARED, "table3", "grid")]
RECORDED = [name for name in RECORDED if name != "table6"]  # its rows are Table 1's
# Kinds whose jobs took the time that a row is recorded with.
TIMED = {
    "stores": "encode",
    "merged": "merge",
    "globals": "encode_global",
    "spans": "encode_spans",
}


def benchmarks(table):
    """The benchmark file of each stage that made a system, as SYSTEM:STAGE=FILE."""
    found = {}
    for evaluation in W.evaluations(table):
        system, run = evaluation.label, evaluation.inputs["run"].artifact
        stage = f"search_{run.set}" if LINKED else "retrieve"
        found[f"{system}:{stage}"] = run
        for one in run.parents:
            if one.kind in TIMED:
                found[f"{system}:{TIMED[one.kind]}"] = one
        if model := S["systems"][system].get("model"):
            found[f"{system}:train"] = W.model(model)
    return [f"{name}={LOGS}/{one.rule}/{one.id}.benchmark.tsv" for name, one in found.items()]


def dataset_source():
    """Where the dataset comes from: an address, a file or a folder."""
    if W.raw is None:
        return S["dataset"]
    if W.raw.rule == "generate":
        return W.raw.path
    if LINKED:
        return L["source"]["kilt"] or find_source("kilt").address
    return S["download"]["source"] or S["download"]["url"] or find_source("zeshel").address


def record_settings(experiment):
    """Settings of a recording as one JSON string."""
    chosen = {key: S[key] for key in ("dataset", "encoder")} if S["preset"] == "directory" else {}
    config = [f"{key}={value}" for key, value in (chosen or {"preset": S["preset"]}).items()]
    return as_json(
        {
            "experiment": experiment,
            "source": dataset_source(),
            "options": f"--config {' '.join(config)}",
            **S["tracking"],
        }
    )


def record_arguments(table):
    """What `muver record` is told of a table."""
    out = ["--settings", record_settings(table), "--out", f"{ROOT}/recorded/{table}.csv"]
    if table == "grid":
        timed = [f"{one.name}:train={LOGS}/grid/{one.id}.benchmark.tsv" for one in W.grid_points]
        return ["--grid", "results/grid.json", "--logs", *POINTS, "--benchmarks", *timed, *out]
    made = scores(table)
    figures = ["--figures", "results/figures/table3.svg"] if table == "table3" else []
    return [
        *("--table", f"results/{table}.json", "--evaluations", *made["evaluations"]),
        *("--runs", *made["runs"], *figures, "--benchmarks", *benchmarks(table)),
        *("--artifacts", *(f"{system}={log}" for system, log in training_logs(table)), *out),
    ]


def recording(table):
    """The command that records a table once it is made; the table stays if that goes wrong."""
    if table not in RECORDED and table not in COMPARED or table == "table6":
        return ""
    log = f"{LOGS}/record/{table}.log"
    return f"&& muver record --keep-going --log {log} {shlex.join(record_arguments(table))}"


# Records the rows again: after the store was lost, or in a clone that pulled its results.
rule record:
    input:
        [f"results/{table}.csv" for table in RECORDED],
    log:
        f"{LOGS}/record.log",
    params:
        jobs=lambda wildcards: json.dumps([record_arguments(table) for table in RECORDED]),
    shell:
        "muver record --log {log} --jobs {params.jobs:q}"


# A table stays where its rows could not be recorded (a server that is down), and the call ends with
# an error once everything else is made.
STARTED = time.time()


onsuccess:
    failed = [
        f"{file.stem}: {file.read_text().strip()}"
        for file in sorted(Path(ROOT, "recorded").glob("*.failed"))
        if file.stat().st_mtime >= STARTED
    ]
    if failed:
        raise WorkflowError(
            "All tables are made, but not all rows are in MLflow. Once it can be reached: "
            "snakemake --cores all record",
            *failed,
        )
