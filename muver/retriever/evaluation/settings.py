"""Settings of evaluation: the section ``evaluate`` of params.yaml and the stage's own."""

from typing import Any, Literal

from muver.io.typed import Count, Settings, Share, Some

Resample = Literal["documents", "mentions"]


class Evaluate(Settings):
    """How runs are scored: the cutoffs, and what intervals treat as independent.

    Attributes
    ----------
    cutoffs
        The k of recall@k, increasing.
    resample
        The units that intervals and tests treat as independent.
    """

    cutoffs: Some[Count]
    resample: Resample

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoffs != sorted(self.cutoffs):
            raise ValueError(f"cutoffs must increase, not {self.cutoffs}.")


class Scoring(Evaluate):
    """The ``--settings`` of ``muver stage evaluate``.

    Attributes
    ----------
    row
        All settings of the table's row. ``retrieve`` holds the run's settings; ``index``, if
        present, holds the index's (null: exact search).
    agreement
        The least agreement with exact search, from 0 to 1, of a run made with an index.
    """

    row: dict[str, Any]
    agreement: Share = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.row.get("retrieve"), dict):
            raise ValueError("row.retrieve must hold the settings of the retrieve stage.")
