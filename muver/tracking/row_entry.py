"""What the run of every row holds, whether it was measured on one set of mentions or on several."""

from collections.abc import Mapping
from typing import Any

import yaml

from muver.tracking import describe
from muver.tracking.curves import LOG_NAME, curves
from muver.tracking.entry import Entry
from muver.tracking.files import Files, Scored
from muver.tracking.timings import timings


def row_entry(
    files: Files,
    system: str,
    found: Mapping[str, Scored],
    worlds: Mapping[str, Any],
    **own: Any,
) -> Entry:
    """The entry of a system.

    Parameters
    ----------
    found
        Evaluations and runs by set; the name of the only one may be empty.
    worlds
        Scores by world as ``evaluation/worlds.csv`` shows them: ``cutoffs`` and ``worlds``.
    own
        What the kinds of rows have each in its own way: the further fields of
        :class:`muver.tracking.entry.Entry`.
    """
    settings = next(iter(found.values())).evaluation["settings"]
    further = files.further(system)
    return Entry(
        parameters=describe.parameters(settings),
        curves=[point for path in further if path.name == LOG_NAME for point in curves(path)],
        timings=timings(files.benchmarks.get(system, {}).items()),
        files=[
            *((one.run, "/".join(filter(None, ("run", name)))) for name, one in found.items()),
            *(
                (one.path, "/".join(filter(None, ("evaluation", name))))
                for name, one in found.items()
            ),
            *((path, "training") for path in further),
        ],
        texts={
            "evaluation/worlds.csv": describe.worlds_csv(worlds),
            "configuration.yaml": yaml.safe_dump(settings, sort_keys=False, allow_unicode=True),
        },
        **own,
    )
