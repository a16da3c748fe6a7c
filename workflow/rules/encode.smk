# Entities and mentions to vectors, and the heuristic search over them.


rule encode:
    input:
        model=W.model_files("{model}"),
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("encode"),
    output:
        W.store_files("{model}"),
    log:
        f"{LOGS}/encode/{{model}}.log",
    benchmark:
        f"{LOGS}/encode/{{model}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=with_compute(split=S["retrieve"]["split"]),
        model=folder_of("model"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver encode --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --entities {input.entities} --mentions {input.mentions}"
        " --sentences {input.sentences} --out {params.folder}"


rule merge:
    input:
        model=W.model_files("{model}"),
        store=W.store_files("{model}"),
        code=code("merge"),
    output:
        W.merged_files("{model}"),
    log:
        f"{LOGS}/merge/{{model}}.log",
    benchmark:
        f"{LOGS}/merge/{{model}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=with_compute(**S["merge"]),
        model=folder_of("model"),
        store=folder_of("store"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver merge --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --store {params.store} --out {params.folder}"
