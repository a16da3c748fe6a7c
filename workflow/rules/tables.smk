# Evaluations to tables and figures, and their rows into MLflow.


# Recording is part of the rules that make a table and not a rule of its own: the store and its list
# of runs belong to this machine, so that a clone that only pulled the tables has nothing to do.
rule comparison:
    input:
        evaluations=lambda wildcards: evaluations(wildcards.table),
        ranks=lambda wildcards: ranks(wildcards.table),
        runs=lambda wildcards: runs(wildcards.table),
        logs=lambda wildcards: logs(wildcards.table),
        counts=W.counts,
        code=code("tables"),
    output:
        report(
            "results/{table}.html",
            caption="../report/comparison.rst",
            category="Tables",
            labels={"result": "{table}", "form": "table"},
        ),
        csv="results/{table}.csv",
        rest=multiext("results/{table}", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/{{table}}.log",
    benchmark:
        f"{LOGS}/tables/{{table}}.benchmark.tsv"
    wildcard_constraints:
        table=one_of(COMPARISONS),
    params:
        settings=comparison,
        record=lambda wildcards: recording(wildcards.table),
    shell:
        "muver table --log {log} --name {wildcards.table} --settings {params.settings:q}"
        " --evaluations {input.evaluations} --counts {input.counts} --out {output.csv}"
        " && {params.record}"


rule table3:
    input:
        evaluations=evaluations("table3"),
        ranks=ranks("table3"),
        runs=runs("table3"),
        logs=logs("table3"),
        counts=W.counts,
        code=[*code("tables"), *code("figures")],
    output:
        report(
            "results/table3.html",
            caption="../report/table3.rst",
            category="Tables",
            labels={"result": "table3", "form": "table"},
        ),
        report(
            "results/figures/table3.svg",
            caption="../report/table3_figure.rst",
            category="Figures",
            labels={"result": "table3", "form": "figure"},
        ),
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
        settings=as_json({"rows": rows_of_table("table3"), "cutoff": S["sweep"]["cutoff"]}),
        record=recording("table3"),
    shell:
        "muver table --log {log} --name table3 --settings {params.settings:q}"
        " --evaluations {input.evaluations} --counts {input.counts} --out {output.csv}"
        f" && muver figure --log {LOGS}/tables/table3_figure.log --name table3 --table results/table3.json"
        " --figures results/figures && {params.record}"


rule table4:
    input:
        counts=W.counts,
        code=code("tables"),
    output:
        report(
            "results/table4.html",
            caption="../report/table4.rst",
            category="Tables",
            labels={"result": "table4", "form": "table"},
        ),
        csv="results/table4.csv",
        rest=multiext("results/table4", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/table4.log",
    benchmark:
        f"{LOGS}/tables/table4.benchmark.tsv"
    shell:
        "muver table --log {log} --name table4 --counts {input.counts} --out {output.csv}"


rule table5:
    input:
        start=W.start_files,
        code=code("tables"),
    output:
        report(
            "results/table5.html",
            caption="../report/table5.rst",
            category="Tables",
            labels={"result": "table5", "form": "table"},
        ),
        csv="results/table5.csv",
        rest=multiext("results/table5", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/table5.log",
    benchmark:
        f"{LOGS}/tables/table5.benchmark.tsv"
    params:
        start=folder_of("start"),
    shell:
        "muver table --log {log} --name table5 --encoder {params.start} --out {output.csv}"


rule table6:
    input:
        evaluations=evaluations("table6"),
        ranks=ranks("table6"),
        counts=W.counts,
        code=code("tables"),
    output:
        report(
            "results/table6.html",
            caption="../report/table6.rst",
            category="Tables",
            labels={"result": "table6", "form": "table"},
        ),
        csv="results/table6.csv",
        rest=multiext("results/table6", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/table6.log",
    benchmark:
        f"{LOGS}/tables/table6.benchmark.tsv"
    params:
        settings=as_json({"rows": rows_of_table("table6"), "contrasts": S["contrasts"]}),
    shell:
        "muver table --log {log} --name table6 --settings {params.settings:q}"
        " --evaluations {input.evaluations} --counts {input.counts} --out {output.csv}"


rule figure:
    input:
        evaluations=lambda wildcards: evaluations(wildcards.figure),
        ranks=lambda wildcards: ranks(wildcards.figure),
        code=code("figures"),
    output:
        report(
            "results/figures/{figure}.svg",
            caption="../report/figure2.rst",
            category="Figures",
            labels={"result": "{figure}", "form": "figure"},
        ),
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
        logs=[W.grid_log(point) for point in POINTS],
        counts=W.counts,
        start=f"{ROOT}/start/manifest.json",
        code=code("grid"),
    output:
        report(
            "results/grid.html",
            caption="../report/grid.rst",
            category="Tables",
            labels={"result": "grid", "form": "table"},
        ),
        csv="results/grid.csv",
        rest=multiext("results/grid", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/grid.log",
    benchmark:
        f"{LOGS}/tables/grid.benchmark.tsv"
    params:
        settings=as_json(
            {
                "grid": S["grid"],
                "base": model_settings(S, S["grid"]["model"]),
            }
        ),
        name=S["workspace"],
        record=recording("grid"),
    shell:
        "muver grid --log {log} --settings {params.settings:q} --dataset {params.name}"
        " --counts {input.counts} --encoder {input.start} --logs {input.logs} --out {output.csv} && {params.record}"
