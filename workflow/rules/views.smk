# Descriptions to sentences, and the vocabulary and weights that training starts from.

ENGLISH = W.english_files if S["segment"]["punkt"] == "english" else []


rule punkt_english:
    output:
        W.english_files,
    log:
        f"{LOGS}/punkt_english.log",
    benchmark:
        f"{LOGS}/punkt_english.benchmark.tsv"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "muver download --log {log} --punkt english --out {params.folder}"


rule segment:
    input:
        english=ENGLISH,
        entities=W.entities,
        counts=W.counts,
        code=code("segment"),
    output:
        W.segment_files,
    log:
        f"{LOGS}/segment.log",
    benchmark:
        f"{LOGS}/segment.benchmark.tsv"
    params:
        settings=as_json(S["segment"]),
        english=folder_of("english", option="--english"),
        folder=subpath(output[0], parent=True),
    shell:
        "muver segment --log {log} --settings {params.settings:q} --entities {input.entities}"
        " --counts {input.counts} {params.english} --out {params.folder}"


rule encoder:
    input:
        W.encoder_files(),
        entities=W.entities,
        counts=W.counts,
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
        folder=subpath(output[0], parent=True),
    shell:
        "muver encoder --log {log} --source {params.source:q} --settings {params.settings:q}"
        " --entities {input.entities} --counts {input.counts} --out {params.folder}"
