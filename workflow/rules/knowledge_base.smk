# From a dump and sets of mentions to a knowledge base in parts and linked sets.

if ONE_BASE:
    if STORAGE:
        raise WorkflowError(
            f"--default-storage-provider {STORAGE}: a knowledge base lies in parts that only its own"
            " files name, so no storage would get them. Leave this out, on disks that all jobs see."
        )
    L = S.linking
    ARCHIVE = f"{ROOT}/raw/benchmarks"
    FETCHED = {
        find_source(name).file: name for name in ("kilt", "blink_biencoder", "blink_entities")
    }

    wildcard_constraints:
        part=r"part-\d+",
        file=one_of(FETCHED),

    rule fetch:
        input:
            code=code("download"),
        output:
            f"{ROOT}/raw/{{file}}",
        log:
            f"{LOGS}/fetch/{{file}}.log",
        benchmark:
            f"{LOGS}/fetch/{{file}}.benchmark.tsv"
        params:
            name=lambda wildcards: FETCHED[wildcards.file],
            settings=lambda wildcards: as_json(
                {"source": getattr(L.source, FETCHED[wildcards.file])}
            ),
            folder=subpath(output[0], parent=True),
        shell:
            "muver stage download --log {log} --files {params.name} --settings {params.settings:q}"
            " --out {params.folder}"

    rule benchmarks:
        input:
            code=code("download"),
        output:
            directory(ARCHIVE),
        log:
            f"{LOGS}/fetch/benchmarks.log",
        benchmark:
            f"{LOGS}/fetch/benchmarks.benchmark.tsv"
        params:
            settings=as_json({"source": L.source.blink_benchmarks}),
        shell:
            "muver stage download --log {log} --files blink_benchmarks --settings {params.settings:q}"
            " --out {output}"

    # A checkpoint, as only now the number of parts to encode is known.
    checkpoint kb:
        input:
            inputs("kb"),
            code=code("kb"),
        output:
            W.pattern("kb"),
        log:
            f"{LOGS}/kb/{{id}}.log",
        benchmark:
            f"{LOGS}/kb/{{id}}.benchmark.tsv"
        threads: workflow.cores
        params:
            settings=settings("kb"),
            folder=subpath(output[0], parent=True),
        shell:
            "muver stage kb --log {log} --dump {input.dump} --folder {params.folder}"
            " --workers {threads} --settings {params.settings:q}"

    rule texts:
        input:
            inputs("texts"),
            code=code("texts"),
        output:
            directory(f"{ROOT}/texts/{{id}}"),
        log:
            f"{LOGS}/texts/{{id}}.log",
        benchmark:
            f"{LOGS}/texts/{{id}}.benchmark.tsv"
        params:
            settings=settings("texts"),
            kb=folders("kb"),
        shell:
            "muver stage kb-texts --log {log} {params.kb} --source {input.file} --folder {output}"
            " --settings {params.settings:q}"

    # One job per set, so that the other sets do not need AIDA, whose text needs a licence
    # (linking.test and the rows of table2 select the sets).
    rule link:
        input:
            inputs("mentions"),
            code=code("link"),
        output:
            mentions=W.pattern("mentions")[0],
            report=W.pattern("mentions")[1],
        log:
            f"{LOGS}/link/{{id}}.log",
        benchmark:
            f"{LOGS}/link/{{id}}.benchmark.tsv"
        params:
            set=label("mentions"),
            file=lambda wildcards, input: (
                f"{L.sets[at('mentions', wildcards).label].file} --below {ARCHIVE}"
                if str(input.file) == ARCHIVE  # an artifact gives a list
                else input.file
            ),
            settings=settings("mentions"),
            kb=folders("kb"),
        shell:
            "muver stage link --log {log} --name {params.set} {params.kb} --path {params.file}"
            " --settings {params.settings:q} --mentions {output.mentions} --report {output.report}"

    rule subset:
        input:
            inputs("training"),
            code=code("subset"),
        output:
            W.pattern("training"),
        log:
            f"{LOGS}/subset/{{id}}.log",
        benchmark:
            f"{LOGS}/subset/{{id}}.benchmark.tsv"
        params:
            settings=settings("training"),
            kb=folders("kb"),
            files=options("train", "val", "negatives", "texts"),
            folder=subpath(output[0], parent=True),
        shell:
            "muver stage kb-subset --log {log} {params.kb} {params.files} --settings {params.settings:q}"
            " --folder {params.folder}"
