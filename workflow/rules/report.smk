# One page of everything that `results:` lists, with the predictions behind its rows.

PAGE = "results/report.html"
REPORTED = needs_of(S, S["results"]).systems


# The logs beside it are read as they are: another time of a job is no reason to make the page again.
rule report:
    input:
        tables=[f"results/{name}.csv" for name in S["results"]],
        evaluations=[W.evaluation_files(system)[0] for system in REPORTED],
        runs=[W.run_files(system, SPLIT)[0] for system in REPORTED],
        corpus=[W.entities, W.mentions, W.counts, W.sentences] if REPORTED else [],
        code=code("report"),
    output:
        PAGE,
    log:
        f"{LOGS}/tables/report.log",
    benchmark:
        f"{LOGS}/tables/report.benchmark.tsv"
    params:
        settings=as_json({"results": S["results"]}),
    shell:
        "muver report --log {log} --settings {params.settings:q} --results results"
        f" --workspace {ROOT} --logs {LOGS} --out {{output}}"
