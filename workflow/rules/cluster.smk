# What runs where on a cluster; what jobs ask of it stands in workflow/profiles.


# What fetches from the network, and what takes seconds and may write to the MLflow store: nodes of
# a cluster often reach neither.
localrules:
    benchmarks,
    choose,
    comparison,
    download,
    drawn_comparison,
    encoder,
    fetch,
    figure,
    grid,
    latest,
    metrics,
    not_made,
    punkt_english,
    record,
    report,
    table3,
    table4,
    table5,


# A limit of `gpu`, such as the default profile's, is one machine's and not the cluster's.
resource_scopes:
    gpu="local",
