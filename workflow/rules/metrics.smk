# Results as `dvc metrics` and `dvc plots` read and compare them: a file of numbers a row, a file of
# points a plot (dvc.yaml says how these are drawn).

MEASURED = [name for name in S["results"] if name in (*COMPARISONS, "table3", "table6", "grid")]
DRAWN = [name for name in S["results"] if name in (*COMPARISONS, "table3", *S["figures"])]
METRICS = [
    f"results/metrics/{name}/{row}.json"
    for name in MEASURED
    for row in (POINTS if name == "grid" else S["tables"][name]["rows"])
]
PLOTS = [f"results/plots/{name}.csv" for name in DRAWN]


if METRICS or PLOTS:

    rule metrics:
        input:
            tables=[f"results/{name}.json" for name in MEASURED],
            curves=[f"results/{name}.json" for name in DRAWN],
            code=code("metrics"),
        output:
            METRICS,
            PLOTS,
        log:
            f"{LOGS}/tables/metrics.log",
        benchmark:
            f"{LOGS}/tables/metrics.benchmark.tsv"
        shell:
            "muver metrics --log {log} --tables {input.tables} --curves {input.curves}"
            " --metrics results/metrics --plots results/plots"
