"""The documentation's site in a real browser: built without a warning, no requests, nothing cut off, names found.

- Every page fits a window of 1280 pixels in light colors and one of 390 in dark ones: the page does not scroll
  sideways, and wide content scrolls in its place.
- The search finds a step, an option, a column, a reason code and a command on its generated page.
- The first page opens with pictures.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from conftest import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

CUT_OFF = """() => {
  const fits = (element) => {
    const box = element.getBoundingClientRect();
    return box.left >= -1 && box.right <= innerWidth + 1;
  };
  const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  const cut = [];
  if (document.scrollingElement.scrollWidth > innerWidth) cut.push(`page: ${document.scrollingElement.scrollWidth}`);
  for (const element of document.querySelectorAll("article :is(table, pre, img, p, li, h1, h2, h3)")) {
    let place = element;
    while (place && !(fits(place) && (place === element || scrolls(place)))) place = place.parentElement;
    if (!place && element.checkVisibility()) cut.push(element.outerHTML.slice(0, 80));
  }
  return cut;
}"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: make test")
    folder = tmp_path_factory.mktemp("site")
    building = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(building, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout + built.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def _pages(site: Path) -> list[str]:
    return sorted(f"{path.parent.relative_to(site).as_posix()}/" for path in site.rglob("index.html"))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "default"), (390, "slate")], ids=["wide, light", "narrow, dark"])
def test_no_page_is_cut_off_and_none_asks_anybody(
    site: Path, address: str, new_context: Callable[..., BrowserContext], width: int, scheme: str
) -> None:
    colors = {"default": "light", "slate": "dark"}[scheme]
    page = new_context(viewport={"width": width, "height": 800}, color_scheme=colors).new_page()
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(f"{urlsplit(request.url).scheme}://{urlsplit(request.url).netloc}/"))
    cut = {}
    for name in _pages(site):
        page.goto(address + name)
        assert page.locator("body").get_attribute("data-md-color-scheme") == scheme
        if found := page.evaluate(CUT_OFF):
            cut[name] = found[:3]
    assert cut == {}
    assert asked <= {address, "blob:///", "data:///"}


@pytest.mark.parametrize(
    ("words", "target"),
    [
        pytest.param("near_duplicates", "reference/steps-filters/#near_duplicates", id="step"),
        pytest.param("close-decided", "reference/commands/#benchwright-review-open", id="option"),
        pytest.param("operation_id", "reference/release-columns/", id="column of a release"),
        pytest.param("is_archived", "reference/review-store/#campaigns", id="column of the store"),
        pytest.param("heavy_compression", "reference/reasons/", id="reason code"),
        pytest.param("benchwright filter leakage", "reference/commands/#benchwright-filter-leakage", id="command"),
        pytest.param("max_frame_shift", "reference/steps-construction/#manipulate", id="setting"),
    ],
)
def test_the_search_finds_a_name_on_its_reference_page(page: Page, address: str, words: str, target: str) -> None:
    page.goto(address)
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially(words)  # the search listens to keys
    path, _, anchor = target.partition("#")
    ending = f'[href$="#{anchor}"]' if anchor else ""
    link = page.locator(f'.md-search-result__link[href*="/{path}"]{ending}')
    link.first.wait_for(state="attached", timeout=60_000)


def test_the_first_page_opens_with_pictures_of_what_one_gets(page: Page, address: str) -> None:
    page.goto(address)
    pictures = page.locator("article .shots img")
    assert pictures.count() == 4
    assert all(picture.evaluate("(image) => image.naturalWidth") > 0 for picture in pictures.all())
    box = pictures.first.bounding_box()
    assert box is not None
    assert box["y"] < 800
