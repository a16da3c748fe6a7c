"""Turn text into ids with the tokenizer in a model's directory."""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from muver.io.errors import InputError
from muver.retriever.encoders.files import TOKENIZER_FILE
from muver.retriever.views.layout import Ids, Markers

# Markers by name: a piece without a meaning in BERT's vocabulary, which the released systems took;
# the piece that other vocabularies get, by the paper's name; and the words whose embeddings' mean
# it starts as.
MARKERS = {
    "mention_start": ("[unused0]", "[Ms]", "start of mention"),
    "mention_end": ("[unused1]", "[Me]", "end of mention"),
    "title_end": ("[unused2]", "[ENT]", "title of entity"),
}


def read_tokenizer(path: Path) -> Tokenizer:
    """A tokenizer from its file."""
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises no other class
        raise InputError(f"{path}: not a tokenizer, or damaged ({error}).") from error


class Pieces:
    """A tokenizer with the markers that the layouts need.

    A text that has the name of a special piece, such as ``[SEP]``, is read as these letters.
    """

    def __init__(self, folder: str | Path):
        path = Path(folder) / TOKENIZER_FILE
        if not path.is_file():
            raise InputError(f"{path}: no such file. An encoder's directory needs its tokenizer.")
        self.path = path
        self._tokenizer = read_tokenizer(path)
        padding = self._tokenizer.padding
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True  # of a text: as text
        # Whether a word has other pieces after a space than without one, and the names of special
        # pieces that a text with these letters gets: found out by :meth:`ids`, which reads both.
        self._spaces, self._names = False, ()
        pieces = {"pad": ("[PAD]",), **{name: pair for name, (*pair, _) in MARKERS.items()}}
        numbers = {name: self._find(*known) for name, known in pieces.items()}
        if padding:
            numbers["pad"] = padding["pad_id"]
        if missing := [pieces[name][0] for name, number in numbers.items() if number is None]:
            raise InputError(
                f"{path}: the vocabulary has no {', '.join(missing)}. Make the encoder's directory "
                "with `muver stage encoder`, which adds what is missing."
            )
        bos, eos = self._around()
        self.markers = Markers(bos=bos, eos=eos, **numbers)
        first, second, both = self.ids(["b", "a", "b a"])
        self._spaces = both != first + second
        self._names = self._names_that_are_pieces()

    @property
    def mask(self) -> int:
        """The piece that hides another one in pre-training."""
        if (number := self._find("[MASK]")) is None:
            raise InputError(
                f"{self.path}: the vocabulary has no [MASK], which pre-training needs. Choose an "
                "encoder with a BERT vocabulary, or set pretrain.steps to 0."
            )
        return number

    @property
    def size(self) -> int:
        """Number of pieces, including added ones."""
        return self._tokenizer.get_vocab_size()

    def name(self, number: int) -> str:
        """The text of a piece."""
        return self._tokenizer.id_to_token(number)

    def ids(self, texts: Sequence[str], within: bool = False) -> list[Ids]:
        """Ids of each text, without special pieces.

        Some tokenizers, such as RoBERTa's, have other pieces for a word after a space. To them the
        texts that stand ``within`` a longer one are given with a space before their first word.
        """
        texts = list(map(self._broken, texts)) if self._names else list(texts)
        if self._spaces:  # one at a text's end belongs to the next word
            texts = [text.rstrip() for text in texts]
            if within:
                texts = [f" {text}" if text[:1].isalnum() else text for text in texts]
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Start and end of each piece of a text that stands within a longer one, in characters."""
        plain = self._broken(text)
        added = self._spaces and plain[:1].isalnum()
        encoded = self._tokenizer.encode(f" {plain}" if added else plain, add_special_tokens=False)
        places = [(max(start - added, 0), max(end - added, 0)) for start, end in encoded.offsets]
        if plain == text:
            return places
        at, letters = [], iter(plain)  # of each place in the broken text, that in the given one
        for number, letter in enumerate([*text, ""]):
            at.append(number)
            while letter and next(letters) != letter:
                at.append(number)
        return [(at[start], at[end]) for start, end in places]

    def _broken(self, text: str) -> str:
        """A text in which a space breaks the names that the vocabulary has as pieces."""
        for name in self._names:
            if name in text:
                text = text.replace(name, f"{name[0]} {name[1:]}")
        return text

    def _names_that_are_pieces(self) -> tuple[str, ...]:
        """The special pieces that a text's letters give all the same, as in vocabularies of
        SentencePiece.
        """
        special = {
            number: piece.content
            for number, piece in self._tokenizer.get_added_tokens_decoder().items()
            if piece.special and len(piece.content) > 1
        }
        names = list(special.values())
        alone, within = self.ids(names), self.ids([f"a {name} b" for name in names])
        return tuple(
            name
            for (number, name), *both in zip(special.items(), alone, within, strict=True)
            if any(number in ids for ids in both)
        )

    def _find(self, *pieces: str) -> int | None:
        numbers = map(self._tokenizer.token_to_id, pieces)
        return next((number for number in numbers if number is not None), None)

    def _around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the tokenizer puts before and after a text; ours from scratch does not say."""
        if self._tokenizer.post_processor is None:
            ends = (self._find("[CLS]"), self._find("[SEP]"))
            bos, eos = (() if number is None else (number,) for number in ends)
            return bos, eos
        encoded = self._tokenizer.encode("a")
        special = encoded.special_tokens_mask
        start, end = special.index(0), len(special) - special[::-1].index(0)
        return tuple(encoded.ids[:start]), tuple(encoded.ids[end:])
