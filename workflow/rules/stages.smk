# The steps that make artifacts, one rule each (muver/reproduction/workspace/steps.py), and one target
# for each DVC stage: all artifacts of its kinds that the settings need.
from muver.reproduction.workspace.steps import STAGES, STEPS

for step in STEPS:
    artifacts = W.made_by(step)
    if step.rule in IN_PARTS or not artifacts:
        continue

    rule:
        name:
            step.rule
        input:
            inputs(step.kind),
            vectors=vectors(step.kind) if ONE_BASE and step.kind in ("runs", "index") else [],
            code=code_of(step.kind),
        output:
            (directory if step.folder else list)(pattern(step.kind, artifacts[0].suffixes)),
        log:
            f"{LOGS}/{step.rule}/{{id}}.log",
        benchmark:
            f"{LOGS}/{step.rule}/{{id}}.benchmark.tsv"
        wildcard_constraints:
            id=one_of([artifact.id for artifact in artifacts]),
        priority: longest(step.kind) if step.trains else AFTERWARDS * step.first
        localrule: step.here
        threads:
            COMPUTE.threads * (COMPUTE.processes if step.trains else 1)
            if step.compute or step.runs_a_model or step.threads
            else 1
        resources:
            gpu=gpus(step),
        params:
            launch=launch(step),
            stage=step.command,
            job=job(step.kind),
        shell:
            "{params.launch} stage {params.stage} --log {log} --job {params.job}"


ASKED = W.asked(S.results)
TARGETS = {
    stage: [file for artifact in ASKED if artifact.kind in kinds for file in artifact.files]
    for stage, kinds in STAGES.items()
}

for stage, targets in {**TARGETS, "tables": [*LATEST, *TABLES.metrics, *TABLES.plots]}.items():

    rule:
        name:
            f"stage_{stage}"
        input:
            targets,
