# Entities and mentions to vectors, the heuristic search over them, and views of other kinds.


rule encode:
    input:
        model=W.model_files("{model}"),
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("encode"),
    output:
        W.store_files("{model}", "{split}"),
    log:
        f"{LOGS}/encode/{{split}}/{{model}}.log",
    benchmark:
        f"{LOGS}/encode/{{split}}/{{model}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=lambda wildcards: with_compute(split=wildcards.split),
        model=folder_of("model"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver encode --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --entities {input.entities} --mentions {input.mentions}"
        " --sentences {input.sentences} --out {params.folder}"


rule merge:
    input:
        model=W.model_files("{model}"),
        store=W.store_files("{model}", "{split}"),
        code=code("merge"),
    output:
        W.merged_files("{model}", "{split}", "{search}"),
    log:
        f"{LOGS}/merge/{{split}}/{{model}}_{{search}}.log",
    benchmark:
        f"{LOGS}/merge/{{split}}/{{model}}_{{search}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=lambda wildcards: with_compute(**merge_settings(S, wildcards.search)),
        model=folder_of("model"),
        store=folder_of("store"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver merge --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --store {params.store} --out {params.folder}"


rule encode_global:
    input:
        model=W.model_files("{model}"),
        store=W.store_files("{model}", "{split}"),
        entities=W.entities,
        code=code("encode_global"),
    output:
        W.global_files("{model}", "{split}"),
    log:
        f"{LOGS}/encode_global/{{split}}/{{model}}.log",
    benchmark:
        f"{LOGS}/encode_global/{{split}}/{{model}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=with_compute(**S["global_view"]),
        model=folder_of("model"),
        store=folder_of("store"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver encode-global --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --store {params.store} --entities {input.entities}"
        " --out {params.folder}"


rule encode_spans:
    input:
        model=W.model_files("{model}"),
        store=W.store_files("{model}", "{split}"),
        code=code("encode_spans"),
    output:
        W.span_files("{model}", "{split}"),
    log:
        f"{LOGS}/encode_spans/{{split}}/{{model}}.log",
    benchmark:
        f"{LOGS}/encode_spans/{{split}}/{{model}}.benchmark.tsv"
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=with_compute(**S["spans"]),
        model=folder_of("model"),
        store=folder_of("store"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver encode-spans --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --model {params.model} --store {params.store} --out {params.folder}"
