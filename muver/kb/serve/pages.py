"""The page to ask the service. FastAPI's own, ``/docs``, describes the routes."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from muver.look import ASSETS as SHARED

ASSETS = Path(__file__).with_name("assets")
# The page can run and load only what is served here.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def add_page(app: FastAPI) -> None:
    """Add the page and its files; the look is the results' page's."""

    @app.get("/", include_in_schema=False)
    async def ask() -> FileResponse:
        return FileResponse(ASSETS / "ask.html", headers={"Content-Security-Policy": POLICY})

    app.mount("/assets", StaticFiles(directory=ASSETS))
    app.mount("/shared", StaticFiles(directory=SHARED))
