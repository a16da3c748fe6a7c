"""A headless Chromium that opens pages as files, and what tests ask of it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

WAIT = 30  # seconds, on a machine that does other things as well
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # tests in a container are often run by root
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-extensions",
    "--no-first-run",
    "--force-prefers-reduced-motion",  # nothing moves under a click
    # A page that asks for anything but this machine does not get it.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def start() -> Chrome:
    """A browser, or a skipped test where there is none; on continuous integration a failed one."""
    chromium = shutil.which("chromium")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        reason = "needs chromium and chromedriver: apt-get install chromium chromium-driver"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    options = ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Chrome(options, Service(driver))


class Tab:
    """A page in the browser."""

    def __init__(self, browser: Chrome):
        self.browser = browser

    def visit(self, address: str) -> None:
        """Open a page anew, in daylight and at the width of a desk."""
        self.media()
        self.width(1280)
        self.browser.get("about:blank")
        self.browser.get_log("browser")
        self.browser.get(address)

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file of results and wait until its explorer is there."""
        self.visit(f"{path.as_uri()}{fragment}")
        self.until(lambda: self.one("#explore").is_displayed() or self.shown("#loading.problem"))

    def press(self, *keys: str, holding: str | None = None) -> None:
        """Press keys one after another, on what has the focus."""
        chain = ActionChains(self.browser)
        if holding:
            chain.key_down(holding)
        chain.send_keys(*keys)
        if holding:
            chain.key_up(holding)
        chain.perform()

    def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until a condition holds."""
        redrawn = [StaleElementReferenceException]  # between being found and being asked
        wait = WebDriverWait(self.browser, WAIT, poll_frequency=0.05, ignored_exceptions=redrawn)
        return wait.until(lambda _: condition())

    def one(self, selector: str) -> WebElement:
        """The first element of a selector."""
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        """All elements of a selector."""
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def shown(self, selector: str) -> bool:
        """Whether any element of a selector can be seen."""
        return any(element.is_displayed() for element in self.all(selector))

    def texts(self, selector: str) -> list[str]:
        """Text of all elements of a selector, also of those out of sight."""
        found = "[...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.run(f"return {found}", selector)

    def choose(self, field: str, value: str) -> None:
        """Choose an option of a field by its value."""
        Select(self.one(f"#{field}")).select_by_value(value)

    def mentions(self) -> list[str]:
        """The mentions in the list."""
        return self.texts(".item .what")

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript in the page."""
        return self.browser.execute_script(script, *arguments)

    def width(self, pixels: int) -> None:
        """Make the page so wide."""
        size = {"width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def media(self, kind: str = "", scheme: str = "light") -> None:
        """Show the page as on paper (``print``) or in dark mode."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": kind, "features": features}
        )

    def complaints(self) -> list[str]:
        """What the console says."""
        return [entry["message"] for entry in self.browser.get_log("browser")]
