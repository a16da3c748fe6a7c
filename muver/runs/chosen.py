"""What validation chose for a run."""

from collections.abc import Mapping
from typing import Any

from muver.io.records import Record

BESIDE = ("cutoff", "mentions", "tried")  # what a manifest has beside the chosen value


class Chosen(Record):
    """A setting that was chosen on validation.

    Attributes
    ----------
    setting, value
        Such as ``weight`` and 0.7.
    among
        The values that were tried.
    cutoff
        Hits at this rank decided.
    """

    setting: str
    value: float
    among: list[float]
    cutoff: int

    @property
    def in_words(self) -> str:
        """A sentence for footnotes."""
        among = ", ".join(f"{value:g}" for value in self.among)
        return (
            f"Validation chose {self.setting} {self.value:g} among {among}, by hits at "
            f"{self.cutoff}."
        )


def chosen_of(manifest: Mapping[str, Any]) -> Chosen | None:
    """What was chosen, from a run's manifest (:func:`muver.retrieval.choice.choose`)."""
    told = manifest.get("chosen")
    if not told:
        return None
    ((setting, value),) = ((key, told[key]) for key in told if key not in BESIDE)
    among = [one[setting] for one in told["tried"]]
    return Chosen(setting=setting, value=value, among=among, cutoff=told["cutoff"])
