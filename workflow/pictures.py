"""Write the pictures of a run in docs/images: `make pictures`, after `make results`.

Figure 2, the trade of an entity's vectors and that of labelled mentions are the run's own drawings,
the last two where results/tradeoff.csv and results/labelled.csv were made. The page, one of its
predictions and a row in MLflow are photographed in Chromium, in light and in dark where the page
has both. idea.svg and dag.svg are drawn by hand.
"""

import contextlib
import io
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
from PIL import Image
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

OUT = Path("docs/images")
RESULTS = Path("results/miniwikia")
BUILT = Path("build/miniwikia/current")
LARGEST = 80_000  # bytes of a picture
COLOURS = 64
PORT = 5987
FAR = 10  # BLINK's rank of an entity that it misses
WAIT = 60  # seconds for a page to be drawn


class Camera:
    """Chromium at the width of a desk."""

    def __init__(self) -> None:
        options = ChromeOptions()
        options.binary_location = shutil.which("chromium") or sys.exit(
            "Chromium is missing: apt-get install chromium chromium-driver"
        )
        for flag in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"):
            options.add_argument(flag)
        self.browser = Chrome(options, Service(shutil.which("chromedriver")))

    def open(self, address: str, width: int, height: int, scheme: str = "light") -> None:
        """Open a page in a window of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        dark = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
        self.browser.get("about:blank")
        self.browser.get(address)

    def wait(self, by: str, value: str) -> None:
        """Until an element is there."""
        found = WebDriverWait(self.browser, WAIT).until(lambda page: page.find_elements(by, value))
        assert found

    def take(self, name: str, selector: str = "", height: int | None = None) -> None:
        """Keep what is shown, or one element's first pixels, in few colours."""
        shown = self.browser.find_element(By.CSS_SELECTOR, selector) if selector else self.browser
        png = shown.screenshot_as_png if selector else shown.get_screenshot_as_png()
        picture = Image.open(io.BytesIO(png)).convert("RGB")
        if height is not None:
            picture = picture.crop((0, 0, picture.width, min(height, picture.height)))
        path = OUT / f"{name}.png"
        picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
        size = path.stat().st_size
        print(f"{path}: {picture.width} x {picture.height}, {size:,} bytes")
        if size > LARGEST:
            sys.exit(f"{path} is larger than {LARGEST:,} bytes: show less of it.")


@contextlib.contextmanager
def audit() -> Iterator[str]:
    """`muver audit` until the block ends; the address of its pages."""
    address = f"http://127.0.0.1:{PORT}"
    server = subprocess.Popen(["muver", "audit", "--port", str(PORT)])
    try:
        until = time.monotonic() + WAIT
        while server.poll() is None and time.monotonic() < until:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/health", timeout=5).close()
                break
            time.sleep(0.5)
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def telling() -> str:
    """The mention that MuVER finds by most, by a later sentence, and whose entity BLINK misses."""
    ranks = {
        system: {row["mention_id"]: row["rank"] for row in rows("evaluations", system)}
        for system in ("muver", "blink_128")
    }
    lists: dict[str, list[dict]] = {}
    for row in rows("runs", "muver"):
        lists.setdefault(row["mention_id"], []).append(row)
    leads = {
        mention: best["score"] - second["score"]
        for mention, (best, second, *_) in lists.items()
        if best["first"] and ranks["muver"][mention] == 1 and ranks["blink_128"][mention] >= FAR
    }
    return max(leads, key=leads.__getitem__)


def rows(kind: str, system: str) -> list[dict]:
    """A table of the test set, in its order."""
    return pq.read_table(BUILT / kind / "test" / f"{system}.parquet").to_pylist()


def page(camera: Camera) -> None:
    """The top of the page, and one mention in MuVER and BLINK."""
    address = (RESULTS / "report.html").resolve().as_uri()
    chosen = f"#explore&row=muver&other=blink_128&k=1&mention={telling()}"
    for scheme in ("light", "dark"):
        camera.open(address, 1100, 760, scheme)
        camera.wait(By.CSS_SELECTOR, "#explore:not([hidden])")
        camera.take(f"page-{scheme}")
        camera.open(address + chosen, 1100, 1500, scheme)
        camera.wait(By.CSS_SELECTOR, ".candidate")
        camera.take(f"prediction-{scheme}", "#detail", height=1000)


def run(camera: Camera) -> None:
    """MuVER's row of Table 1 as `make audit` shows it."""
    with audit() as address:
        listed = subprocess.run(["muver", "audit", "--list"], capture_output=True, text=True).stderr
        (runs,) = re.findall(r"table1 .*(/#/experiments/\S+)", listed)
        camera.open(f"{address}{runs}", 1280, 760)
        camera.wait(By.LINK_TEXT, "MuVER")
        camera.browser.find_element(By.LINK_TEXT, "MuVER").click()
        camera.wait(By.XPATH, "//*[text()='About this run']")
        camera.take("mlflow")


def figure(name: str) -> None:
    """A figure as the run drew it, in few colours; none that was not asked for."""
    if (drawn := RESULTS / f"figures/{name}.png").exists():
        picture = Image.open(drawn).convert("RGB")
        picture.thumbnail((900, 900))
        # Its colours are few and far apart, which the usual way of choosing some would mix.
        few = picture.quantize(COLOURS, Image.Quantize.FASTOCTREE)
        few.save(OUT / drawn.name, optimize=True)


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    for name in ("figure2", "tradeoff", "labelled"):
        figure(name)
    camera = Camera()
    try:
        page(camera)
        run(camera)
    finally:
        camera.browser.quit()
