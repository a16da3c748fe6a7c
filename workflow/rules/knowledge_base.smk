# What a knowledge base has of its own: parts that are known once it is made, and an index of all.

IN_PARTS = ("kb", "encode_part", "ann_index")  # steps whose rules stand here

if ONE_BASE:

    wildcard_constraints:
        part=r"part-\d+",

    # A checkpoint, as only now the number of parts to encode is known.
    checkpoint kb:
        input:
            inputs("kb"),
            code=code("kb"),
        output:
            pattern("kb", BY_RULE["kb"].files),
        log:
            f"{LOGS}/kb/{{id}}.log",
        benchmark:
            f"{LOGS}/kb/{{id}}.benchmark.tsv"
        threads: workflow.cores
        params:
            job=job("kb"),
        shell:
            "muver stage kb --log {log} --workers {threads} --job {params.job}"

    # One job a part, so that GPUs or machines can share the parts.
    rule encode_part:
        input:
            inputs("vectors"),
            code=code("encode_part"),
        output:
            [f"{ROOT}/vectors/{{id}}/{{part}}{end}" for end in PART],
        log:
            f"{LOGS}/encode_part/{{id}}/{{part}}.log",
        benchmark:
            f"{LOGS}/encode_part/{{id}}/{{part}}.benchmark.tsv"
        threads: COMPUTE.threads
        resources:
            gpu=GPUS,
        params:
            number=lambda wildcards: int(wildcards.part.removeprefix("part-")),
            job=job("vectors"),
        shell:
            "muver stage encode-part --log {log} --part {params.number} --job {params.job}"

    # Building and checking are one job, as the check writes its choice and the agreement into the
    # index's manifest, and a table needs both.
    rule ann_index:
        input:
            inputs("index"),
            vectors=vectors("index"),
            code=code("ann_index"),
        output:
            pattern("index", BY_RULE["ann_index"].files),
        log:
            build=f"{LOGS}/ann_index/{{id}}.log",
            check=f"{LOGS}/ann_index/{{id}}_check.log",
        benchmark:
            f"{LOGS}/ann_index/{{id}}.benchmark.tsv"
        threads: COMPUTE.threads
        params:
            jobs=lambda wildcards: [
                write_settings(W, f"index_{n}", settings)
                for n, settings in enumerate(W.index_jobs(at("index", wildcards)))
            ],
        shell:
            "muver stage ann-build --log {log.build} --job {params.jobs[0]}"
            " && muver stage ann-check --log {log.check} --job {params.jobs[1]}"
