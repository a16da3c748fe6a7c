# Rankings and their scores: one run and one evaluation a system.

RUN = W.run_files("{system}")
LEXICAL = [system for system in W.systems if W.is_lexical(system)]
TOKENS = [s for s in W.systems if not W.is_lexical(s) and W.is_token_system(s)]
STORED = [s for s in W.systems if s not in LEXICAL and s not in TOKENS]


rule bm25:
    input:
        entities=W.entities,
        mentions=W.mentions,
        code=code("bm25"),
    output:
        run=RUN[0],
        manifest=RUN[1],
    log:
        f"{LOGS}/retrieve/{{system}}.log",
    wildcard_constraints:
        system=one_of(LEXICAL),
    params:
        settings=retrieval,
    shell:
        "muver bm25 --log {log} --settings {params.settings:q} --entities {input.entities}"
        " --mentions {input.mentions} --run {output.run} --manifest {output.manifest}"


rule retrieve:
    input:
        store=store,
        merged=merged_layers,
        entities=W.entities,
        mentions=W.mentions,
        code=code("retrieve"),
    output:
        run=RUN[0],
        manifest=RUN[1],
    log:
        f"{LOGS}/retrieve/{{system}}.log",
    wildcard_constraints:
        system=one_of(STORED),
    threads: COMPUTE["threads"]
    params:
        settings=retrieval,
        store=folder_of("store"),
        merged=folder_of("merged", option="--merged"),
    shell:
        "muver retrieve --log {log} --label {wildcards.system} --settings {params.settings:q}"
        " --store {params.store} {params.merged} --entities {input.entities}"
        " --mentions {input.mentions} --run {output.run} --manifest {output.manifest}"


# Made when asked for: snakemake --cores all build/<dataset>/indexes/<system>.json
rule index:
    input:
        store=store,
        merged=merged_layers,
        model=model,
        entities=W.entities,
    output:
        f"{ROOT}/indexes/{{system}}.json",
    log:
        f"{LOGS}/index/{{system}}.log",
    wildcard_constraints:
        system=one_of(STORED),
    params:
        settings=retrieval,
        model=folder_of("model"),
        store=folder_of("store"),
        merged=folder_of("merged", option="--merged"),
    shell:
        "muver index --log {log} --settings {params.settings:q} --model {params.model}"
        " --store {params.store} {params.merged} --entities {input.entities} --out {output}"


rule retrieve_tokens:
    input:
        model=model,
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("retrieve_tokens"),
    output:
        run=RUN[0],
        manifest=RUN[1],
    log:
        f"{LOGS}/retrieve/{{system}}.log",
    wildcard_constraints:
        system=one_of(TOKENS),
    threads: COMPUTE["threads"]
    resources:
        gpu=GPUS,
    params:
        settings=retrieval,
        compute=as_json(COMPUTE),
        model=folder_of("model"),
    shell:
        "muver retrieve --log {log} --label {wildcards.system} --settings {params.settings:q}"
        " --compute {params.compute:q} --model {params.model} --entities {input.entities}"
        " --mentions {input.mentions} --sentences {input.sentences}"
        " --run {output.run} --manifest {output.manifest}"


rule evaluate:
    input:
        run=RUN[0],
        manifest=RUN[1],
        start=f"{ROOT}/start/manifest.json",
        entities=W.entities,
        mentions=W.mentions,
        counts=W.counts,
        code=code("evaluate"),
    output:
        W.evaluation("{system}"),
    log:
        f"{LOGS}/evaluate/{{system}}.log",
    params:
        settings=lambda wildcards: as_json(
            {**S["evaluate"], "row": row_settings(S, wildcards.system)}
        ),
        name=S["workspace"],
    shell:
        "muver evaluate --log {log} --system {wildcards.system} --dataset {params.name}"
        " --settings {params.settings:q} --encoder {input.start} --run {input.run}"
        " --run-manifest {input.manifest} --entities {input.entities}"
        " --mentions {input.mentions} --counts {input.counts} --out {output}"
