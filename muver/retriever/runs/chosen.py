"""What was chosen on validation for a run, or for the model that made it."""

from collections.abc import Mapping
from typing import Any

from muver.io.typed import Record

BESIDE = ("cutoff", "mentions", "tried")  # a manifest's keys beside the chosen value


class Chosen(Record):
    """A setting whose value was chosen on validation.

    Attributes
    ----------
    setting, value
        Such as ``weight`` and 0.7, or ``model`` and a name.
    among
        The values that were tried.
    cutoff
        The value with the most hits at this rank was chosen.
    """

    setting: str
    value: float | str
    among: list[float | str]
    cutoff: int

    @property
    def in_words(self) -> str:
        """A sentence for footnotes; it tells if the value is the least or greatest tried."""
        numbers = [value for value in self.among if not isinstance(value, str)]
        ends = {min(numbers): "least", max(numbers): "greatest"} if len(numbers) > 1 else {}
        end = f", the {ends[self.value]} that was tried" if self.value in ends else ""
        return (
            f"Validation chose {self.setting} {_shown(self.value)} among "
            f"{', '.join(map(_shown, self.among))}, by hits at {self.cutoff}{end}."
        )

    @property
    def tag(self) -> tuple[str, str]:
        """Name and value of a run's tag in MLflow."""
        return f"chosen_{self.setting}", _shown(self.value)


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def chosen_of(manifest: Mapping[str, Any]) -> Chosen | None:
    """What was chosen, from a run's manifest (:func:`muver.retriever.retrieval.choice.choose`)."""
    told = manifest.get("chosen")
    if not told:
        return None
    ((setting, value),) = ((key, told[key]) for key in told if key not in BESIDE)
    among = [one[setting] for one in told["tried"]]
    return Chosen(setting=setting, value=value, among=among, cutoff=told["cutoff"])
