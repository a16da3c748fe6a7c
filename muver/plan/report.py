"""A plan to read, and what of it does not fit the machine."""

from collections.abc import Sequence

from muver.plan.machine import Machine
from muver.plan.stages import Row

GIGABYTE = 10**9
HEAD = (
    "stage", "model", "index", "disk GB", "sizes", "memory GB", "GPU GB", "hours", "rate",
)  # fmt: skip


def totals(rows: Sequence[Row]) -> dict[str, int]:
    """Bytes of disk: of all but indices ("no index"), and with those of each type added."""
    kept = sum(row.disk for row in rows if row.stage != "ann-build")
    sums = {"no index": kept}
    for row in rows:
        if row.stage == "ann-build":
            sums[row.kind] = sums.get(row.kind, kept) + row.disk
    return sums


def unfit(rows: Sequence[Row], machine: Machine) -> list[str]:
    """A sentence for each thing that this machine's disk or memory does not hold."""
    found = [
        f"Disk: the run with {what} takes {_gb(size)} GB, {machine.folder} has room for "
        f"{_gb(machine.room)} GB."
        for what, size in totals(rows).items()
        if size > machine.room
    ]
    return found + [
        f"Memory: {' '.join(filter(None, (row.stage, row.model, row.index)))} takes "
        f"{_gb(row.memory)} GB, this machine has {_gb(machine.memory)} GB."
        for row in rows
        if row.memory > machine.memory
    ]


def text(rows: Sequence[Row], machine: Machine) -> str:
    """The plan as a table, the totals, and what does not fit."""
    cells = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    sums = [f"disk with {what}: {_gb(size)} GB" for what, size in totals(rows).items()]
    room = (
        f"this machine: {_gb(machine.memory)} GB of memory, {machine.cores} cores, "
        f"{machine.gpus} GPUs; room for {_gb(machine.room)} GB in {machine.folder}"
    )
    misfits = unfit(rows, machine) or ["Everything fits this machine."]
    notes = [
        "Hours are projected from the rate beside them; - where none is known.",
        "Memory is projected, of one process, without what Python and its libraries take.",
    ]
    return "\n".join([*lines, "", *notes, "", *sums, "", room, *misfits])


def _cells(row: Row) -> tuple[str, ...]:
    rate = "-"
    if row.rate is not None:
        rate = f"{row.rate.value:.4g} {row.rate.unit}, {row.rate.origin}"
    return (
        row.stage,
        row.model,
        row.index,
        _gb(row.disk) if row.disk else "",
        row.size_origin if row.disk else "",
        _gb(row.memory) if row.memory else "",
        _gb(row.gpu_memory) if row.gpu_memory else "",
        "-" if row.hours is None else f"{row.hours:.3g}",
        rate,
    )


def _gb(size: int) -> str:
    return f"{size / GIGABYTE:.2f}"
