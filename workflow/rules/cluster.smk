# What every job asks of a cluster's scheduler (docs/reproduce.md). Jobs of one machine ask for nothing.
from muver.reproduction.estimate.cluster import Requests


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


REQUESTS = Requests(W)
# A workflow that uses this one as a module may have named the rules anew.
NAMES = {workflow.modifier.modify_rulename(one.rule): one.rule for one in W.by_place.values()}


def asked(request, rule):
    """A resource of a rule: what the job of an artifact asks for."""

    def resource(wildcards, attempt):
        return 0 if workflow.local_exec else request(rule, wildcards.get("id", ""), attempt)

    return resource


GIVEN = workflow.resource_settings.overwrite_resources  # --set-resources RULE:NAME=VALUE

for own in workflow.modifier.rules:
    named = NAMES.get(own.name, own.name)
    requests = {
        "mem_mb": REQUESTS.memory_mb,
        "disk_mb": REQUESTS.disk_mb,
        "runtime": REQUESTS.minutes,
    }
    for name in requests.keys() - GIVEN.get(own.name, {}).keys():
        own.resources[name] = asked(requests[name], named)
