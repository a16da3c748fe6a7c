# A run and an evaluation for each system and set.

RUN, MANIFEST = W.pattern("runs")
SCORES, RANKS, TREC, QRELS = W.pattern("evaluations")


# One rule for every kind of retriever; muver/retriever/retrieval/kinds names its inputs. The parts of a
# knowledge base are known once it is made.
rule retrieve:
    input:
        inputs("runs"),
        vectors=vectors("runs") if ONE_BASE else [],
        code=lambda wildcards: code(f"retrieve_{retriever_kind(wildcards)}"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/retrieve/{{id}}.log",
    benchmark:
        f"{LOGS}/retrieve/{{id}}.benchmark.tsv"
    priority: AFTERWARDS
    threads: COMPUTE.threads
    resources:
        gpu=lambda wildcards: GPUS * runs_a_model(retriever_kind(wildcards)),
    params:
        free=free("runs"),
        compute=of_the_machine({**W.precision, **W.compute}),
        kind=retriever_kind,
        label=label("runs"),
        settings=settings("runs"),
        files=options("entities", "mentions", "sentences", "runs", "validation_runs"),
        mention_vectors=lambda wildcards, input: (
            f"--mention-vectors {input.mention_vectors[0]}" if input.get("mention_vectors") else ""
        ),
        folders=folders("model", "store", "merged", "global_views", "kb", "vectors", "index"),
    shell:
        "muver stage retrieve --kind {params.kind} --log {log} --label {params.label}"
        " --settings {params.settings:q} {params.free:q} --compute {params.compute:q}"
        " {params.files} {params.mention_vectors} {params.folders} --run {output.run} --manifest {output.manifest}"


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
    priority: AFTERWARDS
    params:
        label=label("evaluations"),
        set=lambda wildcards: at("evaluations", wildcards).set,
        name=S.dataset if ONE_BASE else S.workspace,
        settings=settings("evaluations"),
        gold=options("entities", "sentences", "counts", "report", "choice", identity="encoder"),
        kb=folders("kb"),
    shell:
        "muver stage evaluate --log {log} --system {params.label} --dataset {params.name}"
        " --name {params.set}"
        " --settings {params.settings:q} --run {input.run} --run-manifest {input.manifest}"
        " --mentions {input.mentions} {params.gold} {params.kb} --trec --out {output.scores}"


# The index that muver.Retriever opens. It has no key and is made on request:
# snakemake --cores all build/<dataset>/indexes/<system>.json
if not ONE_BASE:

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
            free=lambda wildcards, threads: as_json(W.run(wildcards.system, W.sets[0]).free),
            settings=lambda wildcards: settings_of(W.run(wildcards.system, W.sets[0])),
            folders=folders("model", "store", "merged", "global_views"),
            chosen=options("chosen"),
        shell:
            "muver stage index-row --log {log} --settings {params.settings:q} {params.free:q}"
            " {params.folders} {params.chosen}"
            " --entities {input.entities} --sentences {input.sentences} --out {output}"
