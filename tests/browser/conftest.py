"""A real Chromium for tests of visible behavior, driven by Playwright."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.photographs import save_photographs
from browser.review_site import ReviewSite, sign_in
from browser.viewing import opened
from conftest import ROOT
from servers import NOT_STREAMLITS_SERVERS, Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NO_CHROMIUM = "Debian's chromium is not installed: make browser"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One Chromium per module, closed before other tests: Playwright keeps an event loop running in this thread."""
    program = "/usr/bin/chromium" if Path("/usr/bin/chromium").exists() else shutil.which("chromium")
    if program is None:
        pytest.skip(NO_CHROMIUM)
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def new_context(chromium: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Open contexts (with separate cookies and storage) with a test's settings; all are closed after it."""
    contexts: list[BrowserContext] = []

    def open_context(**settings: Any) -> BrowserContext:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **settings})
        context.set_default_timeout(15_000)
        contexts.append(context)
        return context

    yield open_context
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """A page in a fresh context, 1280 x 800."""
    return new_context().new_page()


@pytest.fixture(scope="session")
def viewer_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A page like the app's, with the viewer on it."""
    folder = tmp_path_factory.mktemp("shown")
    save_photographs(folder)
    page = Path(__file__).parent / "viewer_server.py"
    with serving(
        lambda port: [
            sys.executable, "-m", "streamlit", "run", str(page), "--server.port", str(port), "--server.address", "127.0.0.1",
        ],
        log=folder / "server.log", env={**NOT_STREAMLITS_SERVERS, "SHOWN": str(folder), "PYTHONPATH": str(ROOT)},
    ) as running:  # fmt: skip
        yield running


@pytest.fixture
def show(viewer_server: Server, page: Page) -> Callable[[str], Page]:
    """Open one of the cases of `viewer_page.py`."""

    def open_case(case: str) -> Page:
        return opened(page, viewer_server, case)

    return open_case


@pytest.fixture
def curator(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Return an opener of a module's app as the curator sees it, in a context with separate settings."""

    def as_curator(path: str, **settings: Any) -> Page:
        page = new_context(**settings).new_page()
        sign_in(page, site, "cur", path=path)
        return page

    return as_curator
