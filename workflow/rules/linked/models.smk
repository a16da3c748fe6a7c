# Models over a knowledge base: the encoder, BLINK, what hard negatives come of, MuVER.


rule encoder:
    input:
        W.encoder_files(),
        # Only a vocabulary from scratch needs texts.
        entities=W.subset_files("golds")[0] if S["encoder"] == "scratch" else [],
        counts=W.subset_files("golds")[3] if S["encoder"] == "scratch" else [],
        code=code("encoder"),
    output:
        W.start_files,
    log:
        f"{LOGS}/encoder.log",
    benchmark:
        f"{LOGS}/encoder.benchmark.tsv"
    params:
        settings=section("scratch", "seed"),
        source=S["encoder"],
        texts=lambda wildcards, input: (
            f"--entities {input.entities} --counts {input.counts}" if input.entities else ""
        ),
        folder=subpath(output[0], parent=True),
    shell:
        "muver encoder --log {log} --source {params.source:q} --settings {params.settings:q}"
        " {params.texts} --out {params.folder}"


rule negatives:
    input:
        run=lambda wildcards: mining_run(wildcards.model)[0],
        manifest=lambda wildcards: mining_run(wildcards.model)[1],
        mentions=W.mentions_files(L["train"])[0],
        kb=W.kb_files,
        code=code("negatives"),
    output:
        negatives=W.negatives_files("{model}")[0],
        manifest=W.negatives_files("{model}")[1],
    log:
        f"{LOGS}/negatives/{{model}}.log",
    benchmark:
        f"{LOGS}/negatives/{{model}}.benchmark.tsv"
    params:
        settings=lambda wildcards: as_json(negatives_settings(S, wildcards.model)),
    shell:
        "muver negatives --log {log} --run {input.run} --run-manifest {input.manifest}"
        f" --mentions {{input.mentions}} {KB} --out {{output.negatives}}"
        " --manifest {output.manifest} --settings {params.settings:q}"


rule subset:
    input:
        train=W.mentions_files(L["train"])[0],
        val=W.mentions_files(L["validation"])[0],
        negatives=lambda wildcards: mined(wildcards.subset),
        texts=lambda wildcards: texts_of(wildcards.subset) if wildcards.subset in TRAINED else [],
        kb=W.kb_files,
        code=code("kb_subset"),
    output:
        W.subset_files("{subset}"),
    log:
        f"{LOGS}/subset/{{subset}}.log",
    benchmark:
        f"{LOGS}/subset/{{subset}}.benchmark.tsv"
    wildcard_constraints:
        subset=one_of(["golds", *S["models"]]),
    params:
        settings=as_json(linked.subset_settings(S)),
        negatives=lambda wildcards, input: (
            f"--negatives {input.negatives}" if input.negatives else ""
        ),
        texts=lambda wildcards, input: f"--texts {input.texts}" if input.texts else "",
        folder=subpath(output[0], parent=True),
    shell:
        f"muver kb-subset --log {{log}} {KB} --train {{input.train}} --val {{input.val}}"
        " {params.negatives} {params.texts} --settings {params.settings:q} --out {params.folder}"


rule train:
    input:
        start=lambda wildcards: origin(wildcards.model),
        entities=lambda wildcards: subset_file(wildcards, "entities.parquet"),
        mentions=lambda wildcards: subset_file(wildcards, "mentions.parquet"),
        sentences=lambda wildcards: subset_file(wildcards, "sentences.parquet"),
        # It tells of the negatives, which only some subsets have.
        subset=lambda wildcards: subset_file(wildcards, "manifest.json"),
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
        negatives=lambda wildcards, input: (
            f"--negatives {Path(input.entities).with_name('negatives.parquet')}"
            if "negatives" in S["models"][wildcards.model]
            else ""
        ),
        folder=subpath(output[0], parent=True),
    shell:
        f"{TRAIN} {{params.negatives}} --training-log {{params.folder}}/training_log.jsonl"
        " --out {params.folder}"
