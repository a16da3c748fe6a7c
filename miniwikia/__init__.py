"""The generator of the invented data: small wikis in ZESHEL's format, an encyclopedia in KILT's.

muver ships what it writes and never imports it. ``make wikis`` writes the shipped files anew;
``python -m miniwikia NAME FOLDER [KEY=VALUE ...]`` writes one of the entries of settings.yaml, with
other values where some are given (docs/data.md).
"""

from miniwikia.kilt_writer import generate_kilt
from miniwikia.writer import generate

__all__ = ["generate", "generate_kilt"]
