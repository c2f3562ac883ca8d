"""The viewer under test: opening its page, reading the places of pictures, and the actions of hands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from servers import Server

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


class Transform(NamedTuple):
    left: float
    top: float
    zoom: float


def opened(page: Page, server: Server, case: str) -> Page:
    page.goto(f"{server.url}/?case={case}")
    page.get_by_text("item 1, run again 0 times").wait_for()
    page.wait_for_function(
        "() => { const root = document.querySelector('[data-testid=stBidiComponentIsolated]')?.shadowRoot;"
        " const images = [...(root?.querySelectorAll('img') ?? [])];"
        " return images.length > 0 && images.every((image) => image.complete); }"
    )
    return page


def transforms(page: Page) -> list[Transform]:
    found = []
    for layer in page.locator(".layer").all():
        style = layer.get_attribute("style") or ""
        numbers = re.search(r"translate\((\S+)px, (\S+)px\) scale\((\S+)\)", style)
        assert numbers, style
        found.append(Transform(*map(float, numbers.groups())))
    return found


def middle_of(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def wheel_in(page: Page, pane: int = 0, dx: float = 0) -> None:
    x, y = middle_of(page.locator(".stage").nth(pane))
    page.mouse.move(x + dx, y)
    page.mouse.wheel(0, -400)
    page.locator(".viewer.zoomed").wait_for()


def drag(page: Page, start: tuple[float, float], dx: float, dy: float) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + dx, start[1] + dy, steps=4)
    page.mouse.up()


def run_again(page: Page, times: int = 1) -> None:
    for number in range(1, times + 1):
        page.get_by_role("button", name="Again").click()
        page.get_by_text(f"run again {number} times").wait_for()


def next_item(page: Page) -> None:
    page.get_by_role("button", name="Next").click()
    page.get_by_text("item 2").wait_for()


def press(page: Page, key: str) -> None:
    page.locator("body").press(key)


def in_mode(page: Page, mode: str) -> None:
    page.locator(f".viewer[data-mode={mode}]").wait_for()
