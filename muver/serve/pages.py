"""Pages for people: one to ask the service, one that describes its routes."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from string import Template

from fastapi import APIRouter, FastAPI
from fastapi.responses import HTMLResponse

from muver.report.page import ASSETS as REPORT
from muver.serve.description import describe

ASSETS = Path(__file__).with_name("assets")
# The first is the results' page's, whose look this one shares.
STYLES = (REPORT / "page.css", ASSETS / "ask.css")
# In the order in which they use each other.
SCRIPTS = (
    REPORT / "elements.js",
    *(
        ASSETS / name
        for name in ("calls.js", "selection.js", "candidates.js", "change.js", "main.js")
    ),
)


def pages(app: FastAPI) -> APIRouter:
    """Their router."""
    router = APIRouter(include_in_schema=False)

    @router.get("/", response_class=HTMLResponse)
    async def ask() -> HTMLResponse:
        return _answer(_page("ask.html", _read(*SCRIPTS)))

    @router.get("/docs", response_class=HTMLResponse)
    async def docs() -> HTMLResponse:
        return _answer(_page("docs.html", "", describe(app.openapi())))

    return router


def _answer(page: str) -> HTMLResponse:
    """A page that can run and load only what is in it."""
    hashes = [
        " ".join(
            f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'"
            for part in re.findall(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
        )
        for tag in ("style", "script")
    ]
    policy = (
        f"default-src 'none'; style-src {hashes[0]}; script-src {hashes[1]}; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


@cache
def _page(name: str, script: str, content: str = "") -> str:
    template = Template((ASSETS / name).read_text(encoding="utf-8"))
    return template.substitute(style=_read(*STYLES), script=script, content=content)


@cache
def _read(*files: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in files)
