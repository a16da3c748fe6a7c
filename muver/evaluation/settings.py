"""Settings of evaluation: section ``evaluate`` of params.yaml."""

from typing import Literal

from muver.io.typed import Count, Settings, Some


class Evaluate(Settings):
    """The k of recall@k, and what intervals and tests take as independent."""

    cutoffs: Some[Count]
    resample: Literal["documents", "mentions"]
