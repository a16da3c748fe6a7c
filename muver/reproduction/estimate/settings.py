"""What `muver plan` takes as ``--settings``: what an estimate needs beside params.yaml."""

import msgspec

from muver.io.typed import Count, Positive, Settings


class GivenRates(Settings):
    """Rates that are known: MB, views or mentions a second."""

    read: Positive | None = None  # of a process
    encode: dict[str, Positive] = {}  # of a device, by model
    build: dict[str, Positive] = {}  # by type of index
    search: dict[str, Positive] = {}  # by type of index, or "exact"


class Plan(Settings):
    """The settings of a plan; each may be left out."""

    entities: Count | None = None  # of a base that is not there; None: as published
    dump_bytes: Count | None = None
    indices: list[str] = msgspec.field(
        default_factory=lambda: ["ivf_sq", "ivf_sq8", "opq_ivf_pq", "hnsw"]
    )  # types to compare, for every model
    lists: Count | None = None  # of these, as `muver stage ann-build` takes them
    training_views: Count | None = None
    workers: Count = 1  # processes that read the dump
    devices: Count = 1  # that run a model, a job each
    rates: GivenRates = GivenRates()
    seconds: Count = 10  # that measuring takes, about
