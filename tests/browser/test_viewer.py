"""What people see of an item's pictures, and what their wheel, pointer and keys do, in a real browser."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from browser.photographs import save_photographs
from browser.servers import NOT_STREAMLITS_SERVERS, Server, serving
from conftest import ROOT

from benchwright.annotation.app.viewer import ViewerPicture, show_pictures

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page


class Transform(NamedTuple):
    left: float
    top: float
    zoom: float


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
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
def show(server: Server, page: Page) -> Callable[[str], Page]:
    def open_case(case: str) -> Page:
        return opened(page, server, case)

    return open_case


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
    page.get_by_role("button", name="Blink").click()
    first, second = page.locator(".pane").all()
    for shown, hidden in ((second, first), (first, second)):
        shown.locator(".picture").wait_for(state="visible", timeout=2000)
        assert not hidden.is_visible()
    page.get_by_role("button", name="Pause").click()
    was = first.is_visible()
    press(page, "b")
    assert first.is_visible() is not was
    page.wait_for_timeout(900)
    assert first.is_visible() is not was


def test_with_reduced_motion_pictures_change_by_key_only(
    server: Server, new_context: Callable[..., BrowserContext]
) -> None:
    page = opened(new_context(reduced_motion="reduce").new_page(), server, "pair")
    page.get_by_role("button", name="Blink").click()
    first, second = page.locator(".pane").all()
    page.wait_for_timeout(900)
    assert first.is_visible()
    assert not second.is_visible()
    press(page, "b")
    assert second.is_visible()
    assert page.get_by_role("button", name="Play").is_visible()


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
    for key in ("Control+o", "Alt+o", "Shift+O"):
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


def test_a_picture_that_does_not_load_says_so_in_its_place_with_its_caption_as_text(
    show: Callable[[str], Page],
) -> None:
    page = show("broken")
    trouble = page.get_by_role("alert")
    caption = "<img src=x onerror=document.title='taken'>"
    assert trouble.locator("p").inner_text() == f"{caption} could not be loaded."
    assert page.locator(".caption").first.inner_text() == caption
    assert page.locator(".viewer img[src=x]").count() == 0
    assert page.title() == "Viewer"
    assert page.locator(".picture").nth(1).is_visible()


def test_try_again_loads_a_picture_that_failed(server: Server, page: Page) -> None:
    page.route("**/shown/coffee.png", lambda route: route.abort(), times=1)
    opened(page, server, "broken")
    assert page.get_by_role("alert").count() == 2
    page.get_by_role("button", name="Try again").nth(1).click()
    page.get_by_role("alert").nth(1).wait_for(state="hidden")
    assert page.locator(".picture").nth(1).evaluate("image => image.naturalWidth") == 600


def test_marks_that_do_not_load_are_missed_aloud(show: Callable[[str], Page]) -> None:
    page = show("unmarked")
    assert "The marks of Image 1 could not be loaded" in page.get_by_role("alert").inner_text()
    assert page.locator(".picture").is_visible()
    assert not page.locator("img.marks").is_visible()


def test_two_fingers_zoom_and_pan_on_a_tablet(server: Server, new_context: Callable[..., BrowserContext]) -> None:
    context = new_context(has_touch=True, viewport={"width": 1024, "height": 768})
    page = opened(context.new_page(), server, "pair")
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


@pytest.mark.parametrize("width", [1280, 800, 768])
@pytest.mark.parametrize("case", ["one", "pair", "jigsaw", "three", "answers", "portrait"])
def test_pictures_leave_room_for_question_and_buttons(
    server: Server, new_context: Callable[..., BrowserContext], case: str, width: int
) -> None:
    page = opened(new_context(viewport={"width": width, "height": 800}).new_page(), server, case)
    box = page.locator(".viewer").bounding_box()
    assert box
    assert box["height"] <= 0.58 * 800 + 1
    for stage in page.locator(".stage").all():
        inside = stage.bounding_box()
        assert inside
        assert inside["x"] >= box["x"] - 1
        assert inside["x"] + inside["width"] <= box["x"] + box["width"] + 1


def test_pieces_are_shown_at_the_scale_of_their_reference(show: Callable[[str], Page]) -> None:
    page = show("jigsaw")
    reference, *pieces = [layer.bounding_box() for layer in page.locator(".layer").all()]
    assert reference
    for piece in pieces:
        assert piece
        assert piece["width"] == pytest.approx(reference["width"] / 2, abs=1)


def test_answers_stand_in_full_rows_beside_their_reference(show: Callable[[str], Page]) -> None:
    page = show("answers")
    tops = [box["y"] for stage in page.locator(".stage").all()[1:] if (box := stage.bounding_box())]
    assert tops == [tops[0]] * 2 + [tops[2]] * 2
    assert tops[2] > tops[0]


def test_answers_too_small_at_that_scale_are_shown_larger(show: Callable[[str], Page]) -> None:
    page = show("answers")
    for layer in page.locator(".layer").all()[1:]:
        box = layer.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 96


def test_the_place_of_a_picture_is_known_before_it_is_loaded(server: Server, page: Page) -> None:
    page.route("**/shown/*", lambda route: None)
    page.goto(f"{server.url}/?case=pair")
    page.locator(".stage").first.wait_for()
    before = page.locator(".viewer").bounding_box()
    page.unroute_all(behavior="ignoreErrors")
    opened(page, server, "pair")
    assert page.locator(".viewer").bounding_box() == before


def test_texts_can_be_replaced(show: Callable[[str], Page]) -> None:
    page = show("texts")
    assert page.get_by_role("button", name="Nebeneinander").get_attribute("aria-pressed") == "true"


def test_nothing_is_asked_of_other_servers(server: Server, page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    opened(page, server, "marked")
    assert requests
    assert [url for url in requests if not url.startswith((server.url, "blob:", "data:"))] == []


def test_the_browser_reports_no_error(server: Server, page: Page) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened(page, server, "marked")
    for key in ("m", "+", "m", "b", "o", "m", "0"):
        press(page, key)
    run_again(page)
    next_item(page)
    assert errors == []


@pytest.mark.parametrize("path", ["https://example.org/a.png", "//example.org/a.png", "/\\example.org/a.png", "a.png"])
def test_a_picture_off_this_server_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="give a path on this server"):
        ViewerPicture(path, None, "Image 1", "", 10, 20)
    with pytest.raises(ValueError, match="give a path on this server"):
        ViewerPicture("/pictures/1", path, "Image 1", "", 10, 20)


def test_a_picture_without_a_size_no_picture_and_an_unknown_text_are_refused() -> None:
    with pytest.raises(ValueError, match="is 0 x 20; give its size"):
        ViewerPicture("/pictures/1", None, "Image 1", "", 0, 20)
    with pytest.raises(ValueError, match="give at least one picture"):
        show_pictures([], key="1")
    with pytest.raises(ValueError, match="unknown texts slyder; the viewer has "):
        show_pictures([ViewerPicture("/pictures/1", None, "Image 1", "", 10, 20)], key="1", texts={"slyder": "x"})
