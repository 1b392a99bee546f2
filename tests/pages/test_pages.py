"""Every page and plot of the commands, looked at in a real browser: light at a desk's width and dark at a phone's,
without network."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from click.testing import CliRunner
from cryptostitch.analysis.bench_results import read_results, shipped
from cryptostitch.analysis.standing import Loop, standings
from cryptostitch.binding import runtime
from cryptostitch.cli import main
from cryptostitch.cpus.folder import folder_of
from cryptostitch.learning.host import Host
from cryptostitch.learning.learn import Learned
from cryptostitch.report.folder import INDEX
from cryptostitch.report.learned import learned_data, learned_page
from cryptostitch.report.overview import LOADS, NOT_MEASURED, times_as_fast
from pages.browser import WIDTHS, opened, printed

PAIR = "aes128_cbc_enc_x1+sha1_ni_x1@sse_aesni_shani"
PLOTTED = ("sha1", "aes-128-cbc+hmac-sha1-etm")
MOST_SHEETS = 30
SCREENS = (400, 1600)  # pixels of width
BLANK = 8  # colours that a page without content may have


def learned(file: Path) -> Path:
    """Writes the page with which `cryptostitch learn` ends, from the folder that ships."""
    folder = folder_of("zen4")
    found = standings(read_results(folder.bench()))
    why = {standing.ours.variant: Loop(16, 0.5, 0.4, "aes") for standing in found}
    searched = {
        "tried": {PAIR: {"kept": True, "gain": 1.02}},
        "untried": ["aes128_cbc_enc_x1+md5_x1@sse_aesni_bmi2"] * 9,
    }
    done = Learned(Host("zen4", "AMD EPYC", True), folder, 1800.0, searched, ("what else is to be said",))
    file.write_text(learned_page(learned_data(done, found, why)))
    return file


@pytest.fixture(scope="session")
def pages(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Makes a page by name, once."""
    folder = tmp_path_factory.mktemp("pages")
    results = shipped("zen4")
    commands = {
        "report": ["report", PAIR, "--cpu", "zen4", "--no-measure", "-o", folder / "report.html"],
        "groups": ["report", "md5_x64@avx512", "--cpu", "zen5", "--no-measure", "-o", folder / "groups.html"],
        "evidence": [
            "verify",
            "sha1_ni_x[12]@sse_shani",
            "--check",
            "bytes",
            "--check",
            "answers",
            "--jobs",
            "1",
            "--seed",
            "1",
            "--html",
            folder / "evidence.html",
        ],
        "matrix": [
            "matrix",
            "--isa",
            "sse",
            "--ciphers",
            "aes128_cbc_enc",
            "--hashes",
            "sha*_ni",
            "--seconds",
            "0.01",
            "--html",
            folder / "matrix.html",
        ],
        "plot": [
            "bench",
            "--results",
            results,
            "--rows",
            ",".join(PLOTTED),
            "--plot",
            folder / "plot.svg",
        ],
    }

    commands["pairs"] = ["matrix", "--isa", "sse", "--pairs", "md5+sha1", "--seconds", "0.01", "--folder"]
    commands["pairs"] += [folder / "pairs"]
    commands["search"] = ["tune", "md5_x4", "sha1_x4", "--isa", "sse", "--seconds", "2", "--folder", folder / "search"]

    def get(name: str) -> Path:
        if name == "learned":
            return learned(folder / "learned.html")
        file = Path(commands[name][-1])
        file = file / INDEX if "--folder" in commands[name] else file
        if not file.exists():
            if name == "matrix" and not {"aes", "sha"} <= set(runtime.Context().cpu()["features"]):
                pytest.skip("this CPU has no AES-NI or SHA extensions")
            result = CliRunner().invoke(main, [str(a) for a in commands[name]])
            assert result.exit_code == 0, result.output + result.stderr
        return file

    return get


@pytest.mark.parametrize(
    "name, legend, least",
    [
        ("report", ".legend, .key .mark", 4),
        ("groups", ".legend, .key .mark", 8),
        ("evidence", "thead th", 6),
        ("matrix", "thead th", 4),
        ("learned", "thead th", 20),
    ],
)
def test_a_page(browser: Any, pages: Any, tmp_path: Path, name: str, legend: str, least: int) -> None:
    file = pages(name)
    for where, dark in (("desk", False), ("phone", True)):
        seen = opened(browser, file, WIDTHS[where], dark, legend, tmp_path / f"{name}-{where}.png")
        assert not seen.errors and not seen.fetched
        assert seen.overflow <= 0 and not seen.wide, where
        assert seen.colours > BLANK and not seen.hidden
        assert seen.legends >= least


@pytest.mark.parametrize("name, legend, least, leads_to", [("pairs", "td.cell a", 1, 1), ("search", ".legend", 2, 2)])
def test_a_folder(browser: Any, pages: Any, tmp_path: Path, name: str, legend: str, least: int, leads_to: int) -> None:
    """Its index and every page that it leads to, at four sizes and colours of a screen; the pages lead back."""
    index = pages(name)
    browser.get(index.as_uri())
    links = {a.get_attribute("href") for a in browser.find_elements("css selector", "a")}
    others = [Path(unquote(urlsplit(link).path)) for link in links]
    assert len(others) == leads_to and {other.parent for other in others} == {index.parent}
    for file, what, count in ((index, legend, least), *((other, ".legend, .key .mark, nav a", 5) for other in others)):
        for width, dark in itertools.product(SCREENS, (False, True)):
            kept = tmp_path / f"{file.stem}-{width}-{'dark' if dark else 'light'}.png"
            seen = opened(browser, file, width, dark, what, kept)
            assert not seen.errors and not seen.fetched, kept
            assert seen.overflow <= 0 and not seen.wide, kept
            assert seen.colours > BLANK and not seen.hidden and seen.legends >= count, kept
    browser.get(others[0].as_uri())
    assert Path(urlsplit(browser.find_element("css selector", "nav a").get_attribute("href")).path) == index


def test_the_progress_of_a_search_is_drawn(browser: Any, pages: Any) -> None:
    """As many dots as were timed, and a line that never rises, in both plots."""
    page = pages("search")
    browser.get(page.as_uri())
    plots = browser.find_elements("css selector", ".plot")
    assert len(plots) == 2
    dots = [plot.find_element("css selector", ".dots").get_attribute("d").count("M") for plot in plots]
    tried = re.search(r"(\d+) candidates in", page.read_text())
    refused = re.search(r"(\d+) of them did not fit", page.read_text())
    assert tried and refused and dots == [int(tried[1]) - int(refused[1])] * 2
    for plot in plots:
        line = plot.find_element("css selector", ".best").get_attribute("d")
        heights = [float(y) for y in re.findall(r"(?:^M[\d.]+ |V)([\d.]+)", line)]
        assert heights == sorted(heights)  # SVG counts from the top


@pytest.mark.parametrize("name", ["report", "evidence", "matrix", "learned", "pairs", "search"])
def test_a_page_on_paper(browser: Any, pages: Any, tmp_path: Path, name: str) -> None:
    beyond, sheets = printed(browser, pages(name), tmp_path / f"{name}.pdf")
    assert not beyond and 1 <= sheets <= MOST_SHEETS


def test_what_is_cut_off_is_found(browser: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><div class=scroll style='overflow:auto'><p style='width:900px'>wide</p></div><p "
        "style='break-before:page'>two"
    )
    assert printed(browser, bad, tmp_path / "bad.pdf") == (["P wide"], 2)


def test_a_plot(browser: Any, pages: Any) -> None:
    seen = opened(browser, pages("plot"), WIDTHS["desk"], legend="#legend_1 text")
    libraries = {c.implementation for c in read_results(shipped("zen4")).cells if c.row in PLOTTED}
    assert not seen.errors and not seen.fetched and seen.colours > BLANK
    assert seen.legends == len(libraries) > 2 and not seen.hidden


# What an SVG draws, its grid and background aside, and sticks out of its view box.
OUTSIDE = """const svg = document.documentElement, view = svg.viewBox.baseVal, page = svg.getBoundingClientRect();
    const scale = page.width / view.width;
    return [...document.querySelectorAll('text, #legend_1 path')].filter(e => {
        const box = e.getBoundingClientRect();
        return box.left < page.left - 1 || box.top < page.top - 1 || box.right > page.left + view.width * scale + 1 ||
            box.bottom > page.top + view.height * scale + 1;
    }).map(e => e.textContent || e.tagName)"""


@pytest.mark.parametrize("ink", ("light", "dark"))
@pytest.mark.parametrize("width", SCREENS)
def test_the_picture_of_the_front_page(browser: Any, root: Path, ink: str, width: int) -> None:
    """Every text and every swatch lies inside, and each bar has a number, or "not measured" in its place."""
    picture = root / f"bench/speed-{ink}.svg"
    browser.set_window_size(width, 1000)
    browser.get(picture.as_uri())
    assert not browser.execute_script(OUTSIDE)
    texts = [text.text for text in browser.find_elements("css selector", "text")]
    results = [read_results(shipped(cpu)) for cpu in ("zen5", "sapphire_rapids")]
    shown = [load for load in LOADS if any(times_as_fast(of, load) for of in results)]
    wanted = [times_as_fast(of, load) for of in results for load in shown]
    numbers = [text for text in texts if re.fullmatch(r"\d+\.\d\d", text)]
    assert sorted(numbers) == sorted(f"{ratio:.2f}" for ratio in wanted if ratio)
    assert texts.count(NOT_MEASURED) == wanted.count(None)
    assert {" ".join(load.label.split()) for load in shown} <= set(texts)


def test_what_is_outside_is_found(browser: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.svg"
    bad.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30" viewBox="0 0 90 30">'
        '<text x="5" y="20">in</text><text x="70" y="20">outside</text>'
        '<g id="legend_1"><path d="M-22 5h16v4z"/></g></svg>'
    )
    browser.get(bad.as_uri())
    assert browser.execute_script(OUTSIDE) == ["outside", "path"]


def test_what_is_looked_for_is_found(browser: Any, tmp_path: Path) -> None:
    """A page with every fault, and an empty one."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><meta name=viewport content='width=device-width'><p style='width:900px'>wide</p><b "
        "class=legend style='display:none'>A</b>"
        "<img src='http://127.0.0.1:9/x.png'><script>console.error('broken')</script>"
    )
    seen = opened(browser, bad, WIDTHS["phone"])
    assert any("broken" in error for error in seen.errors)
    assert seen.fetched == ["http://127.0.0.1:9/x.png"]
    assert seen.overflow > 400 and seen.wide == ["P."] and len(seen.hidden) == 1
    (tmp_path / "blank.html").write_text("<!doctype html><title>nothing</title>")
    blank = opened(browser, tmp_path / "blank.html", WIDTHS["desk"])
    assert blank.colours == 1 and blank.legends == 0
