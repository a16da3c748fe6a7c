# From evaluations to tables and figures, their rows in MLflow, and the page of all results. Each
# dataset has a folder in results/.

PAGE = f"{RESULTS}/report.html"
POINTS = [point.files[0] for point in W.grid_points]


# The rule that makes a table also records it: the store belongs to this machine, and with a rule of
# its own a clone that only pulled the tables would have jobs left.
rule comparison:
    input:
        unpack(lambda wildcards: TABLES.inputs(wildcards.table)),
        counts=[] if ONE_BASE else W.corpus.files[2],
        code=code("tables"),
    output:
        shown(f"{RESULTS}/{{table}}.html", "comparison"),
        csv=f"{RESULTS}/{{table}}.csv",
        rest=multiext(f"{RESULTS}/{{table}}", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/{{table}}.log",
    benchmark:
        f"{LOGS}/tables/{{table}}.benchmark.tsv"
    wildcard_constraints:
        table=one_of(set(TABLES.compared) - set(TABLES.pictured)),
    params:
        settings=lambda wildcards: settings_of_result(wildcards.table),
        counts=options("counts", "mentions"),
        draw="",
        record=lambda wildcards: recording(wildcards.table),
        call=lambda wildcards, threads: CALL if wildcards.table in TABLES.recordable else "",
    shell:
        "muver stage table --log {log} --name {wildcards.table} --settings {params.settings:q}"
        " --evaluations {input.evaluations} {params.counts} --out {output.csv} {params.draw}"
        " {params.record} {params.call}"


use rule comparison as drawn_comparison with:
    input:
        unpack(lambda wildcards: TABLES.inputs(wildcards.table)),
        counts=[] if ONE_BASE else W.corpus.files[2],
        code=[*code("tables"), *code("figures")],
    output:
        shown(f"{RESULTS}/{{table}}.html", "comparison"),
        shown(f"{RESULTS}/figures/{{table}}.svg", "curves_figure"),
        csv=f"{RESULTS}/{{table}}.csv",
        rest=[
            *multiext(f"{RESULTS}/{{table}}", ".md", ".json", ".tex"),
            f"{RESULTS}/figures/{{table}}.png",
        ],
    wildcard_constraints:
        table=one_of(TABLES.pictured),
    params:
        draw=lambda wildcards: f"&& muver stage figure --log {LOGS}/tables/{wildcards.table}_figure.log"
        f" --name {wildcards.table} --table {here(RESULTS)}/{wildcards.table}.json"
        f" --figures {here(RESULTS)}/figures",


# What none of the other rules makes: the one input is an error that says what there is.
rule not_made:
    input:
        lambda wildcards: raised(TABLES.refuse, wildcards.table),
    output:
        f"{RESULTS}/{{table}}.csv",
    log:
        f"{LOGS}/tables/{{table}}_missing.log",
    benchmark:
        f"{LOGS}/tables/{{table}}_missing.benchmark.tsv"
    wildcard_constraints:
        table=rf"(?!(?:{one_of(TABLES.made)})\.csv$)[^/]+",
    shell:
        "exit 1"


if not ONE_BASE:

    use rule drawn_comparison as table3 with:
        output:
            shown(f"{RESULTS}/{{table}}.html", "table3"),
            shown(f"{RESULTS}/figures/{{table}}.svg", "table3_figure"),
            csv=f"{RESULTS}/{{table}}.csv",
            rest=[
                *multiext(f"{RESULTS}/{{table}}", ".md", ".json", ".tex"),
                f"{RESULTS}/figures/{{table}}.png",
            ],
        wildcard_constraints:
            table="table3",

    # What the data and the encoder are, without any row.
    for table, given, option in (
        ("table4", {"counts": W.corpus.files[2]}, options("counts")),
        ("table5", {"encoder": W.encoder.files}, folders("encoder")),
    ):

        rule:
            name:
                table
            input:
                **given,
                code=code("tables"),
            output:
                shown(f"{RESULTS}/{table}.html", table),
                csv=f"{RESULTS}/{table}.csv",
                rest=multiext(f"{RESULTS}/{table}", ".md", ".json", ".tex"),
            log:
                f"{LOGS}/tables/{table}.log",
            benchmark:
                f"{LOGS}/tables/{table}.benchmark.tsv"
            params:
                name=table,
                of=option,
            shell:
                "muver stage table --log {log} --name {params.name} {params.of} --out {output.csv}"
                " --evaluations --settings {{}}"

    rule figure:
        input:
            unpack(lambda wildcards: TABLES.inputs(wildcards.figure)),
            code=code("figures"),
        output:
            shown(f"{RESULTS}/figures/{{figure}}.svg", "figure2"),
            csv=f"{RESULTS}/{{figure}}.csv",
            rest=[f"{RESULTS}/{{figure}}.json", f"{RESULTS}/figures/{{figure}}.png"],
        log:
            f"{LOGS}/tables/{{figure}}.log",
        benchmark:
            f"{LOGS}/tables/{{figure}}.benchmark.tsv"
        wildcard_constraints:
            figure=one_of(S.figures),
        params:
            settings=lambda wildcards: settings_of_result(wildcards.figure),
        shell:
            "muver stage figure --log {log} --name {wildcards.figure} --settings {params.settings:q}"
            " --evaluations {input.evaluations} --out {output.csv}"
            f" --figures {here(RESULTS)}/figures"

    rule grid:
        input:
            logs=POINTS,
            counts=W.corpus.files[2],
            start=W.weights(S.grid.models[0]).path,
            code=code("grid"),
        output:
            shown(f"{RESULTS}/grid.html", "grid"),
            csv=f"{RESULTS}/grid.csv",
            rest=multiext(f"{RESULTS}/grid", ".md", ".json", ".tex"),
        log:
            f"{LOGS}/tables/grid.log",
        benchmark:
            f"{LOGS}/tables/grid.benchmark.tsv"
        params:
            settings=settings_of_result("grid"),
            record=lambda wildcards: recording("grid"),
            call=lambda wildcards, threads: CALL,
        shell:
            "muver stage grid --log {log} --settings {params.settings:q}"
            " --counts {input.counts} --encoder {input.start} --logs {input.logs}"
            " --out {output.csv} {params.record} {params.call}"


if TABLES.metrics or TABLES.plots:

    # A file of numbers for each row, which are in git, and a file of points for each plot (dvc.yaml
    # says how these are drawn).
    rule metrics:
        input:
            tables=[f"{RESULTS}/{name}.json" for name in TABLES.measured],
            curves=[f"{RESULTS}/{name}.json" for name in TABLES.drawn],
            code=code("metrics"),
        output:
            TABLES.metrics,
            TABLES.plots,
        log:
            f"{LOGS}/tables/metrics.log",
        benchmark:
            f"{LOGS}/tables/metrics.benchmark.tsv"
        shell:
            "muver stage metrics --log {log} --tables {input.tables} --curves {input.curves}"
            f" --metrics {here(TABLES.numbers)} --plots {here(RESULTS)}/plots"


# What the page reads of all that was made: runs with their vectors, and the data.
SHOWN = ("evaluations", "runs", "corpus", "segment", "mentions", "kb")
SHOWN += ("stores", "merged", "globals")


# The logs are not inputs, as another time of a job is no reason to make the page again.
rule report:
    input:
        tables=[f"{RESULTS}/{name}.csv" for name in S.results],
        rest=stored(*(file for name in S.results for file in TABLES.forms(name))),
        made=[file for one in W.asked(S.results) if one.kind in SHOWN for file in one.files],
        code=code("report"),
    output:
        PAGE,
    log:
        f"{LOGS}/tables/report.log",
    benchmark:
        f"{LOGS}/tables/report.benchmark.tsv"
    params:
        settings=as_json({"results": S.results}),
    shell:
        f"muver report --log {{log}} --settings {{params.settings:q}} --results {here(RESULTS)}"
        f" --workspace {ROOT}/current --logs {here(LOGS)} --out {{output}}"


# The plain names in results/ are links to the files of the dataset that was asked for last.
LATEST = [*[f"results/{name}.csv" for name in S.results], "results/report.html"]


rule latest:
    input:
        f"{RESULTS}/{{file}}",
        lambda wildcards: stored(*TABLES.forms(Path(wildcards.file).stem)),
    output:
        "results/{file}",
    log:
        f"{LOGS}/tables/latest_{{file}}.log",
    wildcard_constraints:
        file=r"[^/]+\.csv|report\.html",
    params:
        forms=lambda wildcards: f"{S.workspace}/{Path(wildcards.file).stem}.*",
    shell:
        f"(cd {here('results')} && ln -sf {{params.forms}} .) 2> {{log}}"
