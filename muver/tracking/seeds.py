"""A row with several seeds as an entry: a parent above one run a seed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from muver.io.files import short_hash
from muver.tracking import describe
from muver.tracking.entry import SHARED, Entry, shared_parameters


def above_seeds(
    own: Entry, runs: Sequence[Entry], seeds: Mapping[str, Any], cutoffs: Sequence[int]
) -> Entry:
    """The parent: mean and spread of the recall, and the parameters that all seeds share.

    Parameters
    ----------
    own
        The run that the row itself shows, the first of ``runs``.
    runs
        One a seed.
    seeds
        The table's: ``values`` by system, ``mean`` and ``spread`` by cutoff.
    """
    width = describe.digits(cutoffs)
    named = [replace(run, name=f"{run.name} (seed {run.parameters['seed']})") for run in runs]
    return Entry(
        key=short_hash({"seeds_of": own.key}),
        name=own.name,
        tags={
            **{name: own.tags[name] for name in SHARED if name in own.tags},
            "role": "parent",
            "config_hash": short_hash([run.key for run in runs]),
        },
        metrics={
            **describe.recalls("mean", seeds["mean"], width),
            **describe.recalls("spread", seeds["spread"], width),
        },
        parameters=shared_parameters(runs),
        note=_note(own, named, seeds),
        source=own.source,
        data=own.data,
        children=named,
    )


def _note(own: Entry, runs: Sequence[Entry], seeds: Mapping[str, Any]) -> str:
    cutoffs = list(seeds["mean"])
    named = {
        **{run.name: seeds["values"][run.tags["system"]] for run in runs},
        **{name: seeds[name] for name in ("mean", "spread")},
    }
    lines = [
        ["recall in percent", *(f"R@{k}" for k in cutoffs)],
        ["---", *["--:"] * len(cutoffs)],
        *([name, *(f"{recall[k]:.2f}" for k in cutoffs)] for name, recall in named.items()),
    ]
    grid = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return (
        f"**{own.name}** with {len(runs)} seeds, one run each below this one; row `{own.key}` of "
        f"`{own.source}` is the first. The spread is the sample standard deviation in points.\n\n"
        f"{grid}"
    )
