"""What a cluster lacks, found before any job is submitted."""

import re
import subprocess
from collections.abc import Iterable
from operator import itemgetter

from muver.io.errors import InputError, did_you_mean


def check_slurm(asked: Iterable[tuple[str | None, int]]) -> None:
    """Compare partitions and GPUs that jobs ask for with those that ``sinfo`` lists.

    ``asked`` has each job's partition (None: the cluster's own choice) and number of GPUs.
    """
    gpus = _gpus_by_partition()
    # In this order, the most GPUs that are asked for of a partition stay.
    for partition, wanted in dict(sorted(asked, key=itemgetter(1))).items():
        if partition is not None and partition not in gpus:
            raise InputError(
                f"Slurm has no partition {partition!r}, but {', '.join(sorted(gpus))}."
                f"{did_you_mean(partition, gpus)} Set slurm_partition among the profile's "
                "default-resources."
            )
        most = max(gpus.values(), default=0) if partition is None else gpus[partition]
        if wanted > most:
            raise InputError(
                f"A job asks for {wanted} GPUs (compute.processes), and a node of Slurm's "
                f"partition {partition or 'with most'} has {most}."
            )


def _gpus_by_partition() -> dict[str, int]:
    """GPUs of the node that has most, by partition."""
    command = ["sinfo", "--noheader", "--format", "%R %G"]
    try:
        listed = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    except FileNotFoundError:
        raise InputError(
            "sinfo was not found: jobs go to Slurm from a machine that has its commands. Run this "
            "on the cluster's login node, or leave out workflow/profiles/slurm."
        ) from None
    except subprocess.CalledProcessError as error:
        raise InputError(f"Slurm does not answer: {error.stderr.strip()}") from None
    gpus: dict[str, int] = {}
    for line in listed.splitlines():
        partition, resources = line.split(maxsplit=1)
        counts = re.findall(r"\bgpu:(?:[^:,(]+:)?(\d+)", resources)
        gpus[partition] = max(gpus.get(partition, 0), sum(map(int, counts)))
    return gpus
