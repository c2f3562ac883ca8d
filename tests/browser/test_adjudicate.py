"""The adjudicator's page: divided cases by keyboard, names only afterwards, and no access for annotators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from browser.rest import hacked
from browser.review_site import (
    PASSWORDS,
    RECIPE,
    ReviewSite,
    add_account,
    make_workspace,
    next_slot,
    serve,
    slot_on_screen,
)

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

SCRIPT = '<img src=x onerror="window.hacked=1">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """Ten items under an adjudicated rule: four that Ann and Ben settled, and three that they did not."""
    adjudicated = RECIPE.replace("unanimous(2)", "adjudicated(unanimous(2))")
    workspace = make_workspace(tmp_path_factory.mktemp("adjudicate"), recipe=adjudicated)
    add_account(workspace, "eve", "eve's long password", role="adjudicator")
    now = datetime.now(UTC)
    with open_store(f"sqlite:///{workspace / 'review.sqlite'}") as store:
        tasks = store.tasks("verify")
        for task, (ann, ben) in zip(tasks, [*["aa"] * 4, "ar", "ra", "ae"], strict=False):
            for name, letter in (("ann", ann), ("ben", ben)):
                decision = {"a": "accept", "r": "reject", "e": "revise"}[letter]
                edits = {"question": f"Which one, then? {SCRIPT}"} if letter == "e" else None
                reasons = ("unclear",) if letter == "r" else ()
                store.decide("verify", task.id, name, Submission(decision, reasons=reasons, edits=edits), now=now)
    with serve(workspace) as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def test_divided_cases_are_decided_by_keyboard_and_names_come_after(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(bypass_csp=True).new_page()
    heard: list[str] = []
    page.on("websocket", lambda ws: ws.on("framereceived", lambda data: heard.append(str(data))))
    page.goto(site.url + "/adjudicate")
    page.fill("#name", "eve")
    page.fill("#password", "eve's long password")
    page.click("button")
    first = slot_on_screen(page)
    page.get_by_text("3 are waiting for you, 0 more are divided").wait_for()
    assert page.locator(".given h3").all_inner_texts() == ["Annotator 1", "Annotator 2"]
    page.wait_for_function(
        "[...document.querySelectorAll('*')].some((e) => e.shadowRoot?.querySelector('img')?.naturalWidth > 0)"
    )
    assert not any('"ann"' in frame or "ann:" in frame for frame in heard)

    # What one case proposes is taken up by its number and sent on; the others are rejected and sent back.
    kinds: dict[str, int] = {}
    slot: int | None = first
    for _ in range(3):
        assert slot is not None
        proposed = page.get_by_role("button", name="Take these edits")
        if proposed.count():
            number = proposed.inner_text().split("\n")[-1]
            page.keyboard.press(number)
            assert page.get_by_role("textbox", name="Question").input_value() == f"Which one, then? {SCRIPT}"
            page.keyboard.press("v")
            kinds["revise"] = slot
        elif "send_back" not in kinds:
            page.keyboard.press("w")
            kinds["send_back"] = slot
        else:
            page.keyboard.press("n")
            page.keyboard.type("seen it closely")
            page.keyboard.press("Escape")
            page.keyboard.press("a")  # an option's letter decides nothing
            assert "A is an option here" in page.locator(".card .status").inner_text()
            page.keyboard.press("x")  # nor does an adjudicator reject without saying why
            assert "Pick at least one reason (keys 1 to 2)" in page.locator(".card .status").inner_text()
            page.keyboard.press("2")
            assert page.locator(".reason[aria-pressed=true]").count() == 1
            page.keyboard.press("x")
            kinds["reject"] = slot
        if len(kinds) < 3:
            slot = next_slot(page, slot)
    page.get_by_text("There is nothing for you to adjudicate now.").wait_for()
    page.get_by_role("heading", name="Decided by you").first.wait_for()  # a page that is being drawn may have two
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    assert hacked(page) is None
    assert any("ann: " in frame for frame in heard)

    with store.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT task_id, decision, note, reasons FROM adjudications WHERE decision <> 'opened'"
        ).all()
    assert {(row.decision, row.task_id) for row in rows} == set(kinds.items())
    assert [(row.note, row.reasons) for row in rows if row.decision == "reject"] == [
        ("seen it closely", '["unclear"]')
    ]  # fmt: skip
    questions = {task.id: task.payload["question"] for task in store.tasks("verify")}
    assert kinds["send_back"] in questions  # open again, for others
    assert f"Which one, then? {SCRIPT}" in questions.values()


def test_annotators_have_no_such_page_and_see_no_picture_of_a_case(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    page.goto(site.url + "/adjudicate")
    page.fill("#name", "ann")
    page.fill("#password", PASSWORDS["ann"])
    page.click("button")
    page.get_by_role("link", name="Go to the start").click()
    page.get_by_role("link", name="My decisions").wait_for()
    assert page.get_by_role("link", name="Adjudicate").count() == 0
    assert page.locator(".given").count() == 0
    adjudicator = new_context().new_page()
    adjudicator.goto(site.url + "/login")
    adjudicator.fill("#name", "eve")
    adjudicator.fill("#password", "eve's long password")
    adjudicator.click("button")
    adjudicator.get_by_role("link", name="Adjudicate").wait_for()
    settled = next(task.id for task in store.tasks("verify", states=("done",)))
    answer = adjudicator.request.get(f"{site.url}/pictures/{settled}/0")
    assert answer.status == 404  # nothing that was not a case of hers
