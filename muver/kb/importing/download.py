"""What `muver stage download` does: fetch raw files or Punkt, or take what was fetched by hand."""

from pathlib import Path
from typing import Literal

from muver.io.progress import logger
from muver.retriever.corpus.archive import find_root
from muver.retriever.corpus.corpus_settings import Download as Settings
from muver.retriever.corpus.obtain import Download, obtain_dataset, obtain_files, place
from muver.retriever.corpus.sources import find_source
from muver.retriever.views.punkt import verify_english
from muver.retriever.views.views_settings import PUNKT_FILES


def download(
    out: Path,
    settings: Settings,
    dataset: str | None = None,
    files: str | None = None,
    punkt: Literal["english"] | None = None,
    archive: Path | None = None,
    url: str | None = None,
    source: Path | None = None,
) -> None:
    """Fetch a dataset, a declared file or Punkt's English parameters, and verify it.

    One of the three is named.
    """
    declared = find_source(dataset or files or f"punkt_{punkt}")
    local = source or (Path(settings.source) if settings.source else declared.shipped)
    beside = out if files and declared.kind == "file" else out.parent / "download"
    archive = archive or beside / declared.file
    if declared.kind == "worlds":
        from muver.kb.importing.pages.worlds import obtain_worlds

        obtain_worlds(declared, archive, out, url or settings.url, local)
        return
    obtain = obtain_dataset if dataset else obtain_files if files else obtain_english
    obtain(Download(declared, archive, url or settings.url, local, settings.sha256), out)


def obtain_english(download: Download, out: Path) -> None:
    """Put the four files of Punkt's English parameters, from NLTK's package, into ``out``."""
    with download.unpacked(out) as folder:
        english = [path.parent for path in folder.rglob(f"english/{PUNKT_FILES[0]}")]
        root = find_root(english[0] if english else folder, PUNKT_FILES)
        verify_english(root)
        place(root, out, PUNKT_FILES)
    logger.info("%s: in %s", download.source.name, out)
