# Entities and mentions to vectors, and the heuristic search over them.


rule encode:
    input:
        W.model_files("{model}"),
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("encode"),
    output:
        W.store_files("{model}"),
    log:
        f"logs/{ROOT}/encode/{{model}}.log",
    benchmark:
        f"logs/{ROOT}/encode/{{model}}.benchmark.tsv"
    threads: S["compute"]["threads"]
    params:
        settings=with_compute(split=S["retrieve"]["split"]),
        model=f"{ROOT}/models/{{model}}",
        folder=f"{ROOT}/stores/{{model}}",
    shell:
        "muver encode --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --entities {input.entities} --mentions {input.mentions}"
        " --sentences {input.sentences} --out {params.folder}"


rule merge:
    input:
        W.model_files("{model}"),
        W.store_files("{model}"),
        code=code("merge"),
    output:
        W.merged_files("{model}"),
    log:
        f"logs/{ROOT}/merge/{{model}}.log",
    benchmark:
        f"logs/{ROOT}/merge/{{model}}.benchmark.tsv"
    threads: S["compute"]["threads"]
    params:
        settings=with_compute(**S["merge"]),
        model=f"{ROOT}/models/{{model}}",
        store=f"{ROOT}/stores/{{model}}",
        folder=f"{ROOT}/merged/{{model}}",
    shell:
        "muver merge --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --store {params.store} --out {params.folder}"
