"""Settings of figures: section ``figures`` of params.yaml."""

from muver.io.typed import Count, Settings


class Figure2(Settings):
    """Errors by length of description, of two rows, in bins of sentences up to the last one."""

    rows: tuple[str, str]
    cutoff: Count
    bin: Count
    last: Count

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.last % self.bin:
            raise ValueError(
                f"last is {self.last}, which bins of {self.bin} sentences do not fill. Choose a "
                "multiple."
            )


class Figures(Settings):
    """The figures with settings of their own."""

    figure2: Figure2
