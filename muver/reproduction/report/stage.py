"""The report stage: from the folders of a run to one page."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_text
from muver.io.progress import logger
from muver.io.text import counted
from muver.reproduction.report.explorer import Report, explore
from muver.reproduction.report.page import drawing, html_of, tables
from muver.reproduction.report.results import RunFiles, read_recorded, read_results, read_systems
from muver.reproduction.tables.records import result_names
from muver.reproduction.tracking.provenance import commit, machine, versions


def make_report(
    *, results: Path, out: Path, settings: Report, workspace: Path | None = None
) -> list[str]:
    """Write the page of a run; what does not fit together is returned, on the page and in the log.

    Parameters
    ----------
    results
        Folder of the tables, results/DATASET.
    out
        The page to write.
    workspace
        Folder of what was built; by default the workflow's, ``build/DATASET/current``.
    """
    names = result_names(results) if settings.results is None else settings.results
    if not names:
        raise InputError(f"{results}: no table is in it. Make one: snakemake --cores all")
    files = RunFiles(results, workspace or Path("build") / results.name / "current")
    problems: list[str] = []
    shown = read_results(names, files, problems)
    systems = read_systems(shown, files, problems)
    data = None
    try:
        data = explore(systems, files, settings, problems)
    except InputError as error:
        problems.append(f"The predictions cannot be shown: {files.without_folders(error)}")
    problems = [*dict.fromkeys(problems)]
    for problem in problems:
        logger.warning("%s", problem)
    drawings = {name: drawing(results / "figures" / f"{name}.svg") for name in names}
    code = commit()
    page = html_of(
        shown,
        systems,
        files,
        data,
        tables=tables(shown, drawings, read_recorded(shown, files)),
        made_of=made_of(results, names),
        problems=problems,
        machine=machine(),
        versions=versions() | ({"commit": code["hash"][:12] + code["changed"]} if code else {}),
    )
    write_text(out, page)
    has = counted(len(shown), "result"), counted(len(systems), "row")
    logger.info("%s: %s, %s, %s", out, *has, counted(len(problems), "problem"))
    return problems


def made_of(results: Path, names: Iterable[str]) -> str:
    """A SHA-256 of the tables that a page shows, which it has in its head."""
    files = (results / f"{name}.json" for name in sorted(names))
    listed = "".join(f"{sha256_of(file)}  {file.name}\n" for file in files if file.is_file())
    return sha256(listed.encode()).hexdigest()


def page_of_made(results: Path) -> None:
    """Make ``report.html`` of the tables in a folder, if it shows others, and the link to it in the
    folder above.

    A table's own run ends with it; the rule ``report`` makes it of all that params.yaml lists.
    """
    page, tables = results / "report.html", result_names(results)
    if not tables:
        return
    head = page.read_bytes()[:1000] if page.is_file() else b""
    if made_of(results, tables).encode() not in head:
        make_report(results=results, out=page, settings=Report())
    link = results.parent / page.name
    if not (link.is_symlink() and link.resolve() == page.resolve()):
        link.unlink(missing_ok=True)
        link.symlink_to(f"{results.name}/{page.name}")
