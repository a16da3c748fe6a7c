# Runs over the sets, their scores, Table 2.


rule search:
    input:
        vectors=vectors,
        index=index_of,
        kb=W.kb_files,
        mentions=W.mentions_files("{set}")[0],
        queries=lambda wildcards: W.mention_vectors(model_of(wildcards), wildcards.set)[0],
        made=lambda wildcards: W.mention_vectors(model_of(wildcards), wildcards.set)[1],
        code=code("ann_search"),
    output:
        run=W.run_files("{system}", "{set}")[0],
        manifest=W.run_files("{system}", "{set}")[1],
    log:
        f"{LOGS}/search/{{set}}/{{system}}.log",
    benchmark:
        f"{LOGS}/search/{{set}}/{{system}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    params:
        settings=lambda wildcards: as_json(linked.search_settings(S, wildcards.set)),
        vectors=folder_of("vectors"),
        index=folder_of("index", option="--index"),
    shell:
        "muver retrieve --kind shards --log {log} --label {wildcards.system} --settings {params.settings:q}"
        f" --vectors {{params.vectors}} {{params.index}} {KB} --mentions {{input.mentions}}"
        " --mention-vectors {input.queries} --run {output.run} --manifest {output.manifest}"


rule evaluate:
    input:
        run=W.run_files("{system}", "{set}")[0],
        manifest=W.run_files("{system}", "{set}")[1],
        identity=lambda wildcards: weights_of(model_of(wildcards)),
        mentions=W.mentions_files("{set}")[0],
        report=W.mentions_files("{set}")[1],
        kb=W.kb_files,
        code=code("evaluate"),
    output:
        scores=W.evaluation_files("{system}", "{set}")[0],
        ranks=W.evaluation_files("{system}", "{set}")[1],
        trec=W.trec_files("{system}", "{set}")[0],
        qrels=W.trec_files("{system}", "{set}")[1],
    log:
        f"{LOGS}/evaluate/{{set}}/{{system}}.log",
    benchmark:
        f"{LOGS}/evaluate/{{set}}/{{system}}.benchmark.tsv"
    params:
        settings=lambda wildcards: as_json(
            {
                **S["evaluate"],
                "row": row_settings(S, wildcards.system),
                "agreement": L["search"]["minimum"],
            }
        ),
        name=S["dataset"],
        trec=subpath(output.trec, parent=True),
    shell:
        "muver evaluate --log {log} --system {wildcards.system} --dataset {params.name}"
        " --set {wildcards.set} --settings {params.settings:q} --encoder {input.identity}"
        " --run {input.run} --run-manifest {input.manifest}"
        f" {KB} --mentions {{input.mentions}} --report {{input.report}} --trec {{params.trec}}"
        " --out {output.scores}"


rule table2:
    input:
        evaluations=SCORES,
        ranks=[W.evaluation_files(*key)[1] for key in SCORED],
        runs=RUNS,
        logs=list(TRAINING_LOGS.values()),
        code=code("tables"),
    output:
        report(
            "results/table2.html",
            caption="../../report/table2.rst",
            category="Tables",
            labels={"result": "table2", "form": "table"},
        ),
        csv="results/table2.csv",
        rest=multiext("results/table2", ".md", ".json", ".tex"),
    log:
        f"{LOGS}/tables/table2.log",
    benchmark:
        f"{LOGS}/tables/table2.benchmark.tsv"
    params:
        settings=as_json(
            {
                "rows": [table_row(S, system) for system in ROWS],
                "against": AGAINST if AGAINST in ROWS else None,
                "contrasts": S["contrasts"],
                "sets": L["test"],
            }
        ),
        record=recording("table2"),
    shell:
        "muver table --log {log} --name table2 --settings {params.settings:q}"
        " --evaluations {input.evaluations} --out {output.csv} && {params.record}"


rule report:
    input:
        tables=["results/table2.csv"],
        evaluations=SCORES,
        ranks=[W.evaluation_files(*key)[1] for key in SCORED],
        runs=RUNS,
        mentions=[W.mentions_files(name)[0] for name in L["test"]],
        kb=W.kb_files,
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
        f" --workspace {ROOT} --logs {LOGS} --out {{output}}"
