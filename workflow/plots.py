"""`dvc plots` as a page that needs no network: `make plots`, or `make plots ARGS="diff HEAD~1"`.

DVC's own page loads Vega from the network. Snakemake's report comes with a copy of Vega, which this
puts into the page's template.
"""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

TEMPLATE = Path(".dvc/tmp/plots.html")  # not in git
LIBRARIES = ("vega", "vega-lite", "vega-embed")  # each needs the ones before it
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Plots of the results</title>
{libraries}
<style>body {{ font-family: system-ui, sans-serif; }} table {{ border-spacing: 15px; }}</style>
</head>
<body>
{{plot_divs}}
</body>
</html>
"""


def template() -> str:
    """A self-contained template for ``dvc plots --html-template``."""
    data = files("snakemake") / "assets" / "data"
    scripts = [(data / name / f"{name}.js").read_text(encoding="utf-8") for name in LIBRARIES]
    return PAGE.format(libraries="\n".join(f"<script>\n{text}\n</script>" for text in scripts))


if __name__ == "__main__":
    TEMPLATE.parent.mkdir(parents=True, exist_ok=True)
    TEMPLATE.write_text(template(), encoding="utf-8")
    command = ["dvc", "plots", *(sys.argv[1:] or ["show"])]
    sys.exit(subprocess.run([*command, "--html-template", str(TEMPLATE.absolute())]).returncode)
