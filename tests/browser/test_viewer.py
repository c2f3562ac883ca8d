"""One zoom for all pictures, marks, keys, and the state that persists across reruns and items."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from browser.viewing import (
    drag,
    in_mode,
    middle_of,
    next_item,
    opened,
    press,
    run_again,
    transforms,
    wheel_in,
)
from servers import Server

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


def test_the_wheel_zooms_both_pictures_alike(show: Callable[[str], Page]) -> None:
    page = show("pair")
    assert {t.zoom for t in transforms(page)} == {1}
    wheel_in(page)
    first, second = transforms(page)
    assert first.zoom > 1.5
    assert first == second


def test_what_lies_under_the_pointer_stays_there_while_zooming(show: Callable[[str], Page]) -> None:
    page = show("pair")
    before = transforms(page)[0]
    wheel_in(page, dx=80)
    after = transforms(page)[0]
    box = page.locator(".stage").first.bounding_box()
    assert box
    pointer = box["width"] / 2 + 80
    assert (pointer - before.left) / before.zoom == pytest.approx((pointer - after.left) / after.zoom, abs=1)


def test_dragging_pans_both_pictures(show: Callable[[str], Page]) -> None:
    page = show("pair")
    wheel_in(page)
    before = transforms(page)
    drag(page, middle_of(page.locator(".stage").nth(1)), -40, -25)
    after = transforms(page)
    assert after[0] == after[1]
    assert (after[0].left - before[0].left, after[0].top - before[0].top) == pytest.approx((-40, -25), abs=0.5)


def test_pictures_of_unequal_shapes_move_together_in_relative_coordinates(show: Callable[[str], Page]) -> None:
    page = show("portrait")
    press(page, "+")
    drag(page, middle_of(page.locator(".stage").first), 0, -30)

    def seen(pane: int) -> float:
        stage, layer = page.locator(".stage").nth(pane).bounding_box(), page.locator(".layer").nth(pane).bounding_box()
        assert stage
        assert layer
        return (stage["y"] + stage["height"] / 2 - layer["y"]) / layer["height"]

    assert seen(0) == pytest.approx(seen(1), abs=0.01)
    assert seen(0) > 0.51


def test_0_and_a_double_click_show_whole_pictures_again(show: Callable[[str], Page]) -> None:
    page = show("pair")
    whole = transforms(page)
    for back in (lambda: press(page, "0"), page.locator(".stage").first.dblclick):
        wheel_in(page)
        assert transforms(page) != whole
        back()
        assert transforms(page) == whole
        assert page.locator(".readout").inner_text() == "fit"


def test_plus_minus_and_arrows_zoom_and_pan(show: Callable[[str], Page]) -> None:
    page = show("one")
    whole = transforms(page)[0]
    press(page, "ArrowRight")
    assert transforms(page)[0] == whole
    press(page, "+")
    zoomed = transforms(page)[0]
    assert zoomed.zoom == 1.5
    press(page, "ArrowDown")
    assert transforms(page)[0].top < zoomed.top
    press(page, "-")
    assert transforms(page)[0] == whole


def test_the_readout_counts_screen_pixels_per_picture_pixel(show: Callable[[str], Page]) -> None:
    page = show("one")
    press(page, "+")
    box = page.locator(".layer").bounding_box()
    assert box
    assert page.locator(".readout").inner_text() == f"{round(100 * box['width'] / 512)} %"
    assert page.locator(".readout").get_attribute("aria-live") == "polite"


def test_single_pixels_are_seen_when_zoomed_far_in(show: Callable[[str], Page]) -> None:
    page = show("one")
    rendering = "element => getComputedStyle(element).imageRendering"
    assert page.locator(".picture").evaluate(rendering) == "auto"
    for _ in range(8):
        press(page, "+")
    assert page.locator(".picture").evaluate(rendering) == "pixelated"


def test_o_hides_the_marks_and_shows_them_again(show: Callable[[str], Page]) -> None:
    page = show("marked")
    switch = page.get_by_role("switch", name="Marks")
    for marks, pressed in ((True, ""), (False, "o"), (True, "O")):
        if pressed:
            page.locator("body").dispatch_event("keydown", {"key": pressed})
        assert [each.is_visible() for each in page.locator("img.marks").all()] == [marks, marks]
        assert switch.get_attribute("aria-checked") == str(marks).lower()


def test_marks_lie_exactly_over_their_picture_at_any_zoom(show: Callable[[str], Page]) -> None:
    page = show("marked")
    wheel_in(page)
    assert page.locator(".picture").first.bounding_box() == page.locator("img.marks").first.bounding_box()


def test_running_the_script_again_keeps_the_zoom_and_loads_no_picture_again(show: Callable[[str], Page]) -> None:
    page = show("marked")
    wheel_in(page)
    before = transforms(page)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.evaluate(
        "document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot.querySelector('.picture').kept = 1"
    )
    run_again(page, 2)
    assert transforms(page) == before
    assert page.locator(".picture").first.evaluate("image => image.kept") == 1
    assert [url for url in requests if "/shown/" in url] == []


def test_the_next_item_is_shown_whole_and_keeps_mode_and_marks(show: Callable[[str], Page]) -> None:
    page = show("marked")
    press(page, "m")
    press(page, "o")
    wheel_in(page)
    next_item(page)
    page.locator(".viewer:not(.zoomed)").wait_for()
    assert {t.zoom for t in transforms(page)} == {1}
    in_mode(page, "slider")
    assert page.get_by_role("switch").get_attribute("aria-checked") == "false"


def test_mode_and_marks_survive_a_reload_of_the_page(show: Callable[[str], Page]) -> None:
    page = show("marked")
    press(page, "m")
    press(page, "o")
    show("marked")
    in_mode(page, "slider")
    assert not page.locator("img.marks").first.is_visible()


def test_typing_in_a_text_area_or_with_a_modifier_does_nothing(show: Callable[[str], Page]) -> None:
    page = show("marked")
    switch = page.get_by_role("switch")
    note = page.get_by_label("Note")
    note.press_sequentially("more o + 0 m")
    assert note.input_value() == "more o + 0 m"
    note.evaluate("element => element.blur()")
    for key in ("Control+o", "Alt+o"):
        press(page, key)
    assert switch.get_attribute("aria-checked") == "true"
    assert page.locator(".viewer").get_attribute("data-mode") == "side"
    assert {t.zoom for t in transforms(page)} == {1}


def test_one_press_is_one_toggle_after_many_reruns(show: Callable[[str], Page]) -> None:
    page = show("marked")
    run_again(page, 5)
    press(page, "o")
    assert page.get_by_role("switch").get_attribute("aria-checked") == "false"
    assert page.locator(".viewer").count() == 1


def test_a_viewer_that_is_gone_hears_no_key_and_one_that_is_back_hears_it_once(show: Callable[[str], Page]) -> None:
    page = show("marked")
    without = page.get_by_text("Without pictures")
    without.click()
    page.locator(".viewer").wait_for(state="detached")
    press(page, "o")
    without.click()
    switch = page.get_by_role("switch")
    assert switch.get_attribute("aria-checked") == "true"
    press(page, "o")
    assert switch.get_attribute("aria-checked") == "false"


def test_two_fingers_zoom_and_pan_on_a_tablet(
    viewer_server: Server, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context(has_touch=True, viewport={"width": 1024, "height": 768})
    page = opened(context.new_page(), viewer_server, "pair")
    x, y = middle_of(page.locator(".stage").first)
    touch = context.new_cdp_session(page)

    def fingers(kind: str, *spread: float) -> None:
        points = [{"x": x + dx, "y": y, "id": number} for number, dx in enumerate(spread)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", -20, 20)
    for reach in (30, 40, 60):
        fingers("touchMove", -reach, reach)
    fingers("touchEnd")
    page.locator(".viewer.zoomed").wait_for()
    first, second = transforms(page)
    assert first == second
    assert first.zoom == pytest.approx(3, rel=0.05)
