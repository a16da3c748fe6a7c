"""Shows where the time of a training step goes, by kind of operation."""

from collections import Counter

from torch.profiler import ProfilerActivity, profile

from benchmarks.context import Context
from benchmarks.rows import Findings, Row
from benchmarks.training import MENTIONS, VIEWS, Batch, Ours
from muver.retriever.encoders.device import keep_freed_memory

# Parts of the names of torch's operations; the first kind that fits has the operation.
KINDS = {
    "attention": ("scaled_dot_product", "flash_attention", "bmm", "softmax"),
    "products of layers": ("::mm", "::addmm", "_linear_pointwise"),
    "random numbers": ("random_", "::ge"),
    "copies": ("copy_", "::cat", "::fill_"),
    "activations and norms": ("gelu", "layer_norm"),
}
OTHER = "sums, scaling and the rest"


def run(context: Context) -> Findings:
    """A row for each precision and kind: its share of the step."""
    options, case = context.options, context.case
    batch = Batch(case, MENTIONS)
    findings = Findings()
    keep_freed_memory()
    for precision in options.precisions:
        ours = Ours(case, options.device, precision, options.threads)
        ours.run(batch)
        with profile(activities=[ProfilerActivity.CPU]) as profiled:
            ours.run(batch)
        shares = by_kind(
            {event.key: event.self_cpu_time_total for event in profiled.key_averages()}
        )
        findings.rows += [
            Row(
                "profile",
                f"step of {MENTIONS} mentions x {VIEWS} views, {precision}: {kind}",
                ratio=share,
                remark="ratio: share of the step's time in torch's operations",
            )
            for kind, share in shares.items()
        ]
    case.model.zero_grad()
    case.model.eval()
    return findings


def by_kind(seconds: dict[str, float]) -> dict[str, float]:
    """The share of each kind in the time of operations by name, the largest first."""
    kinds: Counter[str] = Counter()
    for name, own in seconds.items():
        found = [kind for kind, parts in KINDS.items() if any(part in name for part in parts)]
        kinds[found[0] if found else OTHER] += own
    return {kind: own / sum(kinds.values()) for kind, own in kinds.most_common()}
