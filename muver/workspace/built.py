"""What lies alike below every ``build/<workspace>``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muver.encoders.files import ENCODER_FILES, MODEL_FILES, START_FILES
from muver.io.errors import InputError


@dataclass(frozen=True)
class Built:
    """Paths of the encoder and the models, and the folder of it all.

    Parameters
    ----------
    settings
        As :func:`muver.settings.resolve` gives them.
    """

    settings: dict[str, Any]

    @property
    def root(self) -> str:
        """Folder of everything that is built."""
        return f"build/{self.settings['workspace']}"

    @property
    def gpus(self) -> int:
        """GPUs that a job running a model takes: 1 where there are any and they may be used."""
        wanted = self.settings["compute"]["device"] != "cpu"
        return int(wanted and Path("/dev/nvidia0").exists())

    def encoder_files(self) -> list[str]:
        """Files of the encoder's directory as they lie there; none for scratch and the hub."""
        folder = Path(self.settings["encoder"])
        if self.settings["encoder"] == "scratch" or not folder.is_dir():
            return []
        return [str(folder / name) for name in ENCODER_FILES if (folder / name).is_file()]

    @property
    def start_files(self) -> list[str]:
        """The BERT directory that training starts from."""
        return [f"{self.root}/start/{file}" for file in START_FILES]

    def model_files(self, model: str) -> list[str]:
        """A trained model's directory and its log."""
        folder = f"{self.root}/models/{model}"
        return [*(f"{folder}/{file}" for file in MODEL_FILES), f"{folder}/training_log.jsonl"]

    def checkpoint_file(self, model: str) -> str:
        """Published weights that a converted model is made of; they have to be there."""
        file = self.settings["models"][model]["checkpoint"]
        if not Path(file).is_file():
            raise InputError(
                f"params.yaml: models.{model}.checkpoint is {file}: no such file. Fetch the "
                "published weights and put them there, or name where they lie."
            )
        return str(file)

    def identity_file(self, model: str) -> str:
        """What a converted model was made of."""
        return f"{self.root}/models/{model}/manifest.json"
