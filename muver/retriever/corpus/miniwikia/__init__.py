"""The built-in data: small fictional wikis in ZESHEL's or KILT's format, made from a seed."""

from muver.retriever.corpus.miniwikia.kilt_writer import generate_kilt
from muver.retriever.corpus.miniwikia.writer import generate

__all__ = ["generate", "generate_kilt"]
