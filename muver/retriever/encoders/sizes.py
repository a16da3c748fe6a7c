"""Sizes of a BERT, without importing torch, for code that only plans or checks."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json

ACTIVATIONS = ("gelu", "gelu_new", "relu")


@dataclass(frozen=True)
class BertConfig:
    """Sizes of a BERT, as its config.json names them; the defaults are BERT-base's."""

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int | None = 0

    @classmethod
    def from_file(cls, path: Path) -> "BertConfig":
        raw = read_json(path)
        if not isinstance(raw, dict):
            raise InputError(f"{path}: expected an object with a BERT's sizes.")
        return cls.from_dict(raw, str(path))

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], where: str) -> "BertConfig":
        """Take the sizes from a config.json's content; errors start with ``where``."""
        kind = raw.get("model_type")
        if kind != "bert":
            raise InputError(
                f"{where} says model_type {kind!r}; both towers are BERTs. Choose a BERT-type "
                "encoder."
            )
        known = {field.name: raw[field.name] for field in fields(cls) if field.name in raw}
        config = cls(**known)
        embedding = raw.get("position_embedding_type") or "absolute"
        for name, value, allowed in (
            ("hidden_act", config.hidden_act, ACTIVATIONS),
            ("position_embedding_type", embedding, ("absolute",)),
        ):
            if value not in allowed:
                raise InputError(
                    f"{where} says {name} {value!r}, and only {', '.join(allowed)} can be built "
                    "here. Choose another encoder."
                )
        if config.hidden_size % config.num_attention_heads:
            raise InputError(
                f"{where} says hidden_size {config.hidden_size}, which cannot be shared out among "
                f"{config.num_attention_heads} attention heads."
            )
        return config

    def as_dict(self) -> dict[str, Any]:
        """The content of config.json."""
        return {"architectures": ["BertModel"], "model_type": "bert", **asdict(self)}
