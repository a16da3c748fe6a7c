"""Make a site of README and docs in build/site: `make docs`, which needs no network.

The tool is Zensical, by the makers of Material for MkDocs, whose maintenance ends in 2026. A link
that leads nowhere ends it. The pages are copied first, since README and others lie beside docs/.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from muver import _HOMES

SOURCE, OUT = Path("build/site-source"), Path("build/site")
BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CITATION.cff", "LICENSE")
SITE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
PAGES, CONFIG = SITE["pages"], SITE["config"]


def moved(text: str) -> str:
    """A page with its links to docs/ and to what lies beside it as they are in the copy."""
    return re.sub(r"(\]\(|src=\"|srcset=\")(?:docs/|\.\./(?=[A-Z]))", r"\1", text)


def tour(notebook: Path) -> str:
    """A notebook as Markdown: text, code, and what the code printed."""
    parts = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        printed = "".join(line for out in cell.get("outputs", ()) for line in out.get("text", ()))
        parts += [f"```text\n{printed.rstrip()}\n```"] if printed else []
    return "\n\n".join(parts) + "\n"


def reference() -> str:
    """The page of what `from muver import ...` gives."""
    names = [f"## {name}\n\n::: muver.{home}.{name}" for name, home in _HOMES.items()]
    return "\n\n".join(["# Python", "What `from muver import ...` gives.", *names]) + "\n"


def menu(source: Path) -> list[dict]:
    """The pages that are there, those of results by dataset."""
    results = [{path.stem: f"results/{path.name}"} for path in sorted(source.glob("results/*.md"))]
    named = {title: results if page == "results" else page for title, page in PAGES.items()}
    return [
        {title: page}
        for title, page in named.items()
        if isinstance(page, list) or (source / page).exists()
    ]


def copy_pages(source: Path) -> None:
    """Copy README, docs and what they link to, and write the pages that are made of others."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree("docs", source)
    shutil.copy("README.md", source / "index.md")
    for name in BESIDE:
        shutil.copy(name, source)
    (source / "tour.md").write_text(tour(source / "tour.ipynb"), encoding="utf-8")
    (source / "api.md").write_text(reference(), encoding="utf-8")
    for page in source.rglob("*.md"):
        page.write_text(moved(page.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    """Copy, write the settings, and build."""
    copy_pages(SOURCE)
    settings = SOURCE.with_name("mkdocs.yml")  # YAML holds JSON
    settings.write_text(json.dumps({**CONFIG, "nav": menu(SOURCE)}), encoding="utf-8")
    shutil.rmtree(OUT, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run([*command, "--config-file", str(settings)], check=False)
    if done.returncode:
        raise SystemExit("The site is not made: a link leads nowhere, as said above.")
    print(OUT / "index.html")


if __name__ == "__main__":
    main()
