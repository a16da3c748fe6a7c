# Runs over the sets, their scores, Table 2.

ROWS = S["tables"]["table2"]


def model_of(wildcards):
    """A system's model."""
    return S["systems"][wildcards.system]["model"]


def index_of(wildcards):
    """Files of the index that a system searches; without one it searches exactly."""
    index = S["systems"][wildcards.system].get("index")
    return W.index_files(model_of(wildcards), index) if index else []


def mining_run(model):
    """The run over the training mentions that a model's hard negatives are mined from."""
    wanted = S["models"][model]["negatives"]["run"]
    system = next(name for name, own in S["systems"].items() if own.get("model") == wanted)
    return W.run_files(system, linked.TRAIN)


def weights_of(model):
    """The manifest that names the weights a model came from, through what it started from."""
    if model in CONVERTED:
        return W.identity_file(model)
    start = S["models"][model].get("start")
    return weights_of(start) if start else f"{ROOT}/start/manifest.json"


rule search:
    input:
        vectors=vectors,
        index=index_of,
        kb=W.kb_files,
        mentions=W.mentions_files("{set}")[0],
        queries=lambda wildcards: W.mention_vectors(model_of(wildcards), wildcards.set),
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
        "muver ann-search --log {log} --label {wildcards.system} --settings {params.settings:q}"
        f" --vectors {{params.vectors}} {{params.index}} {KB} --mentions {{input.mentions}}"
        " --mention-vectors {input.queries[0]} --run {output.run} --manifest {output.manifest}"


rule evaluate:
    input:
        run=W.run_files("{system}", "{set}")[0],
        manifest=W.run_files("{system}", "{set}")[1],
        identity=lambda wildcards: weights_of(model_of(wildcards)),
        mentions=W.mentions_files("{set}")[0],
        report=W.mentions_files("{set}")[1],
        kb=W.kb_files,
        code=code("evaluate_linked"),
    output:
        scores=W.evaluation_files("{system}", "{set}")[0],
        ranks=W.evaluation_files("{system}", "{set}")[1],
        trec=W.trec_files("{system}", "{set}")[0],
        qrels=W.trec_files("{system}", "{set}")[1],
    log:
        f"{LOGS}/evaluate/{{set}}/{{system}}.log",
    params:
        settings=lambda wildcards: as_json(
            {
                **S["evaluate"],
                "row": linked.linked_row_settings(S, wildcards.system),
                "agreement": L["search"]["minimum"],
            }
        ),
        name=S["workspace"],
        trec=subpath(output.trec, parent=True),
    shell:
        "muver evaluate-linked --log {log} --system {wildcards.system} --dataset {params.name}"
        " --set {wildcards.set} --settings {params.settings:q} --encoder {input.identity}"
        " --run {input.run} --run-manifest {input.manifest}"
        f" {KB} --mentions {{input.mentions}} --report {{input.report}} --trec {{params.trec}}"
        " --out {output.scores}"


SCORED = [(system, name) for name in L["test"] for system in ROWS]
RUNS = [W.run_files(*key)[0] for key in SCORED]
SCORES = [W.evaluation_files(*key)[0] for key in SCORED]
PAGE, METRICS, PLOTS = [], [], []  # made of results over worlds alone


rule table2:
    input:
        evaluations=SCORES,
        ranks=[W.evaluation_files(*key)[1] for key in SCORED],
        runs=RUNS,
        logs=[f"{ROOT}/models/{S['systems'][s]['model']}/training_log.jsonl" for s in ROWS],
        code=code("tables"),
    output:
        report("results/table2.html", caption="../../report/table.rst", category="Tables"),
        csv="results/table2.csv",
        rest=["results/table2.md", "results/table2.json", "results/table2.tex"],
    log:
        f"{LOGS}/tables/table2.log",
    params:
        settings=as_json(
            {
                "rows": [{"method": S["systems"][s]["method"], "system": s} for s in ROWS],
                "against": S["compare"]["table2"] if S["compare"]["table2"] in ROWS else None,
                "sets": L["test"],
            }
        ),
    shell:
        "muver table --log {log} --name table2 --settings {params.settings:q}"
        " --evaluations {input.evaluations} --out {output.csv}"
