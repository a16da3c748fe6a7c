# From evaluations to tables and figures, their rows in MLflow, and the page of all results. Each
# dataset has a folder in results/.

PAGE = f"{RESULTS}/report.html"
CAPTIONS = {"table3": "table3", "table4": "table4", "table5": "table5", "grid": "grid"}
DRAWINGS = {"table3": "table3_figure", **dict.fromkeys(S.figures, "figure2")}


def told(name):
    """The file that tells the command of a result what to do."""
    return write_settings(W, name, TABLES.told(name, here))


def shown(file):
    """A file of a result; Snakemake's own report shows tables and drawings with a caption."""
    name, end = Path(file).stem, Path(file).suffix
    if end not in (".html", ".svg"):
        return file
    caption = DRAWINGS.get(name, "curves_figure")
    if end == ".html":
        caption = CAPTIONS.get(name, "comparison")
    labels = {"result": name, "form": "figure" if end == ".svg" else "table"}
    category = f"{labels['form'].capitalize()}s"
    return report(file, caption=f"../report/{caption}.rst", category=category, labels=labels)


def recordings(tables):
    """What `muver record` is told of some tables."""
    if not tables:
        raise InputError(f"results: none of {', '.join(S.results)} has rows. Name a table of rows.")
    return {"settings": {"tables": [record_settings(TABLES, one, here) for one in tables]}}


def then(name):
    """What follows the command of a table: its drawing and its record.

    The rule that makes a table also records it: the store belongs to this machine, and with a rule
    of its own a clone that only pulled the tables would have jobs left. The table stays if
    recording fails.
    """

    def params(wildcards):
        more = []
        if name in ("table3", *TABLES.pictured):
            job = write_settings(W, f"{name}_drawing", TABLES.drawing(name, here))
            more.append(f"muver stage figure --log {LOGS}/tables/{name}_figure.log --job {job}")
        if name in TABLES.recordable:
            job = write_settings(W, f"record_{name}", recordings([name]))
            log = f"{LOGS}/record/{name}.log"
            more.append(f"muver record --keep-going --log {log} --job {job}")
        return "".join(f" && {one}" for one in more)

    return params


def call(name):
    """This call's settings, which a recording names.

    Snakemake does not record a parameter whose function asks for the threads, so that another call
    makes no output outdated.
    """
    config = shlex.join(["--config", *written({"preset": S.preset, **typed(overrides())})])
    return lambda wildcards, threads: config if name in TABLES.recordable else ""


for result in TABLES.made:

    rule:
        name:
            result
        input:
            **TABLES.read(result),
            code=[file for rule in TABLES.commands(result) for file in code(rule)],
        output:
            [shown(file) for file in TABLES.files(result)],
        log:
            f"{LOGS}/tables/{result}.log",
        benchmark:
            f"{LOGS}/tables/{result}.benchmark.tsv"
        localrule: True
        params:
            name=result,
            stage=TABLES.commands(result)[0],
            job=told(result),
            then=then(result),
            call=call(result),
        shell:
            "muver stage {params.stage} --log {log} --job {params.job}{params.then} {params.call}"


# What none of the other rules makes: the one input is an error that says what there is.
rule not_made:
    input:
        lambda wildcards: raised(TABLES.refuse, wildcards.table),
    output:
        f"{RESULTS}/{{table}}.csv",
    log:
        f"{LOGS}/tables/{{table}}_missing.log",
    benchmark:
        f"{LOGS}/tables/{{table}}_missing.benchmark.tsv"
    wildcard_constraints:
        table=rf"(?!(?:{one_of(TABLES.made)})\.csv$)[^/]+",
    localrule: True
    shell:
        "exit 1"


if TABLES.metrics or TABLES.plots:

    # A file of numbers for each row, which are in git, and a file of points for each plot (dvc.yaml
    # says how these are drawn).
    rule metrics:
        input:
            tables=[f"{RESULTS}/{name}.json" for name in TABLES.measured],
            curves=[f"{RESULTS}/{name}.json" for name in TABLES.drawn],
            code=code("metrics"),
        output:
            TABLES.metrics,
            TABLES.plots,
        log:
            f"{LOGS}/tables/metrics.log",
        benchmark:
            f"{LOGS}/tables/metrics.benchmark.tsv"
        localrule: True
        params:
            job=told("metrics"),
        shell:
            "muver stage metrics --log {log} --job {params.job}"


# What the page reads of all that was made: runs with their vectors, and the data.
SHOWN = ("evaluations", "runs", "corpus", "segment", "mentions", "kb")
SHOWN += ("stores", "merged", "globals")


# The logs are not inputs, as another time of a job is no reason to make the page again.
rule report:
    input:
        tables=[f"{RESULTS}/{name}.csv" for name in S.results],
        rest=stored(*(file for name in S.results for file in TABLES.forms(name))),
        made=[file for one in W.asked(S.results) if one.kind in SHOWN for file in one.files],
        code=code("report"),
    output:
        PAGE,
    log:
        f"{LOGS}/tables/report.log",
    benchmark:
        f"{LOGS}/tables/report.benchmark.tsv"
    localrule: True
    params:
        job=told("report"),
    shell:
        "muver report --log {log} --job {params.job}"


# The plain names in results/ are links to the files of the dataset that was asked for last.
LATEST = [*[f"results/{name}.csv" for name in S.results], "results/report.html"]


rule latest:
    input:
        f"{RESULTS}/{{file}}",
        lambda wildcards: stored(*TABLES.forms(Path(wildcards.file).stem)),
    output:
        "results/{file}",
    log:
        f"{LOGS}/tables/latest_{{file}}.log",
    wildcard_constraints:
        file=r"[^/]+\.csv|report\.html",
    localrule: True
    params:
        forms=lambda wildcards: f"{S.workspace}/{Path(wildcards.file).stem}.*",
    shell:
        f"(cd {here('results')} && ln -sf {{params.forms}} .) 2> {{log}}"
