# What a knowledge base has of its own: parts that are known once it is made.

IN_PARTS = ("kb", "encode_part")  # steps whose rules stand here

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
