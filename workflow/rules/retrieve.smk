# Rankings and their scores: a run a system and split, an evaluation a system.

RUN, MANIFEST = W.run_files("{system}", "{split}")


rule bm25:
    input:
        entities=W.entities,
        mentions=W.mentions,
        code=code("bm25"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/retrieve/{{split}}/{{system}}.log",
    benchmark:
        f"{LOGS}/retrieve/{{split}}/{{system}}.benchmark.tsv"
    wildcard_constraints:
        system=one_of(LEXICAL),
    params:
        settings=retrieval,
    shell:
        "muver retrieve --kind bm25 --log {log} --settings {params.settings:q} --entities {input.entities}"
        " --mentions {input.mentions} --run {output.run} --manifest {output.manifest}"


rule retrieve:
    input:
        store=store,
        merged=merged_layers,
        globals=global_views,
        spans=spans,
        entities=W.entities,
        mentions=W.mentions,
        code=code("retrieve"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/retrieve/{{split}}/{{system}}.log",
    benchmark:
        f"{LOGS}/retrieve/{{split}}/{{system}}.benchmark.tsv"
    wildcard_constraints:
        system=one_of(STORED),
    threads: COMPUTE["threads"]
    params:
        settings=retrieval,
        store=folder_of("store"),
        merged=folder_of("merged", option="--merged"),
        globals=folder_of("globals", option="--global-views"),
        spans=folder_of("spans", option="--spans"),
    shell:
        "muver retrieve --kind views --log {log} --label {wildcards.system} --settings {params.settings:q}"
        " --store {params.store} {params.merged} {params.globals} {params.spans}"
        " --entities {input.entities} --mentions {input.mentions} --run {output.run}"
        " --manifest {output.manifest}"


# Made when asked for: snakemake --cores all build/<dataset>/indexes/<system>.json
rule index:
    input:
        store=store,
        merged=merged_layers,
        globals=global_views,
        spans=spans,
        model=model,
        entities=W.entities,
    output:
        f"{ROOT}/indexes/{{system}}.json",
    log:
        f"{LOGS}/index/{{system}}.log",
    benchmark:
        f"{LOGS}/index/{{system}}.benchmark.tsv"
    wildcard_constraints:
        system=one_of(STORED),
    params:
        settings=retrieval,
        model=folder_of("model"),
        store=folder_of("store"),
        merged=folder_of("merged", option="--merged"),
        globals=folder_of("globals", option="--global-views"),
        spans=folder_of("spans", option="--spans"),
    shell:
        "muver index --log {log} --settings {params.settings:q} --model {params.model}"
        " --store {params.store} {params.merged} {params.globals} {params.spans}"
        " --entities {input.entities} --out {output}"


rule retrieve_tokens:
    input:
        model=model,
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("retrieve_tokens"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/retrieve/{{split}}/{{system}}.log",
    benchmark:
        f"{LOGS}/retrieve/{{split}}/{{system}}.benchmark.tsv"
    wildcard_constraints:
        system=one_of(TOKENS),
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=retrieval,
        compute=as_json(ENCODING),
        model=folder_of("model"),
    shell:
        "muver retrieve --kind tokens --log {log} --label {wildcards.system} --settings {params.settings:q}"
        " --compute {params.compute:q} --model {params.model} --entities {input.entities}"
        " --mentions {input.mentions} --sentences {input.sentences}"
        " --run {output.run} --manifest {output.manifest}"


rule fuse:
    input:
        runs=parts,
        validation=validation_parts,
        entities=W.entities,
        mentions=W.mentions,
        code=code("fuse"),
    output:
        run=RUN,
        manifest=MANIFEST,
    log:
        f"{LOGS}/retrieve/{{split}}/{{system}}.log",
    benchmark:
        f"{LOGS}/retrieve/{{split}}/{{system}}.benchmark.tsv"
    wildcard_constraints:
        system=one_of(FUSED),
    params:
        settings=retrieval,
        validation=lambda wildcards, input: (
            f"--validation-runs {input.validation}" if input.validation else ""
        ),
    shell:
        "muver retrieve --kind fusion --log {log} --label {wildcards.system} --settings {params.settings:q}"
        " --runs {input.runs} {params.validation} --entities {input.entities}"
        " --mentions {input.mentions} --run {output.run} --manifest {output.manifest}"


rule evaluate:
    input:
        run=W.run_files("{system}", SPLIT)[0],
        manifest=W.run_files("{system}", SPLIT)[1],
        identity=identity,
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        counts=W.counts,
        code=code("evaluate"),
    output:
        scores=W.evaluation_files("{system}")[0],
        ranks=W.evaluation_files("{system}")[1],
        trec=W.trec_files("{system}")[0],
        qrels=W.trec_files("{system}")[1],
    log:
        f"{LOGS}/evaluate/{{system}}.log",
    benchmark:
        f"{LOGS}/evaluate/{{system}}.benchmark.tsv"
    params:
        settings=lambda wildcards: as_json(
            {**S["evaluate"], "row": row_settings(S, wildcards.system)}
        ),
        name=S["workspace"],
        trec=subpath(output.trec, parent=True),
    shell:
        "muver evaluate --log {log} --system {wildcards.system} --dataset {params.name}"
        f" --set {SPLIT}"
        " --settings {params.settings:q} --encoder {input.identity} --run {input.run}"
        " --run-manifest {input.manifest} --entities {input.entities}"
        " --mentions {input.mentions} --sentences {input.sentences} --counts {input.counts}"
        " --trec {params.trec} --out {output.scores}"
