# Where the dataset is not a knowledge base, Table 2 can be asked for and is not made.


rule table2:
    input:
        no_knowledge_base,
    output:
        "results/table2.csv",
    log:
        f"{LOGS}/tables/table2.log",
    benchmark:
        f"{LOGS}/tables/table2.benchmark.tsv"
    shell:
        "exit 1"
