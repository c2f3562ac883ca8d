"""The app in Arabic: chosen before or after sign-in, kept by the account, used by keys and touch, right to left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.all_screens import KINDS, SCREENS, go_to, sign_in_by_form
from browser.axe import NOTHING, findings, findings_by_theme
from browser.full_site import make_full_workspace
from browser.kinds_site import every_kind, make_images, open_campaigns
from browser.rest import at_rest
from browser.review_site import ReviewSite, make_workspace, serve, sign_in, slot_on_screen
from browser.widths import PHONE, unreached

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """A workspace with ten items to decide."""
    with serve(make_workspace(tmp_path_factory.mktemp("arabic"))) as running:
        yield running


@pytest.fixture(scope="module")
def full_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    with serve(make_full_workspace(tmp_path_factory.mktemp("full"))) as running:
        yield running


@pytest.fixture(scope="module")
def kinds_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    done = make_images(tmp_path_factory.mktemp("kinds"))
    open_campaigns(done, every_kind(done))
    with serve(done.workspace) as running:
        yield running


def language_of(page: Page) -> tuple[str, str]:
    """Return language and direction of the document."""
    return page.evaluate("() => [document.documentElement.lang, document.documentElement.dir || 'ltr']")  # type: ignore[no-any-return]


def decisions_of(site: ReviewSite, name: str) -> int:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as store:
        return int(TaskQueue(store, store.campaign("verify"), name).progress(now=clock()).decided)


def test_the_first_visit_follows_the_browser(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> None:
    for locale, language, words in (("ar-EG", ["ar", "rtl"], "كلمة المرور"), ("de-DE", ["en", "ltr"], "Password")):
        page = new_context(locale=locale).new_page()
        page.goto(site.url + "/login")
        assert language_of(page) == language
        page.get_by_label(words).wait_for()


def test_a_language_chosen_before_the_sign_in_is_the_accounts_in_every_browser(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    page.goto(site.url + "/login?next=/history")
    page.get_by_role("link", name="العربية").click()
    assert language_of(page) == ["ar", "rtl"]
    sign_in_here(page, "ben")
    page.get_by_role("link", name="قراراتي").wait_for()
    page.reload()
    page.get_by_role("link", name="قراراتي").wait_for()
    other = new_context().new_page()  # another browser, which prefers English
    sign_in(other, site, "ben")
    other.get_by_role("link", name="قراراتي").wait_for()
    other.get_by_role("link", name="English").click()
    other.get_by_role("link", name="My decisions").wait_for()
    assert language_of(other) == ["en", "ltr"]


def sign_in_here(page: Page, name: str) -> None:
    page.fill("#name", name)
    page.fill("#password", {"ann": "ann's long password", "ben": "ben's long password"}[name])
    page.click("button[type=submit]")


def test_the_page_that_one_switches_on_is_shown_again(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "cur", path="/progress?campaign=verify")
    page.get_by_text("Outcomes of the tasks").wait_for()
    page.get_by_role("link", name="العربية").click()
    page.get_by_text("ما آلت إليه المهام").wait_for()
    page.wait_for_url("**/progress?campaign=verify")
    assert page.title() == "مراجعة Benchwright"
    page.get_by_role("link", name="English").click()
    page.get_by_text("Outcomes of the tasks").wait_for()


def test_no_other_site_switches_somebodys_language(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "cur", path="/home")
    page.get_by_text("Hello, cur").wait_for()
    for headers, status in (
        ({"sec-fetch-site": "cross-site"}, 400), ({"sec-fetch-site": "same-site"}, 400), ({"sec-fetch-site": "none"}, 303),
    ):  # fmt: skip
        answer = page.context.request.get(f"{site.url}/language?to=en", headers=headers, max_redirects=0)
        assert answer.status == status
    assert page.context.request.get(f"{site.url}/language?to=xx", max_redirects=0).status == 400
    elsewhere = page.context.request.get(
        f"{site.url}/language?to=en", headers={"referer": "https://example.org/x"}, max_redirects=0
    )
    assert elsewhere.headers["location"] == "/"


def test_two_people_work_in_two_languages_at_once(site: ReviewSite, new_context: Callable[..., BrowserContext]) -> None:
    english, arabic = new_context(locale="en").new_page(), new_context(locale="ar").new_page()
    sign_in_by_form(english, site, "ann", "/?campaign=verify")
    sign_in_by_form(arabic, site, "ann", "/?campaign=verify")
    for _ in range(3):
        for page, words in ((english, "Accept"), (arabic, "قبول")):
            page.reload()
            slot_on_screen(page)
            assert page.locator(".action.accept .words").inner_text() == words


@pytest.mark.parametrize("layout", ["english", "arabic"])
def test_items_are_decided_by_keys_whatever_the_layout_and_a_decision_is_gone_back_to(
    site: ReviewSite, new_context: Callable[..., BrowserContext], layout: str
) -> None:
    page = new_context(locale="ar").new_page()
    sign_in_by_form(page, site, "ann", "/?campaign=verify")
    first, before = slot_on_screen(page), decisions_of(site, "ann")
    press(page, "KeyY", "y", "غ", layout)
    second = next_slot(page, first)
    press(page, "Digit1", "1", "١", layout)
    page.locator(".reason[aria-pressed=true]").wait_for()
    press(page, "KeyX", "x", "ء", layout)
    next_slot(page, second)
    assert decisions_of(site, "ann") == before + 2
    press(page, "KeyU", "u", "ع", layout)
    page.wait_for_function(_SLOT_IS, arg=second)
    assert "رفض" in page.locator(".before").inner_text()
    press(page, "Slash", "?", "؟", layout)
    page.locator("dialog[open]").wait_for()
    assert page.locator("dialog h2").inner_text() == "المفاتيح"
    page.keyboard.press("Escape")


_SLOT = """() => [...document.querySelectorAll("*")].map((element) => element.shadowRoot?.querySelector(".card[aria-busy=false]"))
  .find(Boolean)?.dataset.slot"""
_SLOT_IS = f"(slot) => ({_SLOT})() === String(slot)"
_SLOT_IS_NOT = f"(slot) => ![undefined, String(slot)].includes(({_SLOT})())"
_IS_SENT = """() => Object.entries(sessionStorage).every(([place, events]) => !place.startsWith("benchwright-outbox") || events === "[]")"""


def next_slot(page: Page, before: int) -> int:
    """Return the slot of the next task, once it is on the screen and the server has the decision."""
    page.wait_for_function(_SLOT_IS_NOT, arg=before)
    page.wait_for_function(_IS_SENT)
    return slot_on_screen(page)


def press(page: Page, code: str, english: str, arabic: str, layout: str) -> None:
    """Press a key as a browser reports it under a keyboard's layout."""
    key = english if layout == "english" else arabic
    page.evaluate(
        "([code, key]) => window.dispatchEvent(new KeyboardEvent('keydown', { code, key, bubbles: true, cancelable: true, shiftKey: code === 'Slash' }))",
        [code, key],
    )


def test_items_are_decided_by_touch_on_a_telephone(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context(locale="ar", viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    sign_in_by_form(page, site, "ann", "/?campaign=verify")
    first, before = slot_on_screen(page), decisions_of(site, "ann")
    page.locator(".action.accept").tap()
    second = next_slot(page, first)
    assert decisions_of(site, "ann") == before + 1
    page.get_by_role("button", name="تراجع عن الأخير").tap()
    page.wait_for_function(_SLOT_IS, arg=first)
    assert second != first
    at_rest(page)
    assert unreached(page) == []
    page.get_by_role("button", name="فتح القائمة").tap()
    page.get_by_role("link", name="قراراتي").tap()
    page.wait_for_url("**/history*")


def test_pictures_divider_and_arrows_go_where_the_eye_expects(
    kinds_site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    places = []
    for locale in ("en", "ar"):
        page = new_context(locale=locale).new_page()
        go_to(page, kinds_site, KINDS["pair"])
        boxes = [stage.bounding_box() for stage in page.locator(".stage").all()]
        assert boxes[0] is not None
        assert boxes[1] is not None
        places.append(boxes[0]["x"] < boxes[1]["x"])
        page.keyboard.press("m")
        divider = page.locator(".divider")
        divider.focus()
        start = divider.bounding_box()
        page.keyboard.press("ArrowRight")
        end = divider.bounding_box()
        assert start is not None
        assert end is not None
        assert end["x"] > start["x"]
    assert places == [
        True,
        True,
    ]  # both see the first picture on the left: what is judged is the same in every language


def test_the_menu_of_a_narrow_window_lies_beside_the_page_when_it_is_closed(
    site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(locale="ar", viewport=PHONE).new_page()
    sign_in_by_form(page, site, "ann", "/home")
    page.get_by_role("button", name="فتح القائمة").wait_for()
    assert not page.locator("[data-testid=stSidebar]").is_visible()
    page.get_by_role("button", name="فتح القائمة").click()
    at_rest(page)
    box = page.locator("[data-testid=stSidebar]").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] == PHONE["width"]


@pytest.mark.parametrize("screen", [name for name, screen in SCREENS.items() if screen.name])
def test_a_screen_in_arabic_has_no_serious_finding(
    full_site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    page = new_context(locale="ar").new_page()
    go_to(page, full_site, SCREENS[screen])
    assert findings_by_theme(page) == NOTHING


@pytest.mark.parametrize("screen", KINDS)
def test_a_screen_of_another_kind_in_arabic_has_no_serious_finding(
    kinds_site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str
) -> None:
    page = new_context(locale="ar").new_page()
    go_to(page, kinds_site, KINDS[screen])
    assert findings_by_theme(page) == NOTHING


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [name for name, screen in SCREENS.items() if not screen.name])
def test_a_sign_in_page_in_arabic_has_no_serious_finding(
    full_site: ReviewSite, new_context: Callable[..., BrowserContext], screen: str, scheme: str
) -> None:
    page = new_context(locale="ar", color_scheme=scheme).new_page()
    go_to(page, full_site, SCREENS[screen])
    assert findings(page) == []
