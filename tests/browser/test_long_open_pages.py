"""A page on which an annotator writes stays connected beyond every limit on connections, and loses no character."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest
from browser import hasty_app
from browser.all_screens import SCREENS, Screen, go_to
from browser.full_site import make_full_workspace
from browser.review_site import ReviewSite
from conftest import ROOT
from servers import serving

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page, WebSocket

FIELDS = "textarea:visible:enabled, input[type=text]:visible:enabled:not([role=combobox])"
WITH_FIELDS = {
    "verify", "error_analysis", "practice", "history", "discussion", "adjudicate", "items", "one item", "people", "guidelines",
    "recipe, text", "recipe, a step", "releases", "send photographs",
    "messages", "annotators", "connections", "thresholds",
}  # fmt: skip
"""A screen of each page on which something is written, besides the sign-in page, which has no websocket."""
NUMBERS = {"thresholds"}
"""Screens whose field takes a number."""
WORDS = "all of this"
NUMBER = "2.50000001"
AND_ON = "typed for longer than any limit "


class Window(NamedTuple):
    """A page that is open, the field written in, and the websocket's ends that it saw."""

    page: Page
    field: Locator
    ends: list[WebSocket]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    workspace = make_full_workspace(tmp_path_factory.mktemp("hasty"))
    with serving(
        lambda port: [sys.executable, hasty_app.__file__, str(workspace), str(port)],
        log=workspace.parent / "server.log", health="/login", env={"PYTHONPATH": str(ROOT)},
    ) as server:  # fmt: skip
        yield ReviewSite(server, workspace)


def opened(page: Page, site: ReviewSite, screen: Screen, fields: str = FIELDS) -> Window:
    ends: list[WebSocket] = []
    page.on("websocket", lambda socket: socket.on("close", lambda ended: ends.append(ended)))  # noqa: PLW0108 - Playwright's need
    go_to(page, site, screen)
    ends.clear()  # of the pages on the way
    field = page.locator(fields).first
    field.wait_for()
    return Window(page, field, ends)


def test_nothing_typed_is_lost_on_any_page_however_long_it_is_open(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    contexts: dict[str, BrowserContext] = {}
    windows = {}
    for name in sorted(WITH_FIELDS):
        screen = SCREENS[name]
        is_signed_in = screen.name in contexts
        context = contexts[screen.name] = contexts.get(screen.name) or new_context()
        fields = "input[type=number]:visible" if name in NUMBERS else FIELDS
        windows[name] = opened(context.new_page(), site, screen._replace(name="") if is_signed_in else screen, fields)
    for window in windows.values():
        window.field.fill("")
    half = len(WORDS) // 2
    typed = {name: NUMBER if name in NUMBERS else WORDS for name in windows}
    for name, window in windows.items():
        window.field.press_sequentially(typed[name][:half])
    guidelines = windows["guidelines"]
    for letter in AND_ON:
        guidelines.field.press_sequentially(letter)
        guidelines.page.wait_for_timeout(1000 * hasty_app.LONGEST_S / len(AND_ON))
    for name, window in windows.items():
        window.field.press_sequentially(typed[name][half:])
    written = {screen: window.field.input_value() for screen, window in windows.items()}
    whole = WORDS[:half] + AND_ON + WORDS[half:]
    assert written == typed | {"guidelines": whole}
    assert [screen for screen, window in windows.items() if window.ends] == []
    guidelines.page.locator("#guidelines-preview p").get_by_text(whole, exact=True).wait_for()
