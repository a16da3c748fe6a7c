# From entities and mentions to vectors, the heuristic search over them, and views of other kinds.

if not ONE_BASE:

    # A store of vectors, and what extends it: layers of the heuristic search, views of other kinds.
    for command, kind in {
        "encode": "stores",
        "merge": "merged",
        "encode_global": "globals",
    }.items():

        rule:
            name:
                command
            input:
                inputs(kind),
                code=code(command),
            output:
                W.pattern(kind),
            log:
                f"{LOGS}/{command}/{{id}}.log",
            benchmark:
                f"{LOGS}/{command}/{{id}}.benchmark.tsv"
            priority: AFTERWARDS
            threads: COMPUTE.threads
            resources:
                gpu=GPUS,
            params:
                free=free(kind),
                command=command.replace("_", "-"),
                label=label(kind),
                settings=settings(kind),
                folders=folders("model", "store"),
                texts=options(*READ),
                out=subpath(output[0], parent=True),
            shell:
                "muver stage {params.command} --log {log} --label {params.label}"
                " --settings {params.settings:q} {params.free:q} {params.folders}"
                " {params.texts} --out {params.out}"


# Vectors of a knowledge base, one job per part, so that GPUs or machines can share the parts.

if ONE_BASE:

    rule encode_part:
        input:
            inputs("vectors"),
            code=code("encode_part"),
        output:
            [f"{ROOT}/vectors/{{id}}/{{part}}{end}" for end in PART],
        log:
            f"{LOGS}/encode/{{id}}/{{part}}.log",
        benchmark:
            f"{LOGS}/encode/{{id}}/{{part}}.benchmark.tsv"
        threads: COMPUTE.threads
        resources:
            gpu=GPUS,
        params:
            free=free("vectors"),
            label=label("vectors"),
            settings=settings("vectors"),
            from_=folders("model", "kb"),
            texts=options("texts"),
            number=lambda wildcards: int(wildcards.part.removeprefix("part-")),
            folder=subpath(output[0], parent=True),
        shell:
            "muver stage encode-part --log {log} --label {params.label}"
            " --settings {params.settings:q} {params.free:q} {params.from_}"
            " --part {params.number} {params.texts} --out {params.folder}"

    rule encode_mentions:
        input:
            inputs("mention_vectors"),
            code=code("encode_mentions"),
        output:
            vectors=W.pattern("mention_vectors")[0],
            rows=W.pattern("mention_vectors")[1],
        log:
            f"{LOGS}/encode_mentions/{{id}}.log",
        benchmark:
            f"{LOGS}/encode_mentions/{{id}}.benchmark.tsv"
        threads: COMPUTE.threads
        resources:
            gpu=GPUS,
        params:
            free=free("mention_vectors"),
            label=label("mention_vectors"),
            settings=settings("mention_vectors"),
            model=folder_of("model"),
        shell:
            "muver stage encode-mentions --log {log} --label {params.label}"
            " --settings {params.settings:q} {params.free:q} --model {params.model}"
            " --mentions {input.mentions} --out {output.vectors}"

    # Building and checking are one job, as the check writes its choice and the agreement into the
    # index's manifest, and a table needs both.
    rule ann_index:
        input:
            inputs("index"),
            vectors=vectors("index"),
            code=code("ann_index"),
        output:
            W.pattern("index")[:2],
            report=W.pattern("index")[2],
        log:
            build=f"{LOGS}/index/{{id}}.log",
            check=f"{LOGS}/index/{{id}}_check.log",
        benchmark:
            f"{LOGS}/index/{{id}}.benchmark.tsv"
        threads: COMPUTE.threads
        params:
            free_build=free("index", "build"),
            free_check=free("index", "check"),
            label=label("index"),
            build=lambda wildcards: as_json(at("index", wildcards).settings["build"]),
            check=lambda wildcards: as_json(at("index", wildcards).settings["check"]),
            vectors=folder_of("vectors"),
            folder=subpath(output[0], parent=True),
        shell:
            "muver stage ann-build --log {log.build} --label {params.label}"
            " --settings {params.build:q} {params.free_build:q} --vectors {params.vectors}"
            " --out {params.folder}"
            " && muver stage ann-check --log {log.check}"
            " --settings {params.check:q} {params.free_check:q} --vectors {params.vectors}"
            " --index {params.folder} --mention-vectors {input.mentions[0]} --report {output.report}"
