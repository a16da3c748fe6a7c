# From evaluations to tables and figures, their rows in MLflow, and the page of all results. Each
# dataset has a folder in results/.

PAGE = f"{RESULTS}/report.html"


for result in TABLES.made:

    rule:
        name:
            result
        input:
            **TABLES.read(result),
            code=[file for rule in TABLES.commands(result) for file in code(rule)],
        output:
            [shown(file) for file in TABLES.files(result)],
        log:
            f"{LOGS}/tables/{result}.log",
        benchmark:
            f"{LOGS}/tables/{result}.benchmark.tsv"
        localrule: True
        params:
            name=result,
            stage=TABLES.commands(result)[0],
            job=told(result),
            then=then(result),
            call=call(result),
        shell:
            "muver stage {params.stage} --log {log} --job {params.job}{params.then} {params.call}"


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
    localrule: True
    shell:
        "exit 1"


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
        localrule: True
        params:
            job=told("metrics"),
        shell:
            "muver stage metrics --log {log} --job {params.job}"


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
    localrule: True
    params:
        job=told("report"),
    shell:
        "muver report --log {log} --job {params.job}"


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
    localrule: True
    params:
        forms=lambda wildcards: f"{S.workspace}/{Path(wildcards.file).stem}.*",
    shell:
        f"(cd {here('results')} && ln -sf {{params.forms}} .) 2> {{log}}"
