"""Sizes of an encoder, without importing torch, for code that only plans or checks."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from muver.io.typed import as_record, read_record

ACTIVATIONS = ("gelu", "gelu_new", "relu")
# What DistilBERT's and T5's config.json call a BERT's sizes.
OTHER_NAMES = {
    "dim": "hidden_size",
    "d_model": "hidden_size",
    "n_layers": "num_hidden_layers",
    "num_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "num_heads": "num_attention_heads",
    "hidden_dim": "intermediate_size",
    "d_ff": "intermediate_size",
}


def is_packed(config: Mapping[str, Any]) -> bool:
    """Whether a config.json is of a plain BERT, which our own code computes.

    All other encoders are computed by Hugging Face's library.
    """
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") in ACTIVATIONS
        and config.get("position_embedding_type") in (None, "absolute")
        and not config.get("is_decoder")
        and not config.get("dense")  # layers after the pooling
    )


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
        """Sizes from a config.json; of another encoder those that it shares with a BERT."""
        what = "an encoder's sizes", "Name an encoder's directory."
        raw = read_record(path, dict[str, Any], *what)
        return as_record(asdict(cls.from_dict(raw)), path, cls, *what)

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "BertConfig":
        """Take the sizes from a config.json's content."""
        named = {
            OTHER_NAMES.get(key, key): value
            for key, value in raw.items()
            if key == "pad_token_id" or value is not None
        }
        if named.get("hidden_act") not in ACTIVATIONS:
            named.pop("hidden_act", None)
        return cls(**{f.name: named[f.name] for f in fields(cls) if f.name in named})

    def as_dict(self) -> dict[str, Any]:
        """The content of config.json."""
        return {"architectures": ["BertModel"], "model_type": "bert", **asdict(self)}
