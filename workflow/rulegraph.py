"""Draws the graph of rules into docs/rulegraph.md as Mermaid, which GitHub renders.

`make rulegraph` runs this. Snakemake numbers and colours all rules anew with each rule; here nodes
are names and lines are sorted, so that a new rule changes only its own lines.
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path("docs/rulegraph.md")
TEXT = """\
# The rules

The way from the data to the page, in twelve of the rules:

<img src="images/dag.svg" alt="From download to report and record" width="830">

All that `snakemake` without a target runs in the default preset, with an encoder from scratch in
place of the one that comes along: an arrow says that the second rule reads what the first one
writes. `make rulegraph` draws it anew; `snakemake --dag` shows the jobs.

```mermaid
flowchart TB
{lines}
```
"""


def draw(mermaid: str) -> str:
    """The page, from the output of ``snakemake --rulegraph mermaid-js``."""
    names = dict(re.findall(r"^\s*(id\d+)\[(.+?)\]\s*$", mermaid, re.MULTILINE))
    edges = re.findall(r"^\s*(id\d+) --> (id\d+)\s*$", mermaid, re.MULTILINE)
    if not names or not edges:
        raise SystemExit(f"no graph in what snakemake printed:\n{mermaid}")
    lines = sorted({f"    {names[first]} --> {names[second]}" for first, second in edges})
    return TEXT.format(lines="\n".join(lines))


if __name__ == "__main__":
    scratch = ["--config", "encoder=scratch", "pretrain={steps: 1}"]
    command = ["snakemake", "--rulegraph", "mermaid-js", *sys.argv[1:], *scratch]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    PAGE.write_text(draw(done.stdout), encoding="utf-8")
    print(f"{PAGE} is drawn")
