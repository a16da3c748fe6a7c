"""The rows of a plan: one a stage, model and index type, with disk, memory and hours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from muver.plan.indices import plan_index
from muver.plan.machine import Machine
from muver.plan.memory import encoding_memory, reading_memory
from muver.plan.rate import MEGABYTE, Rate
from muver.plan.storage import Base, mention_bytes, vector_bytes

EXACT = "exact"


@dataclass(frozen=True)
class Row:
    """One stage.

    Attributes
    ----------
    model, kind, index
        Of which it is, the index as the settings name it and as faiss does; empty where it is of
        none.
    disk
        Bytes of what it writes.
    size_origin
        "given", "measured", "projected" or "at most".
    memory, gpu_memory
        Bytes of one process; 0 where they are next to nothing.
    hours
        None where no rate is known.
    rate
        That the hours are projected from.
    """

    stage: str
    model: str = ""
    kind: str = ""
    index: str = ""
    disk: int = 0
    size_origin: str = "projected"
    memory: int = 0
    gpu_memory: int = 0
    hours: float | None = None
    rate: Rate | None = None


def plan_rows(
    settings: dict[str, Any], base: Base, rates: Mapping[str, Any], machine: Machine
) -> list[Row]:
    """All stages in the order of the run.

    Hours are an amount by a rate by the number of processes or devices:

    * reading: ``dump_bytes / 10^6 / (MB/s * workers)``;
    * encoding: ``views / (views/s * devices)``;
    * building: ``views / views/s``; searching: ``mentions / mentions/s``, or for exact search
      ``mentions * views / products/s``.

    Parameters
    ----------
    rates
        ``read`` and ``exact``, a :class:`Rate` or None; ``encode``, ``build`` and ``search``,
        rates by model or index type.
    """
    dimension, mentions = settings["encoder"]["hidden_size"], settings["mentions"]
    gpu = machine.gpus > 0 and settings["device"] != "cpu"
    read = rates["read"]
    megabytes = settings["dump_bytes"] / MEGABYTE
    rows = [
        Row("dump", disk=settings["dump_bytes"], size_origin="given"),
        Row(
            "kb",
            disk=base.kb_bytes,
            size_origin=base.origin,
            memory=reading_memory(base, settings),
            hours=_hours(megabytes, read, settings["workers"]),
            rate=read,
        ),
    ]
    for model, layout in settings["models"].items():
        views = base.views(layout["kind"])
        main, on_gpu = encoding_memory(views, base, settings, gpu)
        encode = rates["encode"].get(model)
        rows += [
            Row(
                "encode-part",
                model,
                disk=vector_bytes(views, base.entities, dimension, settings["dtype"]),
                size_origin=base.views_origin(layout["kind"]),
                memory=main,
                gpu_memory=on_gpu,
                hours=_hours(views, encode, settings["devices"]),
                rate=encode,
            ),
            Row("encode-mentions", model, disk=mention_bytes(mentions, dimension)),
        ]
        queries = mention_bytes(mentions, dimension)
        rows.append(_exact(model, views, queries, rates, settings))
        for kind in settings["indices"]:
            plan = plan_index(kind, views, dimension, settings)
            build, search = rates["build"].get(kind), rates["search"].get(kind)
            rows += [
                Row(
                    "ann-build",
                    model,
                    kind,
                    plan.factory,
                    disk=plan.disk,
                    size_origin=base.views_origin(layout["kind"]),
                    memory=plan.build,
                    hours=_hours(views, build),
                    rate=build,
                ),
                Row(
                    "ann-search",
                    model,
                    kind,
                    plan.factory,
                    memory=plan.search + queries,
                    hours=_hours(mentions, search),
                    rate=search,
                ),
            ]
    return rows


def _exact(
    model: str, views: int, queries: int, rates: Mapping[str, Any], settings: Mapping[str, Any]
) -> Row:
    """Exact search: memory is ``memory_mb`` and the mentions, whatever the number of views."""
    given = rates["search"].get(EXACT)
    pairs = settings["mentions"] * (1 if given else views)
    rate = given or rates["exact"]
    memory = settings["search_memory_mb"] * 2**20 + queries
    hours = _hours(pairs, rate)
    return Row("ann-search", model, EXACT, EXACT, memory=memory, hours=hours, rate=rate)


def _hours(amount: float, rate: Rate | None, at_once: int = 1) -> float | None:
    return None if rate is None else amount / (rate.value * at_once) / 3600
