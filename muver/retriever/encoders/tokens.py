"""Turn text into word-piece ids with the tokenizer in a model's directory."""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from muver.io.errors import InputError
from muver.retriever.encoders.files import TOKENIZER_FILE
from muver.retriever.views.layout import Ids, Markers

MARKER_PIECES = {
    "pad": "[PAD]",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "mention_start": "[unused0]",
    "mention_end": "[unused1]",
    "title_end": "[unused2]",
}


class WordPieces:
    """A BERT vocabulary with the markers that the layouts need."""

    def __init__(self, folder: str | Path):
        path = Path(folder) / TOKENIZER_FILE
        if not path.is_file():
            raise InputError(f"{path}: no such file. An encoder's directory needs its tokenizer.")
        self.path = path
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises no other class
            raise InputError(f"{path}: not a tokenizer, or damaged ({error}).") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        found = {name: self._tokenizer.token_to_id(p) for name, p in MARKER_PIECES.items()}
        missing = [MARKER_PIECES[name] for name, number in found.items() if number is None]
        if missing:
            raise InputError(
                f"{path}: the vocabulary has no {', '.join(missing)}. The layouts need BERT's "
                "special pieces; choose an encoder with a BERT vocabulary."
            )
        self.markers = Markers(**found)

    @property
    def mask(self) -> int:
        """The piece that hides another one in pre-training."""
        found = self._tokenizer.token_to_id("[MASK]")
        if found is None:
            raise InputError(
                f"{self.path}: the vocabulary has no [MASK], which pre-training needs. Choose an "
                "encoder with a BERT vocabulary, or set pretrain.steps to 0."
            )
        return int(found)

    @property
    def size(self) -> int:
        """Number of pieces, including added ones."""
        return self._tokenizer.get_vocab_size()

    def ids(self, texts: Sequence[str]) -> list[Ids]:
        """Word pieces of each text, without special pieces."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]
