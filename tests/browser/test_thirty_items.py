"""A new annotator goes through thirty items by keyboard alone, with only the keys on the screen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browser.review_site import ReviewSite, make_workspace, next_slot, serve, slot_on_screen
from walks import run_json

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.records import Item

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.thorough

ITEMS = 30
PASSWORD = "nobody told her how"
COUNT_POINTERS = """
window.pointers = 0;
for (const kind of ["pointerdown", "mousedown", "touchstart", "wheel"])
  addEventListener(kind, () => { window.pointers += 1; }, true);
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    workspace = make_workspace(tmp_path_factory.mktemp("thirty"))
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as store:
        pattern = store.campaign("verify")
        store.upsert_campaign(
            "thirty", kind="verify", rule="unanimous(1)", slots_per_task=1, form=pattern.form, settings={}, seed=1
        )
        items = [Item.model_validate(task.payload) for task in store.tasks("verify")]
        store.upsert_tasks("thirty", [_work(items[n % len(items)], n) for n in range(ITEMS)])
        Accounts(store).add("dora", "annotator", now=clock())
        AccessControl(store).assign("verify", ["ann", "ben"])
    with serve(workspace) as running:
        yield running


def _work(item: Item, number: int) -> TaskInput:
    other = item.model_copy(update={"item_id": f"{number:032x}", "question": f"{item.question} ({number})"})
    return TaskInput(other.item_id, other.content_hash, other.model_dump(mode="json"))


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def told_key(page: Page, words: str) -> str:
    """Return the key shown on a button, or on a collapsed section."""
    labelled = page.locator(".rail button, .rail summary").filter(has_text=words).first
    return labelled.locator("kbd").first.inner_text().lower()


def press(page: Page, words: str) -> None:
    """Press the key shown on a button."""
    page.keyboard.press(told_key(page, words))


def status(page: Page) -> str:
    return page.locator(".card .status").inner_text()


def tab_to(page: Page, words: str) -> None:
    """Press Tab until something of these words has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if words in page.evaluate(
            "() => { let one = document.activeElement; while (one?.shadowRoot?.activeElement) "
            "one = one.shadowRoot.activeElement; return one?.innerText ?? ''; }"
        ):
            return
    raise AssertionError(f"Tab never comes to {words!r}")


def take_up(page: Page, site: ReviewSite) -> None:
    """Follow an invitation and choose a password."""
    words = ["review", "users", "--workspace", site.workspace, "--invite", "dora", "--url", site.url]
    page.goto(run_json(*words)["invitation"])
    for _ in range(2):
        while page.evaluate("document.activeElement.type") != "password" or page.evaluate(
            "document.activeElement.value"
        ):
            page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")


def accept(page: Page) -> None:
    press(page, "Accept")


def reject(page: Page) -> None:
    """Reject as the screen says: it asks for a reason, and says which keys give one."""
    press(page, "Reject")
    assert re.search(r"reason \(keys 1 to \d\), then press X again", status(page))
    press(page, "unclear")
    press(page, "Reject")


def edit(page: Page) -> None:
    press(page, "Revise")
    assert "Ctrl+Enter while writing" in status(page)
    page.keyboard.press("Control+a")
    page.keyboard.type("Which piece goes there?")
    page.keyboard.press("Control+Enter")


def sheet_of_keys(page: Page) -> dict[str, str]:
    """Open the sheet of keys as the screen says, read it, and close it; what each key does leads to the key."""
    page.keyboard.press(told_key(page, "Keys"))
    words, keys = (page.locator(f".keys {tag}").all_inner_texts() for tag in ("dd", "dt"))
    page.keyboard.press("Escape")
    return {word: key if len(key) > 1 else key.lower() for word, key in zip(words, keys, strict=True)}


def write_and_accept(page: Page) -> None:
    keys = sheet_of_keys(page)
    page.keyboard.press(keys["Write a note"])
    page.keyboard.type("a axes x")  # no letter of a note decides anything
    page.keyboard.press({"Esc": "Escape"}[keys["Leave the text field"]])
    accept(page)


def flag_and_accept(page: Page) -> None:
    press(page, "Comment or flag")
    page.keyboard.type("Where is this from?")
    tab_to(page, "Flag for a curator")
    page.keyboard.press("Enter")
    page.get_by_text("Flagged. A curator will look.").wait_for()
    slot_on_screen(page)
    accept(page)


def look_and_accept(page: Page) -> None:
    zoom = page.get_by_role("region", name="Pictures")
    page.keyboard.press("+")
    assert "fit" not in zoom.inner_text()
    page.keyboard.press("0")
    assert "fit" in zoom.inner_text()
    accept(page)


OTHERWISE: dict[int, Callable[[Page], None]] = {
    3: reject, 8: write_and_accept, 9: edit, 11: flag_and_accept, 12: look_and_accept, 13: reject, 23: reject,
}  # fmt: skip
"""What is done instead of accepting, by how many were decided before."""


def test_a_new_annotator_decides_thirty_items_by_keyboard_and_by_what_the_screen_says(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    page.add_init_script(COUNT_POINTERS)
    take_up(page, site)
    slot: int | None = slot_on_screen(page)
    skipped, decided = None, 0
    while slot is not None:
        before = slot
        if decided == 5 and skipped is None:
            press(page, "Skip")
            skipped, slot = before, next_slot(page, before)
            continue
        if decided == 20 and not page.get_by_text("You decided “").count():
            press(page, "Undo last")
            back = next_slot(page, before)
            assert back is not None
            accept(page)  # the same again
            slot = next_slot(page, back)
            assert slot == before
        OTHERWISE.get(decided, accept)(page)
        decided, slot = decided + 1, next_slot(page, before)
    assert decided == ITEMS
    assert before == skipped, "what was skipped comes last"
    said = store.decisions("thirty")  # the edited item is another by now, which waits for somebody else
    assert Counter(one.decision for one in said) == {"accept": ITEMS - 4, "reject": 3}
    assert {one.note for one in said} == {None, "a axes x"}
    assert [task.payload["question"] for task in store.tasks("thirty")] == ["Which piece goes there?"]
    assert [one.words for one in store.remarks("thirty")] == ["Where is this from?"]
    assert page.evaluate("window.pointers") == 0
