# Models: trained, one job each, or chosen among trained ones.
# A killed training job goes on from build/<dataset>/checkpoints/<model>.


rule train:
    input:
        start=W.start_files,
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("train"),
    output:
        W.model_files("{model}"),
    log:
        f"{LOGS}/train/{{model}}.log",
    benchmark:
        f"{LOGS}/train/{{model}}.benchmark.tsv"
    wildcard_constraints:
        model=one_of(TRAINED),
    threads: COMPUTE["threads"] * COMPUTE["processes"]
    resources:
        gpu=GPUS,
    params:
        label="{model}",
        settings=lambda wildcards: as_json(model_settings(S, wildcards.model)),
        compute=as_json(COMPUTE),
        start=folder_of("start"),
        checkpoints=f"{ROOT}/checkpoints/{{model}}",
        folder=subpath(output[0], parent=True),
    shell:
        f"{TRAIN} --training-log {{params.folder}}/training_log.jsonl --out {{params.folder}}"


rule choose:
    input:
        models=candidates,
        code=code("choose"),
    output:
        W.model_files("{model}"),
    log:
        f"{LOGS}/choose/{{model}}.log",
    benchmark:
        f"{LOGS}/choose/{{model}}.benchmark.tsv"
    wildcard_constraints:
        model=one_of(CHOSEN),
    params:
        cutoff=lambda wildcards: validation_cutoff(S["models"][wildcards.model]["best_of"][0]),
        among=lambda wildcards: [
            f"{ROOT}/models/{one}" for one in S["models"][wildcards.model]["best_of"]
        ],
        folder=subpath(output[0], parent=True),
    shell:
        "muver choose --log {log} --models {params.among} --cutoff {params.cutoff}"
        " --out {params.folder}"


# A point of the grid leaves its log and no weights.
rule grid_point:
    input:
        start=W.start_files,
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("train"),
    output:
        W.grid_log("{point}"),
    log:
        f"{LOGS}/grid/{{point}}.log",
    benchmark:
        f"{LOGS}/grid/{{point}}.benchmark.tsv"
    threads: COMPUTE["threads"] * COMPUTE["processes"]
    resources:
        gpu=GPUS,
    params:
        label="{point}",
        settings=lambda wildcards: as_json(grid_settings(wildcards.point)),
        compute=as_json(COMPUTE),
        start=folder_of("start"),
        checkpoints=f"{ROOT}/checkpoints/grid/{{point}}",
    shell:
        f"{TRAIN} --training-log {{output}}"
