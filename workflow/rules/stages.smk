# One target for each DVC stage: all artifacts of its kinds that the settings need.
from muver.reproduction.workspace.graph import STAGES

ASKED = W.asked(S.results)

for stage, kinds in STAGES.items():

    rule:
        name:
            f"stage_{stage}"
        input:
            [file for one in ASKED if one.kind in kinds for file in one.files],


rule stage_tables:
    input:
        LATEST,
        TABLES.metrics,
        TABLES.plots,
