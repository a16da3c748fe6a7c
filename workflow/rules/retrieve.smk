# Rankings and their scores: a run and an evaluation for each system and set.

RUN, MANIFEST = W.pattern("runs")
SCORES, RANKS, TREC, QRELS = W.pattern("evaluations")


rule bm25:
    input:
        inputs("runs"),
        code=code("bm25"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/bm25/{{id}}.log",
    benchmark:
        f"{LOGS}/bm25/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("bm25", "runs"),
    params:
        settings=settings("runs"),
    shell:
        "muver bm25 --log {log} --settings {params.settings:q} --entities {input.entities}"
        " --mentions {input.mentions} --run {output.run} --manifest {output.manifest}"


rule retrieve:
    input:
        inputs("runs"),
        code=code("retrieve"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/retrieve/{{id}}.log",
    benchmark:
        f"{LOGS}/retrieve/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("retrieve", "runs"),
    threads: COMPUTE["threads"]
    params:
        label=label("runs"),
        settings=settings("runs"),
        views=folders("store", "merged", "global_views", "spans"),
    shell:
        "muver retrieve --log {log} --label {params.label} --settings {params.settings:q}"
        " {params.views} --entities {input.entities} --mentions {input.mentions}"
        " --run {output.run} --manifest {output.manifest}"


rule retrieve_tokens:
    input:
        inputs("runs"),
        code=code("retrieve_tokens"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/retrieve_tokens/{{id}}.log",
    benchmark:
        f"{LOGS}/retrieve_tokens/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("retrieve_tokens", "runs"),
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        label=label("runs"),
        settings=settings("runs"),
        compute=as_json(W.encoding),
        model=folder_of("model"),
    shell:
        "muver retrieve --log {log} --label {params.label} --settings {params.settings:q}"
        " --compute {params.compute:q} --model {params.model} --entities {input.entities}"
        " --mentions {input.mentions} --sentences {input.sentences}"
        " --run {output.run} --manifest {output.manifest}"


rule fuse:
    input:
        inputs("runs"),
        code=code("fuse"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/fuse/{{id}}.log",
    benchmark:
        f"{LOGS}/fuse/{{id}}.benchmark.tsv"
    wildcard_constraints:
        id=made_by("fuse", "runs"),
    params:
        label=label("runs"),
        settings=settings("runs"),
        runs=options("runs", validation="validation-runs"),
    shell:
        "muver fuse --log {log} --label {params.label} --settings {params.settings:q}"
        " {params.runs} --entities {input.entities} --mentions {input.mentions}"
        " --run {output.run} --manifest {output.manifest}"


if LINKED:

    rule search:
        input:
            inputs("runs"),
            vectors=vectors("runs"),
            code=code("ann_search"),
        output:
            run=RUN,
            manifest=MANIFEST,
        log:
            f"{LOGS}/search/{{id}}.log",
        benchmark:
            f"{LOGS}/search/{{id}}.benchmark.tsv"
        wildcard_constraints:
            id=made_by("search", "runs"),
        threads: COMPUTE["threads"]
        params:
            label=label("runs"),
            settings=settings("runs"),
            over=folders("vectors", "index", "kb"),
        shell:
            "muver ann-search --log {log} --label {params.label} --settings {params.settings:q}"
            " {params.over} --mentions {input.mentions} --mention-vectors {input.queries}"
            " --run {output.run} --manifest {output.manifest}"


rule evaluate:
    input:
        inputs("evaluations"),
        code=code("evaluate"),
    output:
        scores=SCORES,
        ranks=RANKS,
        run=TREC,
        qrels=QRELS,
    log:
        f"{LOGS}/evaluate/{{id}}.log",
    benchmark:
        f"{LOGS}/evaluate/{{id}}.benchmark.tsv"
    params:
        label=label("evaluations"),
        set=lambda wildcards: at("evaluations", wildcards).set,
        name=S["dataset"] if LINKED else S["workspace"],
        settings=settings("evaluations"),
        gold=options("entities", "sentences", "counts", "report", identity="encoder"),
        kb=folders("kb"),
    shell:
        "muver evaluate --log {log} --system {params.label} --dataset {params.name}"
        " --set {params.set}"
        " --settings {params.settings:q} --run {input.run} --run-manifest {input.manifest}"
        " --mentions {input.mentions} {params.gold} {params.kb} --trec --out {output.scores}"


# What muver.Retriever opens. It has no key, and is made when asked for:
# snakemake --cores all build/<dataset>/indexes/<system>.json
if not LINKED:

    rule index:
        input:
            unpack(lambda wildcards: W.index(wildcards.system)),
        output:
            f"{ROOT}/indexes/{{system}}.json",
        log:
            f"{LOGS}/index/{{system}}.log",
        benchmark:
            f"{LOGS}/index/{{system}}.benchmark.tsv"
        wildcard_constraints:
            system=one_of(W.stored),
        params:
            settings=lambda wildcards: told(W.run(wildcards.system, W.sets[0])),
            folders=folders("model", "store", "merged", "global_views", "spans"),
        shell:
            "muver index --log {log} --settings {params.settings:q} {params.folders}"
            " --entities {input.entities} --out {output}"
