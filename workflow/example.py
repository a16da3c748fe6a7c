"""Write README.md's example of a retriever: a mention of the test worlds that MuVER finds.

``python workflow/example.py`` after ``snakemake --cores all build/miniwikia/indexes/muver.json``.
The block in the README is the one place of its code: only the mention and the output are replaced.
"""

import contextlib
import io
import json
import re
import sys
from pathlib import Path

from muver import Mention, Retriever
from muver.retriever.corpus.schema import read_mentions

README = Path("README.md")
INDEX = Path("build/miniwikia/indexes/muver.json")
MENTIONS = Path("build/miniwikia/current/corpus/mentions.parquet")
CODE = re.compile(r"(?<=```python\n)from muver import Mention.*?(?=```\n)", re.DOTALL)
OUTPUT = re.compile(r"```\n(?:\n```text\n.*?```\n)?", re.DOTALL)  # what follows the code
CALL = re.compile(r"Mention\(.*?\)\n", re.DOTALL)
LONGEST = 90  # characters of a context


def in_its_sentence(row: dict) -> Mention:
    """A mention of the corpus with the words of its own sentence alone."""
    left = re.split(r"[.?!] ", row["context_left"])[-1]
    right = re.split(r"(?<=[.?!]) ", row["context_right"])[0]
    return Mention(row["mention"], left, right, row["world"])


def choose(retriever: Retriever, rows: list[dict]) -> Mention:
    """The mention whose gold entity leads by most, by a sentence and not by its name."""
    mentions = [in_its_sentence(row) for row in rows]
    leads = {}
    for row, mention, found in zip(rows, mentions, retriever.retrieve(mentions, k=2), strict=True):
        best, *others = found
        short = len(mention.left + mention.right) <= LONGEST
        named = mention.text in best.title.lower()
        if best.entity == row["gold"] and others and short and not named and best.text:
            leads[mention] = best.score - others[0].score
    if not leads:
        sys.exit("No mention of the test worlds is found first by a sentence of its entity.")
    return max(leads, key=leads.__getitem__)


def with_mention(readme: str, mention: Mention, index: Path) -> str:
    """The README with this mention in its example, and with what the example then prints."""
    given = {name: json.dumps(value, ensure_ascii=False) for name, value in vars(mention).items()}
    lines = [given.pop("text"), *(f"{name}={value}" for name, value in given.items())]
    call = "".join(["Mention(\n", *(f"    {line},\n" for line in lines), ")\n"])
    start, end = CODE.search(readme).span()
    code = CALL.sub(lambda _: call, readme[start:end], count=1)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(code.replace(str(INDEX), str(index)), {})
    after = OUTPUT.match(readme, end).end()
    return f"{readme[:start]}{code}```\n\n```text\n{said.getvalue()}```\n{readme[after:]}"


if __name__ == "__main__":
    rows = read_mentions(MENTIONS, "test").to_pylist()
    mention = choose(Retriever.from_index(INDEX), rows)
    README.write_text(with_mention(README.read_text(encoding="utf-8"), mention, INDEX), "utf-8")
    print(f"{README}: {mention}")
