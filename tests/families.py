"""Tiny random encoders of the families that users have, in directories of the library's form."""

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers.pre_tokenizers import Split
from tokenizers.processors import TemplateProcessing
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerBase

from muver.io.files import write_json
from tests import tiny

SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 66,
    "initializer_range": 0.3,
}
DEBERTA = {
    "relative_attention": True, "position_buckets": 8, "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False, "share_att_key": True, "norm_rel_ebd": "layer_norm",
    "type_vocab_size": 0,
}  # fmt: skip
# The tokenizer's class, the model's type, and what its configuration has beside the sizes.
FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "BERT": ("BertTokenizer", "bert", {}),
    "RoBERTa": ("RobertaTokenizer", "roberta", {}),
    "XLM-R": ("XLMRobertaTokenizer", "xlm-roberta", {}),
    "MPNet": ("MPNetTokenizer", "mpnet", {}),
    "DistilBERT": ("BertTokenizer", "distilbert", {}),
    "ELECTRA": ("BertTokenizer", "electra", {"embedding_size": 8}),
    "DeBERTa-v3": ("DebertaV2Tokenizer", "deberta-v2", DEBERTA),
    "ModernBERT": ("RobertaTokenizer", "modernbert", {"local_attention": 8}),
    "T5": ("T5Tokenizer", "t5", {"d_kv": 8, "d_ff": 32, "max_position_embeddings": None}),
    "Qwen3": ("Qwen2Tokenizer", "qwen3", {"num_key_value_heads": 1, "head_dim": 8}),
    "Gemma": ("GemmaTokenizer", "gemma3_text", {"num_key_value_heads": 1, "head_dim": 8,
                                                "sliding_window": 8}),
}  # fmt: skip
# What the tokenizers of decoders put around a text is not the class's but the checkpoint's.
AROUND = {"Qwen3": "$A <|endoftext|>", "Gemma": "<bos> $A"}


def make(family: str, folder: Path) -> Path:
    """An encoder with random weights and a vocabulary of the tiny texts."""
    kind, model_type, further = FAMILIES[family]
    tokenizer = tokenizer_of(kind, AROUND.get(family))
    special = {
        f"{name}_token_id": getattr(tokenizer, f"{name}_token_id")
        for name in ("pad", "bos", "eos", "cls", "sep")
    }
    torch.manual_seed(3)
    sizes = {**SIZES, "vocab_size": len(tokenizer), **special, **further}
    AutoModel.from_config(AutoConfig.for_model(model_type, **sizes)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tokenizer_of(kind: str, around: str | None = None) -> PreTrainedTokenizerBase:
    """A tokenizer of a class with pieces of the tiny texts."""
    texts = [" ".join(sentences) for sentences in tiny.texts()]
    untrained = getattr(transformers, kind)()
    if kind == "GemmaTokenizer":  # whose own pieces don't go on over a space
        untrained.backend_tokenizer.pre_tokenizer = Split("▁", "merged_with_next")
    tokenizer = untrained.train_new_from_iterator(texts, 320)
    if around is not None:
        special = [one for one in around.split() if one != "$A"]
        ids = [(one, tokenizer.convert_tokens_to_ids(one)) for one in special]
        template = TemplateProcessing(single=around, special_tokens=ids)
        tokenizer.backend_tokenizer.post_processor = template
    return tokenizer


def with_modules(
    folder: Path, pooling: str, dense: int = 0, normalised: bool = True, **prompts: str
) -> Path:
    """Add the files of sentence-transformers, with a random layer to ``dense`` numbers if asked."""
    kinds = ["Transformer", "Pooling", *["Dense"] * bool(dense), *["Normalize"] * normalised]
    modules = [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds]
    write_json(folder / "modules.json", modules)
    write_json(folder / "1_Pooling/config.json", {"pooling_mode": pooling})
    write_json(folder / "config_sentence_transformers.json", {"prompts": prompts})
    if dense:
        layer = torch.nn.Linear(SIZES["hidden_size"], dense)
        sizes = {"in_features": SIZES["hidden_size"], "out_features": dense, "bias": True}
        activation = {"activation_function": "torch.nn.modules.activation.Tanh"}
        write_json(folder / "2_Dense/config.json", {**sizes, **activation})
        weights = {f"linear.{name}": value for name, value in layer.state_dict().items()}
        torch.save(weights, folder / "2_Dense" / "pytorch_model.bin")
    return folder
