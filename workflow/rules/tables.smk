# Evaluations to tables and figures, their rows into MLflow, and the page of all of them.

SPECIAL = ("table3", "table4", "table5", "grid", *S["figures"])  # with rules of their own
COMPARED = [name for name in W.measured if name not in SPECIAL]
PAGE = "results/report.html"
POINTS = [point.files[0] for point in W.grid_points]


def rows_of(table):
    """Rows of a table with their names, as its stage takes them."""
    named = []
    for name in S["tables"][table]["rows"]:
        row, own = table_row(S, name), system_of(S, name)
        if table == "table1":
            row["repeats"] = S["repeats"].get(name, [])
        if table == "table3":
            row |= {key: own.get(key) for key in ("merge_layers", "search", "sweep_of")}
        named.append(row)
    return named


def comparison(wildcards):
    """Settings of a table of rows, the row that the others are tested against among them."""
    own = S["tables"][wildcards.table]
    told = {"rows": rows_of(wildcards.table), "contrasts": S["contrasts"]}
    if wildcards.table != "table6":
        against = own.get("against")
        told |= {
            "against": against if against in own["rows"] else None,
            "caption": own.get("caption"),
            "sets": W.sets,
        }
    return as_json(told)


def errors_by_length(wildcards):
    """Settings of a figure of two rows."""
    own = S["figures"][wildcards.figure]
    rows = [{"method": S["systems"][name]["method"], "system": name} for name in own["rows"]]
    return as_json({**own, "rows": rows})


def training_logs(table):
    """The training log of each row that has a model, with the row's system."""
    systems = {system: S["systems"][system].get("model") for system in W.rows(table)}
    return [(system, W.model(model).files[-1]) for system, model in systems.items() if model]


def scores(table):
    """What a table is made of: scores and gold ranks; runs and training logs are recorded."""
    made = W.evaluations(table)
    return {
        "evaluations": [one.files[0] for one in made],
        "ranks": [one.files[1] for one in made],
        "runs": [one.input_files["run"] for one in made],
        "logs": [log for _, log in training_logs(table)],
    }


def shown(file, caption):
    """A file that Snakemake's own report shows, with its caption in workflow/report."""
    labels = {"result": Path(file).stem, "form": "figure" if file.endswith(".svg") else "table"}
    category = f"{labels['form'].capitalize()}s"
    return report(file, caption=f"../report/{caption}.rst", category=category, labels=labels)


# Recording is part of the rules that make a table and not a rule of its own: the store and its list
# of runs belong to this machine, so that a clone that only pulled the tables has nothing to do.
rule comparison:
    input:
        unpack(lambda wildcards: scores(wildcards.table)),
        counts=[] if LINKED else W.corpus.files[2],
        code=code("tables"),
    output:
        shown("results/{table}.html", "comparison"),
        csv="results/{table}.csv",
        rest=multiext("results/{table}", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/{{table}}.log",
    benchmark:
        f"{LOGS}/tables/{{table}}.benchmark.tsv"
    wildcard_constraints:
        table=one_of(COMPARED),
    params:
        settings=comparison,
        counts=options("counts"),
        record=lambda wildcards: recording(wildcards.table),
    shell:
        "muver table --log {log} --name {wildcards.table} --settings {params.settings:q}"
        " --evaluations {input.evaluations} {params.counts} --out {output.csv} {params.record}"


rule no_table2:
    input:
        lambda wildcards: no_knowledge_base(),
    output:
        "results/{table}.csv",
    log:
        f"{LOGS}/tables/{{table}}_missing.log",
    wildcard_constraints:
        table=one_of([] if LINKED else ["table2"]),
    shell:
        "exit 1"


def no_knowledge_base():
    """Say which presets make Table 2."""
    raise WorkflowError(
        f"results/table2.csv: not made of the dataset {S['dataset']}. Ask for it with"
        " --config preset=miniwikipedia (anywhere, in minutes) or --config preset=wikipedia."
    )


if not LINKED:

    rule table3:
        input:
            **scores("table3"),
            counts=W.corpus.files[2],
            code=[*code("tables"), *code("figures")],
        output:
            shown("results/table3.html", "table3"),
            shown("results/figures/table3.svg", "table3_figure"),
            csv="results/table3.csv",
            rest=[
                *multiext("results/table3", ".md", ".json", ".tex"),
                "results/figures/table3.png",
            ],
        log:
            f"{LOGS}/tables/table3.log",
        benchmark:
            f"{LOGS}/tables/table3.benchmark.tsv"
        params:
            settings=as_json({"rows": rows_of("table3"), "cutoff": S["sweep"]["cutoff"]}),
            record=lambda wildcards: recording("table3"),
        shell:
            "muver table --log {log} --name table3 --settings {params.settings:q}"
            " --evaluations {input.evaluations} --counts {input.counts} --out {output.csv}"
            f" && muver figure --log {LOGS}/tables/table3_figure.log --name table3"
            " --table results/table3.json --figures results/figures {params.record}"

    # What the data and the encoder are, without any row.
    for table, given, option in (
        ("table4", {"counts": W.corpus.files[2]}, options("counts")),
        ("table5", {"encoder": W.start.files}, folders("encoder")),
    ):

        rule:
            name:
                table
            input:
                **given,
                code=code("tables"),
            output:
                shown(f"results/{table}.html", table),
                csv=f"results/{table}.csv",
                rest=multiext(f"results/{table}", ".md", ".json", ".tex"),
            log:
                f"{LOGS}/tables/{table}.log",
            benchmark:
                f"{LOGS}/tables/{table}.benchmark.tsv"
            params:
                name=table,
                of=option,
            shell:
                "muver table --log {log} --name {params.name} {params.of} --out {output.csv}"

    rule figure:
        input:
            unpack(lambda wildcards: scores(wildcards.figure)),
            code=code("figures"),
        output:
            shown("results/figures/{figure}.svg", "figure2"),
            csv="results/{figure}.csv",
            rest=["results/{figure}.json", "results/figures/{figure}.png"],
        log:
            f"{LOGS}/tables/{{figure}}.log",
        benchmark:
            f"{LOGS}/tables/{{figure}}.benchmark.tsv"
        wildcard_constraints:
            figure=one_of(S["figures"]),
        params:
            settings=errors_by_length,
        shell:
            "muver figure --log {log} --name {wildcards.figure} --settings {params.settings:q}"
            " --evaluations {input.evaluations} --out {output.csv} --figures results/figures"

    rule grid:
        input:
            logs=POINTS,
            counts=W.corpus.files[2],
            start=W.start["/manifest.json"].path,
            code=code("grid"),
        output:
            shown("results/grid.html", "grid"),
            csv="results/grid.csv",
            rest=multiext("results/grid", ".md", ".json", ".tex"),
        log:
            f"{LOGS}/tables/grid.log",
        benchmark:
            f"{LOGS}/tables/grid.benchmark.tsv"
        params:
            settings=as_json({"grid": S["grid"], "base": model_settings(S, S["grid"]["model"])}),
            name=S["workspace"],
            record=lambda wildcards: recording("grid"),
        shell:
            "muver grid --log {log} --settings {params.settings:q} --dataset {params.name}"
            " --counts {input.counts} --encoder {input.start} --logs {input.logs}"
            " --out {output.csv} {params.record}"


# Results as `dvc metrics` and `dvc plots` read and compare them: a file of numbers a row, a file of
# points a plot (dvc.yaml says how these are drawn).
MEASURED = [name for name in S["results"] if name in (*COMPARED, "table3", "grid") and not LINKED]
DRAWN = [name for name in MEASURED if name not in ("table6", "grid")]
DRAWN += [name for name in S["results"] if name in S["figures"]]
METRICS = [
    f"results/metrics/{name}/{row}.json"
    for name in MEASURED
    for row in (W.points if name == "grid" else S["tables"][name]["rows"])
]
PLOTS = [f"results/plots/{name}.csv" for name in DRAWN]


if METRICS or PLOTS:

    rule metrics:
        input:
            tables=[f"results/{name}.json" for name in MEASURED],
            curves=[f"results/{name}.json" for name in DRAWN],
            code=code("metrics"),
        output:
            METRICS,
            PLOTS,
        log:
            f"{LOGS}/tables/metrics.log",
        benchmark:
            f"{LOGS}/tables/metrics.benchmark.tsv"
        shell:
            "muver metrics --log {log} --tables {input.tables} --curves {input.curves}"
            " --metrics results/metrics --plots results/plots"


# The logs beside it are read as they are: another time of a job is no reason to make the page again.
rule report:
    input:
        tables=[f"results/{name}.csv" for name in S["results"]],
        made=[
            file
            for one in W.asked(S["results"])
            if one.kind in ("evaluations", "runs", "corpus", "segment", "mentions", "kb")
            for file in one.files
        ],
        code=code("report"),
    output:
        PAGE,
    log:
        f"{LOGS}/tables/report.log",
    benchmark:
        f"{LOGS}/tables/report.benchmark.tsv"
    params:
        settings=as_json({"results": S["results"]}),
    shell:
        "muver report --log {log} --settings {params.settings:q} --results results"
        f" --workspace {ROOT}/current --logs {LOGS} --out {{output}}"
