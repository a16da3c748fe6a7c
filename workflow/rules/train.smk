# One job a model. A killed job goes on from build/<dataset>/checkpoints/<model>.


rule train:
    input:
        W.start_files,
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("train"),
    output:
        W.model_files("{model}"),
    log:
        f"logs/{ROOT}/train/{{model}}.log",
    benchmark:
        f"logs/{ROOT}/train/{{model}}.benchmark.tsv"
    threads: S["compute"]["threads"]
    params:
        settings=lambda wildcards: as_json(model_settings(S, wildcards.model)),
        compute=as_json(S["compute"]),
        start=f"{ROOT}/start",
        checkpoints=f"{ROOT}/checkpoints/{{model}}",
        folder=f"{ROOT}/models/{{model}}",
    shell:
        "muver train --log {log} --label {wildcards.model} --settings {params.settings:q}"
        " --compute {params.compute:q} --start {params.start} --entities {input.entities}"
        " --mentions {input.mentions} --sentences {input.sentences}"
        " --checkpoints {params.checkpoints} --training-log {params.folder}/training_log.jsonl"
        " --out {params.folder}"
