# Rankings and their scores: one run and one evaluation a system.

RUN = W.run_files("{system}")
LEXICAL = [system for system in W.systems if W.is_lexical(system)]
TOKENS = [s for s in W.systems if not W.is_lexical(s) and W.is_token_system(s)]
STORED = [s for s in W.systems if s not in LEXICAL and s not in TOKENS]


def retrieval(wildcards):
    """A system's retrieval settings as one JSON string."""
    return as_json(retrieval_settings(S, wildcards.system))


rule bm25:
    input:
        entities=W.entities,
        mentions=W.mentions,
        code=code("bm25"),
    output:
        run=RUN[0],
        manifest=RUN[1],
    log:
        f"logs/{ROOT}/retrieve/{{system}}.log",
    wildcard_constraints:
        system=one_of(LEXICAL),
    params:
        settings=retrieval,
    shell:
        "muver bm25 --log {log} --settings {params.settings:q} --entities {input.entities}"
        " --mentions {input.mentions} --run {output.run} --manifest {output.manifest}"


def merged_layers(wildcards):
    """Merged layers of a system's model, where the system uses them."""
    system = S["systems"][wildcards.system]
    return W.merged_files(system["model"]) if system.get("merge_layers", 0) else []


def store(wildcards):
    """View store of a system's model."""
    return W.store_files(S["systems"][wildcards.system]["model"])


def store_folders(wildcards):
    """The options that name the folders of a system's vectors."""
    model = S["systems"][wildcards.system]["model"]
    merged = f" --merged {ROOT}/merged/{model}" if merged_layers(wildcards) else ""
    return f"--store {ROOT}/stores/{model}{merged}"


rule retrieve:
    input:
        store,
        merged_layers,
        entities=W.entities,
        mentions=W.mentions,
        code=code("retrieve"),
    output:
        run=RUN[0],
        manifest=RUN[1],
    log:
        f"logs/{ROOT}/retrieve/{{system}}.log",
    wildcard_constraints:
        system=one_of(STORED),
    threads: S["compute"]["threads"]
    params:
        settings=retrieval,
        folders=store_folders,
    shell:
        "muver retrieve --log {log} --label {wildcards.system} --settings {params.settings:q}"
        " {params.folders} --entities {input.entities} --mentions {input.mentions}"
        " --run {output.run} --manifest {output.manifest}"


def token_model(wildcards):
    """Files of a system's model."""
    return W.model_files(S["systems"][wildcards.system]["model"])


rule retrieve_tokens:
    input:
        token_model,
        entities=W.entities,
        mentions=W.mentions,
        sentences=W.sentences,
        code=code("retrieve_tokens"),
    output:
        run=RUN[0],
        manifest=RUN[1],
    log:
        f"logs/{ROOT}/retrieve/{{system}}.log",
    wildcard_constraints:
        system=one_of(TOKENS),
    threads: S["compute"]["threads"]
    params:
        settings=retrieval,
        compute=as_json(S["compute"]),
        model=lambda wildcards: f"{ROOT}/models/{S['systems'][wildcards.system]['model']}",
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
        f"logs/{ROOT}/evaluate/{{system}}.log",
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
