"""Two BERT towers, one for mentions and one for entities (section 2.2, "Dual-encoders")."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn
from transformers import BertModel
from transformers.utils import logging as transformers_logging

from muver.encoders.card import write_model_card
from muver.encoders.files import CONFIG_FILE, TOKENIZER_FILE, TOWERS
from muver.encoders.tokens import WordPieces
from muver.errors import InputError
from muver.files import atomic_path, read_json, write_json

Output = Literal["cls", "tokens"]

transformers_logging.disable_progress_bar()


@dataclass(frozen=True)
class ModelConfig:
    """What a model directory says of itself beside the weights.

    Attributes
    ----------
    views
        How entities become views: ``kind`` (prefix, sentences or tokens), ``max_tokens`` and, for
        sentences, ``min_pieces``, ``title_room`` and ``training_views``.
    context
        ``max_tokens`` of a mention's context.
    score
        ``max`` over views, or ``sum_max`` over token vectors.
    provenance
        Settings of the training run, for people.
    """

    views: dict[str, Any]
    context: dict[str, Any]
    score: str
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def output(self) -> Output:
        """Whether one vector (the last layer's ``[CLS]``) or all token vectors are compared."""
        return "tokens" if self.score == "sum_max" else "cls"


class BiEncoder(nn.Module):
    """Mention tower and entity tower with their vocabulary and layouts.

    Vectors are the last layer's states: no pooling layer, no projection, no normalisation; the
    score of two vectors is their dot product.
    """

    def __init__(
        self,
        mention_encoder: BertModel,
        entity_encoder: BertModel,
        pieces: WordPieces,
        config: ModelConfig,
    ):
        super().__init__()
        self.mention_encoder = mention_encoder
        self.entity_encoder = entity_encoder
        self.pieces = pieces
        self.config = config

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.entity_encoder.config.hidden_size

    @classmethod
    def from_encoder(cls, folder: str | Path, config: ModelConfig) -> "BiEncoder":
        """Start both towers from the same BERT directory, as separate weights."""
        towers = [_load_tower(Path(folder)) for _ in TOWERS]
        limit = towers[0].config.max_position_embeddings
        for name, layout in (("views", config.views), ("context", config.context)):
            if layout["max_tokens"] > limit:
                raise InputError(
                    f"{name}.max_tokens is {layout['max_tokens']}, but the encoder in {folder} "
                    f"has {limit} positions. Lower it or choose another encoder."
                )
        return cls(*towers, WordPieces(folder), config)

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "BiEncoder":
        """Load a model directory that :meth:`save_pretrained` wrote.

        Examples
        --------
        >>> model = BiEncoder.from_pretrained("build/miniwikia/models/muver")  # doctest: +SKIP
        """
        folder = Path(folder)
        raw = read_json(folder / CONFIG_FILE)
        try:
            config = ModelConfig(**raw)
        except TypeError as error:
            raise InputError(
                f"{folder / CONFIG_FILE}: not a model's configuration ({error})."
            ) from None
        return cls(*(_load_tower(folder / tower) for tower in TOWERS), WordPieces(folder), config)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model directory: two Hugging Face towers, tokenizer, configuration, card."""
        folder = Path(folder)
        for name in TOWERS:
            save_tower(getattr(self, name), folder / name)
        with atomic_path(folder / TOKENIZER_FILE) as temporary:
            temporary.write_bytes(self.pieces.path.read_bytes())
        write_model_card(folder / "README.md", asdict(self.config))
        write_json(folder / CONFIG_FILE, asdict(self.config))

    def encode_mentions(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Vectors of contexts: (batch, length) ids -> (batch, d), or (batch, length, d)."""
        return self._encode(self.mention_encoder, ids, mask)

    def encode_views(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Vectors of views: (batch, length) ids -> (batch, d), or (batch, length, d)."""
        return self._encode(self.entity_encoder, ids, mask)

    def _encode(self, tower: BertModel, ids: Tensor, mask: Tensor) -> Tensor:
        states = tower(input_ids=ids, attention_mask=mask).last_hidden_state
        return states if self.config.output == "tokens" else states[:, 0]


def save_tower(tower: BertModel, folder: Path) -> None:
    """Write one tower in Hugging Face's layout, each file complete or not at all."""
    from safetensors.torch import save

    state = {name: value.detach().cpu().contiguous() for name, value in tower.state_dict().items()}
    with atomic_path(folder / "model.safetensors") as temporary:
        temporary.write_bytes(save(state, metadata={"format": "pt"}))
    with atomic_path(folder / "config.json") as temporary:
        tower.config.to_json_file(temporary)


def _load_tower(folder: Path) -> BertModel:
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder / 'config.json'}: no such file. Expected a BERT directory.")
    if not (folder / "model.safetensors").is_file():
        raise InputError(f"{folder / 'model.safetensors'}: no such file. The weights are missing.")
    return BertModel.from_pretrained(folder, add_pooling_layer=False, dtype=torch.float32)
