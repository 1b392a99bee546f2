"""A headless Chromium that opens a page as a file, at the width of a desk or of a phone, and says what went wrong in
it."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--allow-file-access-from-files",
)
WIDTHS = {"desk": 1280, "phone": 390}
HEIGHT = 900
NOT_FETCHED = ("data:", "file:", "about:", "chrome:", "devtools:")


def missing() -> str:
    """Why there is no browser; empty when there is one."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return (
                f"no {program} here: install the Debian packages chromium and chromium-driver (`make test` does, as "
                "root)"
            )
    return ""


@dataclass(frozen=True)
class Opened:
    """``overflow``: by how many pixels the page is wider than the window. ``wide``: the elements that stick out.
    ``fetched``: addresses beyond the file. ``colours``: how many a screenshot has. ``legends``: how many were looked
    for; ``hidden``: those that cannot be seen."""

    errors: list[str]
    fetched: list[str]
    overflow: int
    wide: list[str]
    colours: int
    legends: int
    hidden: list[str]


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A driver with an empty profile of its own."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


# Whatever lies in a box that scrolls by itself may be wider than the window.
WIDE = """return [...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > arguments[0] + 1 && !e.closest('.scroll'))
    .slice(0, 5).map(e => e.tagName + '.' + e.className)"""
HIDDEN = """return [...document.querySelectorAll(arguments[0])].filter(e => {
    const box = e.getBoundingClientRect(); return !e.checkVisibility() || box.width < 4 || box.height < 4;
    }).map(e => e.outerHTML.slice(0, 80))"""


# Paper does not scroll: nothing may be wider than it, in a box or not.
BEYOND = """return [...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().width > 1 && e.getBoundingClientRect().right > arguments[0] + 1)
    .slice(0, 5).map(e => e.tagName + ' ' + (e.textContent ?? '').trim().slice(0, 30))"""
PAPER = 718  # pixels between the margins of A4
INCHES = (8.27, 11.69)


def printed(driver: Any, page: Path, to: Path) -> tuple[list[str], int]:
    """Prints the page, from a dark screen, to a PDF file without backgrounds. (Elements that stick out of the paper,
    pages.)"""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": PAPER, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    driver.get(page.absolute().as_uri())
    beyond = driver.execute_script(BEYOND, PAPER)
    pdf = base64.b64decode(
        driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": INCHES[0], "paperHeight": INCHES[1]})["data"]
    )
    to.write_bytes(pdf)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    return beyond, len(re.findall(rb"/Type\s*/Page\b", pdf))


def opened(
    driver: Any, page: Path, width: int, dark: bool = False, legend: str = ".legend", picture: Path | None = None
) -> Opened:
    """Opens the page. ``legend``: what has to be visible (a CSS selector). ``picture``: where to keep the
    screenshot."""
    from PIL import Image

    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]},
    )
    driver.get_log("browser"), driver.get_log("performance")
    driver.get(page.absolute().as_uri())
    image = driver.get_screenshot_as_png()
    if picture:
        picture.write_bytes(image)
    colours = Image.open(io.BytesIO(image)).convert("RGB").getcolors(1 << 24)
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    overflow = driver.execute_script("return document.documentElement.scrollWidth") - width
    return Opened(
        [entry["message"] for entry in driver.get_log("browser")],
        [url for url in asked if not url.startswith(NOT_FETCHED)],
        overflow,
        driver.execute_script(WIDE, width),
        len(colours),
        driver.execute_script("return document.querySelectorAll(arguments[0]).length", legend),
        driver.execute_script(HIDDEN, legend),
    )
