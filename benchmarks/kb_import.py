"""Importing a wiki: pages a second and peak memory, as its export grows a hundredfold.

The export is made up: pages of about 2.5 KB with templates, references, sections and 20 links. Each
import is a process of its own; memory is the largest ``ru_maxrss`` of it and its children. CPU
seconds are valid on a busy machine too.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.kb_memory import measured
from benchmarks.rows import Findings, Row

PAGES = 300
TIMES = (1, 10, 100)
HEAD = (
    '<mediawiki version="0.11"><siteinfo><dbname>made</dbname><case>first-letter</case>'
    '<namespaces><namespace key="0" /></namespaces></siteinfo>\n'
)
PAGE = (
    "<page><title>{title}</title><ns>0</ns><id>{number}</id><revision><id>{number}</id>"
    "<model>wikitext</model><text>{text}</text></revision></page>\n"
)
REDIRECT = "<page><title>Also {title}</title><ns>0</ns><id>{number}</id>{leads}</page>\n"
LEADS = "<redirect title='{title}'/><revision><text>#REDIRECT [[{title}]]</text></revision>"
PARTS = 5
LINKS = 4  # of each part


def write_export(path: Path, pages: int) -> None:
    """Write an export of so many pages, and a redirect to each third one."""
    draw = random.Random(13)
    words = ["".join(draw.choices("abdegiklmnorstu", k=draw.randint(2, 9))) for _ in range(5000)]
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        for number in range(pages):
            parts = ["{{Infobox|name=x|of=[[Page 1]]}}'''Page''' is a page."]
            for part in range(PARTS):
                said = draw.choices(words, k=60)
                for at in draw.sample(range(60), LINKS):
                    said[at] = f"[[Page {draw.randrange(pages)}|{said[at]}]]"
                parts.append(f"== Part {part} ==\n{' '.join(said)}.&lt;ref&gt;A book.&lt;/ref&gt;")
            text = "\n\n".join(parts)
            file.write(PAGE.format(title=f"Page {number}", number=number + 1, text=text))
            if number % 3 == 0:
                leads = LEADS.format(title=f"Page {number}")
                more = pages + number + 1
                file.write(REDIRECT.format(title=f"page {number}", number=more, leads=leads))
        file.write("</mediawiki>\n")


def run(context) -> Findings:
    """Imports of exports of three sizes, in one process and in two, and their memory."""
    findings = Findings()
    pages = 20 if context.options.quick else PAGES
    peaks = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for times in TIMES:
            export = folder / "wiki.xml"
            write_export(export, pages * times)
            size = f"{pages * times} pages, {export.stat().st_size / 1e6:.1f} MB"
            dataset = ["--mentions", str(folder / f"dataset-{times}")]
            ways = {"": [], ", with mentions": dataset, ", 2 processes": ["--workers", "2"]}
            for way, further in ways.items():
                command = ["kb", "import", str(export), "--out", str(folder / "kb"), *further]
                wall, cpu, peaks[times, way] = by_itself(*command)
                findings.rows.append(
                    Row(
                        "kb import",
                        size + way,
                        "pages/CPU s",
                        ours=pages * times / cpu,
                        remark=f"{wall:.1f} s, {cpu:.1f} s of CPU, peak {peaks[times, way]:.0f} MB",
                    )
                )
    for times in TIMES[1:]:
        first, peak = peaks[1, ", with mentions"], peaks[times, ", with mentions"]
        what = f"peak memory at {times} times the pages, with mentions"
        findings.rows.append(Row("kb import", what, "MB", first, peak, peak / first))
    return findings


def by_itself(*command: str) -> tuple[float, float, float]:
    """Measure a command from a process that has no torch: a child inherits its parent's peak."""
    call = [sys.executable, "-m", "benchmarks.kb_import", *command]
    said = subprocess.run(call, check=True, capture_output=True).stdout
    return tuple(json.loads(said.splitlines()[-1]))


if __name__ == "__main__":
    print(json.dumps(measured(*sys.argv[1:])))
