"""Places of pictures on the screen, pictures that cannot be shown, and limits of a page with the viewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from browser.viewing import (
    next_item,
    opened,
    press,
    run_again,
)
from servers import Server

from benchwright.annotation.app.viewer import ViewerPicture, show_pictures

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


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


def test_try_again_loads_a_picture_that_failed(viewer_server: Server, page: Page) -> None:
    page.route("**/shown/coffee.png", lambda route: route.abort(), times=1)
    opened(page, viewer_server, "broken")
    assert page.get_by_role("alert").count() == 2
    page.get_by_role("button", name="Try again").nth(1).click()
    page.get_by_role("alert").nth(1).wait_for(state="hidden")
    assert page.locator(".picture").nth(1).evaluate("image => image.naturalWidth") == 600


def test_marks_that_do_not_load_are_missed_aloud(show: Callable[[str], Page]) -> None:
    page = show("unmarked")
    assert "The marks of Image 1 could not be loaded" in page.get_by_role("alert").inner_text()
    assert page.locator(".picture").is_visible()
    assert not page.locator("img.marks").is_visible()


@pytest.mark.parametrize("width", [1280, 800, 768])
@pytest.mark.parametrize("case", ["one", "pair", "jigsaw", "three", "answers", "portrait"])
def test_pictures_leave_room_for_question_and_buttons(
    viewer_server: Server, new_context: Callable[..., BrowserContext], case: str, width: int
) -> None:
    page = opened(new_context(viewport={"width": width, "height": 800}).new_page(), viewer_server, case)
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


def test_the_place_of_a_picture_is_known_before_it_is_loaded(viewer_server: Server, page: Page) -> None:
    page.route("**/shown/*", lambda route: None)
    page.goto(f"{viewer_server.url}/?case=pair")
    page.locator(".stage").first.wait_for()
    before = page.locator(".viewer").bounding_box()
    page.unroute_all(behavior="ignoreErrors")
    opened(page, viewer_server, "pair")
    assert page.locator(".viewer").bounding_box() == before


def test_texts_can_be_replaced(show: Callable[[str], Page]) -> None:
    page = show("texts")
    assert page.get_by_role("button", name="Nebeneinander").get_attribute("aria-pressed") == "true"


def test_nothing_is_asked_of_other_servers(viewer_server: Server, page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    opened(page, viewer_server, "marked")
    assert requests
    assert [url for url in requests if not url.startswith((viewer_server.url, "blob:", "data:"))] == []


def test_the_browser_reports_no_error(viewer_server: Server, page: Page) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened(page, viewer_server, "marked")
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
