"""Settings of evaluation: the section ``evaluate`` of params.yaml and the stage's own."""

from typing import Any, Literal

from muver.io.typed import Count, Settings, Share, Some

Resample = Literal["documents", "mentions"]


class Evaluate(Settings):
    """How runs are scored: the k of recall@k, and what intervals and tests treat as independent."""

    cutoffs: Some[Count]
    resample: Resample

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoffs != sorted(self.cutoffs):
            raise ValueError(f"cutoffs must increase, not {self.cutoffs}.")


class Scoring(Evaluate):
    """The ``--settings`` of ``muver stage evaluate``.

    ``row`` has all settings of the table's row: ``retrieve`` those of the run, and ``index``, if
    present, those of the index (null: exact search). ``agreement`` is the least with exact search
    that a run made with an index must have.
    """

    row: dict[str, Any]
    agreement: Share = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.row.get("retrieve"), dict):
            raise ValueError("row.retrieve must hold the settings of the retrieve stage.")
