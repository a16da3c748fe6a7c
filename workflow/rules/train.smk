# One job a model. A killed job goes on from build/<dataset>/checkpoints/<model>.


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
    threads: COMPUTE["threads"] * COMPUTE["processes"]
    resources:
        gpu=GPUS,
    params:
        settings=lambda wildcards: as_json(model_settings(S, wildcards.model)),
        compute=as_json(COMPUTE),
        start=folder_of("start"),
        checkpoints=f"{ROOT}/checkpoints/{{model}}",
        folder=subpath(output[0], parent=True),
    shell:
        f"{launcher()} train"
        " --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --compute {params.compute:q} --start {params.start} --entities {input.entities}"
        " --mentions {input.mentions} --sentences {input.sentences}"
        " --checkpoints {params.checkpoints} --training-log {params.folder}/training_log.jsonl"
        " --out {params.folder}"
