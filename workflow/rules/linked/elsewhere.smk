# Where the dataset is not a knowledge base, Table 2 can be asked for and is not made.


def no_knowledge_base(wildcards):
    """Say which presets make Table 2."""
    raise WorkflowError(
        f"results/table2.csv: not made of the dataset {S['dataset']}. Ask for it with"
        " --config preset=miniwikipedia (anywhere, in minutes) or --config preset=wikipedia."
    )


rule table2:
    input:
        no_knowledge_base,
    output:
        "results/table2.csv",
    log:
        f"{LOGS}/tables/table2.log",
    shell:
        "exit 1"
