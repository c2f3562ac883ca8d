"""Two pictures under the slider or in turn."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from browser.viewing import (
    drag,
    in_mode,
    middle_of,
    opened,
    press,
    transforms,
)
from servers import Server

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

BLINKS_MS = 900
"""Time in which a picture that blinks has changed once."""


def test_no_switch_without_marks_and_no_ways_to_compare_without_a_pair(show: Callable[[str], Page]) -> None:
    page = show("pair")
    assert not page.get_by_role("switch").is_visible()
    assert page.get_by_role("button", name="Blink").is_visible()
    page = show("three")
    press(page, "m")
    assert not page.get_by_role("button", name="Blink").is_visible()
    assert page.locator(".viewer").get_attribute("data-mode") == "side"


def test_m_goes_to_the_slider_and_dragging_its_divider_uncovers_the_first_picture(show: Callable[[str], Page]) -> None:
    page = show("pair")
    press(page, "m")
    in_mode(page, "slider")
    upper = page.locator(".stage").nth(1)
    clip = "element => getComputedStyle(element).clipPath"
    assert upper.evaluate(clip) == "inset(0px 0px 0px 50%)"
    divider = page.get_by_role("slider", name="Divider between Image 1 and Image 2")
    box = page.locator(".panes").bounding_box()
    assert box
    drag(page, middle_of(divider), 0.25 * box["width"], 0)
    assert float(re.findall(r"[\d.]+%", upper.evaluate(clip))[0][:-1]) == pytest.approx(75, abs=0.5)
    assert divider.get_attribute("aria-valuenow") == "75"
    assert middle_of(divider)[0] == pytest.approx(box["x"] + 0.75 * box["width"], abs=2)


def test_arrows_move_the_divider_that_has_the_focus_and_not_the_pictures(show: Callable[[str], Page]) -> None:
    page = show("pair")
    press(page, "m")
    press(page, "+")
    before = transforms(page)
    divider = page.get_by_role("slider")
    divider.focus()
    for key, value in (("ArrowRight", "52"), ("ArrowLeft", "50"), ("PageUp", "60"), ("Home", "0"), ("End", "100")):
        divider.press(key)
        assert divider.get_attribute("aria-valuenow") == value
    assert transforms(page) == before


def test_the_wheel_zooms_over_the_divider_too(show: Callable[[str], Page]) -> None:
    page = show("pair")
    press(page, "m")
    page.get_by_role("slider").hover()
    page.mouse.wheel(0, -400)
    page.locator(".viewer.zoomed").wait_for()


def test_at_fit_a_drag_on_the_pictures_moves_the_divider(show: Callable[[str], Page]) -> None:
    page = show("pair")
    press(page, "m")
    x, y = middle_of(page.locator(".panes"))
    drag(page, (x - 200, y), -100, 0)
    assert int(page.get_by_role("slider").get_attribute("aria-valuenow") or 50) < 50


def test_blinking_alternates_the_pictures_until_it_is_paused(show: Callable[[str], Page]) -> None:
    page = show("pair")
    page.clock.install()
    page.get_by_role("button", name="Blink").click()
    first, second = page.locator(".pane").all()
    for shown, hidden in ((second, first), (first, second)):
        shown.locator(".picture").wait_for(state="visible", timeout=2000)
        assert not hidden.is_visible()
    page.get_by_role("button", name="Pause").click()
    was = first.is_visible()
    press(page, "t")
    assert first.is_visible() is not was
    page.clock.run_for(BLINKS_MS)
    assert first.is_visible() is not was


def test_with_reduced_motion_pictures_change_by_key_only(
    viewer_server: Server, new_context: Callable[..., BrowserContext]
) -> None:
    page = opened(new_context(reduced_motion="reduce").new_page(), viewer_server, "pair")
    page.clock.install()
    page.get_by_role("button", name="Blink").click()
    first, second = page.locator(".pane").all()
    page.clock.run_for(BLINKS_MS)
    assert first.is_visible()
    assert not second.is_visible()
    press(page, "t")
    assert second.is_visible()
    assert page.get_by_role("button", name="Play").is_visible()
