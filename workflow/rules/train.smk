# The encoder pre-trained; models: trained in one job each, chosen among trained ones, averaged, or converted from published
# weights.
# A killed training job resumes from build/<dataset>/checkpoints/<model>.


rule pretrain:
    input:
        inputs("pretrained"),
        code=code("pretrain"),
    output:
        W.pattern("pretrained"),
    log:
        f"{LOGS}/pretrain/{{id}}.log",
    benchmark:
        f"{LOGS}/pretrain/{{id}}.benchmark.tsv"
    threads: COMPUTE.threads
    resources:
        gpu=GPUS,
    params:
        compute=of_the_machine(COMPUTE.as_dict()),
        settings=settings("pretrained"),
        start=folder_of("start"),
        texts=options("entities", "counts", "sentences"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver stage pretrain --log {log} --settings {params.settings:q} --compute {params.compute:q}"
        " --start {params.start} {params.texts}"
        " --training-log {params.folder}/pretraining_log.jsonl --out {params.folder}"


rule negatives:
    input:
        inputs("negatives"),
        code=code("negatives"),
    output:
        negatives=W.pattern("negatives")[0],
        manifest=W.pattern("negatives")[1],
    log:
        f"{LOGS}/negatives/{{id}}.log",
    benchmark:
        f"{LOGS}/negatives/{{id}}.benchmark.tsv"
    params:
        settings=settings("negatives"),
        kb=folders("kb"),
        files=options("run", "mentions", "entities"),
    shell:
        "muver stage negatives --log {log} {params.files} {params.kb} --settings {params.settings:q}"
        " --out {output.negatives} --manifest {output.manifest}"


rule train:
    input:
        inputs("models"),
        code=code("train"),
    output:
        W.pattern("models"),
    log:
        f"{LOGS}/train/{{id}}.log",
    benchmark:
        f"{LOGS}/train/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("train", "models"),
    priority: longest("models")
    threads: COMPUTE.threads * COMPUTE.processes
    resources:
        gpu=GPUS * COMPUTE.processes,
    params:
        launch=launch,
        stage="train",
        compute=of_the_machine(COMPUTE.as_dict()),
        label=label("models"),
        settings=settings("models"),
        start=folder_of("start"),
        files=options(*READ),
        checkpoints=f"{ROOT}/checkpoints/{{id}}",
        folder=subpath(output[0], parent=True),
    shell:
        f"{TRAIN} --training-log {{params.folder}}/training_log.jsonl" " --out {params.folder}"


use rule train as train_best with:
    input:
        inputs("models"),
        code=code("train_best"),
    log:
        f"{LOGS}/train_best/{{id}}.log",
    benchmark:
        f"{LOGS}/train_best/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("train_best", "models"),
    params:
        stage="train-best",


use rule train as train_cross with:
    input:
        inputs("models"),
        code=code("train_cross"),
    output:
        W.pattern("models", CROSS),
    log:
        f"{LOGS}/train_cross/{{id}}.log",
    benchmark:
        f"{LOGS}/train_cross/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("train_cross", "models"),
    params:
        stage="train-cross",
        files=options(*READ, "validation_run"),


rule choose:
    input:
        inputs("models"),
        code=code("choose"),
    output:
        W.pattern("models"),
    log:
        f"{LOGS}/choose/{{id}}.log",
    benchmark:
        f"{LOGS}/choose/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("choose", "models"),
    params:
        among=lambda wildcards: [
            f"{one.name}={here(one.path)}" for one in at("models", wildcards).parents
        ],
        # All candidates selected their checkpoint by the same k of recall@k.
        cutoff=lambda wildcards: at("models", wildcards)
        .parents[0]
        .settings["training"]["validation_cutoff"],
        folder=subpath(output[0], parent=True),
    shell:
        "muver stage choose --log {log} --models {params.among} --cutoff {params.cutoff}"
        " --out {params.folder}"


rule average:
    input:
        inputs("models"),
        code=code("average"),
    output:
        W.pattern("models"),
    log:
        f"{LOGS}/average/{{id}}.log",
    benchmark:
        f"{LOGS}/average/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("average", "models"),
    params:
        among=lambda wildcards: [here(one.path) for one in at("models", wildcards).inputs["models"]],
        start=folder_of("start"),
        share=lambda wildcards: at("models", wildcards).settings["trained_share"],
        folder=subpath(output[0], parent=True),
    shell:
        "muver stage average --log {log} --models {params.among} --start {params.start}"
        " --trained-share {params.share} --training-log {params.folder}/training_log.jsonl"
        " --out {params.folder}"


rule convert:
    input:
        inputs("models"),
        code=code("convert"),
    output:
        W.pattern("models"),
        f"{ROOT}/models/{{id}}/manifest.json",
    log:
        f"{LOGS}/convert/{{id}}.log",
    benchmark:
        f"{LOGS}/convert/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("convert", "models"),
    params:
        settings=settings("models"),
        start=folder_of("start"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver stage convert --log {log} --checkpoint {input.checkpoint:q} --encoder {params.start}"
        " --settings {params.settings:q} --training-log {params.folder}/training_log.jsonl"
        " --out {params.folder}"


# A point of the grid keeps only its log.
rule grid_point:
    input:
        inputs("grid"),
        code=code("grid_point"),
    output:
        W.pattern("grid"),
    log:
        f"{LOGS}/grid/{{id}}.log",
    benchmark:
        f"{LOGS}/grid/{{id}}.benchmark.tsv"
    priority: longest("grid")
    threads: COMPUTE.threads * COMPUTE.processes
    resources:
        gpu=GPUS * COMPUTE.processes,
    params:
        launch=launch,
        stage="train",
        compute=of_the_machine(COMPUTE.as_dict()),
        label=label("grid"),
        settings=settings("grid"),
        start=folder_of("start"),
        files=options(*READ),
        checkpoints=f"{ROOT}/checkpoints/grid/{{id}}",
    shell:
        f"{TRAIN} --training-log {{output}}"
