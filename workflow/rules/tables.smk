# Evaluations to tables, and the rows of Table 1 into MLflow.


TABLE1 = [W.evaluation(system) for system in S["tables"]["table1"]]
TABLE1_RUNS = [W.run_files(system)[0] for system in S["tables"]["table1"]]
TABLE1_LOGS = [log.partition("=")[2] for log in artifacts("table1")]
RECORD = (
    "muver record --log {log} --settings {params.tracking:q} --table results/table1.json"
    " --evaluations {input.evaluations} --runs {input.runs} --artifacts {params.artifacts}"
    " --out results/mlflow_runs.csv"
)


# Recording is part of the rule and not one of its own: the store and its list of runs belong to
# this machine, so that a clone that only pulled the table has nothing to do.
rule table1:
    input:
        evaluations=TABLE1,
        runs=TABLE1_RUNS,
        logs=TABLE1_LOGS,
        code=code("tables"),
    output:
        report("results/table1.html", caption="../report/table1.rst", category="Tables"),
        [f"results/table1.{kind}" for kind in ("csv", "md", "json")],
    log:
        f"{LOGS}/table1.log",
    params:
        rows=rows("table1"),
        tracking=as_json(S["tracking"]),
        artifacts=artifacts("table1"),
    shell:
        "muver table --number 1 --settings {params.rows:q}"
        " --evaluations {input.evaluations} --out results/table1.csv"
        f" && {RECORD}"


rule table6:
    input:
        evaluations=[W.evaluation(system) for system in S["tables"]["table6"]],
        code=code("tables"),
    output:
        report("results/table6.html", caption="../report/table6.rst", category="Tables"),
        [f"results/table6.{kind}" for kind in ("csv", "md", "json")],
    log:
        f"{LOGS}/table6.log",
    params:
        rows=rows("table6"),
    shell:
        "muver table --log {log} --number 6 --settings {params.rows:q}"
        " --evaluations {input.evaluations} --out results/table6.csv"


# Records the rows again: after the store was lost, or in a clone that pulled its results.
rule record:
    input:
        evaluations=TABLE1,
        runs=TABLE1_RUNS,
        logs=TABLE1_LOGS,
        table="results/table1.csv",
    log:
        f"{LOGS}/record.log",
    params:
        tracking=as_json(S["tracking"]),
        artifacts=artifacts("table1"),
    shell:
        RECORD
