"""Punkt's English parameters, from NLTK's package."""

from pathlib import Path

from muver.io.progress import logger
from muver.retriever.corpus.archive import find_root
from muver.retriever.corpus.obtain import Download, place
from muver.retriever.views.files import PUNKT_FILES
from muver.retriever.views.punkt import verify_english


def obtain_english(download: Download, out: Path) -> None:
    """Put the four files of Punkt's English parameters into ``out``."""
    with download.unpacked(out) as folder:
        english = [path.parent for path in folder.rglob(f"english/{PUNKT_FILES[0]}")]
        root = find_root(english[0] if english else folder, PUNKT_FILES)
        verify_english(root)
        place(root, out, PUNKT_FILES)
    logger.info("%s: in %s", download.source.name, out)
