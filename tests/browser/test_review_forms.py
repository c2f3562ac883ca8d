"""Typed forms in the running app: errors named and keys judged by keyboard, drafts kept, and replies that stay text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.rest import hacked
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, sign_in, slot_on_screen
from small_bench import Bench
from walks import run_json

from benchwright.annotation.campaigns.on_releases.reviews import open_tasks
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Choice, ItemImage, Source
from benchwright.release import Release, verify_release
from benchwright.release.format.errata import released_errata
from benchwright.review_files.tasks import FindingCategory, ReviewTask, SideText, TaskFileHead, write_review_tasks

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

SCRIPT = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
REPLY = f"{SCRIPT} **bold** [link](javascript:window.hacked=1) \u202egnp.exe\u202c\n\nThe answer is (A)."
CATEGORIES = tuple(FindingCategory(code=f"c{n}", words=f"Category {n} {SCRIPT if n == 3 else ''}") for n in range(1, 5))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    bench = Bench()
    for number in range(4):
        source = bench.picture(120, 90, (60 * number, 200, 90), source=Source(uri=f"{number}.png"))
        mark = {"kind": "ring", "image_id": source.image_id, "points": ((50.0, 40.0),)}
        bench.add(
            source, "test", number, task="naming", question=f"Question {number}?",
            images=(ItemImage(image_id=source.image_id, role="view", prompts=(mark,)),),
            choices=(Choice(key="A", text="cat"), Choice(key="B", text="dog"), Choice(key="C", text="eel")), answer="B",
        )  # fmt: skip
    return bench.write(tmp_path_factory.mktemp("forms") / "release")


@pytest.fixture(scope="module")
def site(release: Release) -> Iterator[ReviewSite]:
    """A workspace made for two campaigns: errors to classify, and keys to judge."""
    folder = release.path.parent
    items = [released.item for released in release.items()]
    for kind, categories in (("error_analysis", CATEGORIES), ("errata", ()), ("reading", ())):
        head = TaskFileHead(
            kind=kind, name=kind, release="tiny 1.0", release_id=release.release_id, categories=categories
        )  # fmt: skip
        rows = [
            ReviewTask(
                item_id=item.item_id, content_hash=item.content_hash, about={"model": "the-model"},
                beside=(SideText(label="The model's reply", text=REPLY),),
            )
            for item in items[: 3 if kind == "error_analysis" else 2]
        ]  # fmt: skip
        write_review_tasks(folder / f"{kind}.jsonl", head, rows)
        open_tasks(folder / f"{kind}.jsonl", release.path, folder / "workspace", annotators=1)
    # The same errors once more, for tests that may come before the one that counts on nobody having been there.
    again = folder / "error_analysis.jsonl"
    open_tasks(again, release.path, folder / "workspace", annotators=1, name="again")
    add_accounts(folder / "workspace")
    with serve(folder / "workspace") as running:
        yield running


@pytest.fixture
def store(site: ReviewSite) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{site.workspace / 'review.sqlite'}") as opened:
        yield opened


def pressed(page: Page) -> list[str]:
    return [text.split("\n")[0] for text in page.locator(".reason[aria-pressed=true]").all_inner_texts()]


def test_errors_are_named_by_keyboard_and_a_reload_loses_nothing(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(bypass_csp=True).new_page()
    frames: list[str] = []
    noted: list[str] = []
    page.on("websocket", lambda ws: ws.on("framereceived", lambda data: frames.append(str(data))))
    page.on("dialog", lambda dialog: (noted.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: noted.append(str(error)))
    sign_in(page, site, "ann", path="/?campaign=error_analysis")
    slot: int | None = slot_on_screen(page)
    spelled_out = REPLY.replace("\u202e", "\\u202e").replace("\u202c", "\\u202c")  # so that nothing reads backwards
    assert page.locator(".told").first.text_content() == spelled_out
    page.keyboard.press("Enter")
    assert "Pick an option of “What went wrong”" in page.locator(".card .status").inner_text()
    for key in ("1", "3", "2", "2"):
        page.keyboard.press(key)
    assert [text[:10] for text in pressed(page)] == ["Category 1", "Category 3"]
    page.keyboard.press("Enter")
    assert "Fill in “Reason”" in page.locator(".card .status").inner_text()
    page.keyboard.type("It does not look. 1 2")  # digits in a text are text
    page.get_by_text("Draft saved").wait_for()
    page.reload()
    assert slot_on_screen(page) == slot
    assert [text[:10] for text in pressed(page)] == ["Category 1", "Category 3"]
    assert page.locator(".card textarea").input_value() == "It does not look. 1 2"
    page.keyboard.press("n")
    page.keyboard.press("Control+Enter")
    second = next_slot(page, slot or 0)
    page.keyboard.press("s")
    third = next_slot(page, second or 0)
    assert {slot, second, third} - {None} == {slot, second, third}
    [said] = store.decisions("error_analysis")
    assert said.fields == {"categories": ["c1", "c3"], "reason": "It does not look. 1 2"}
    page.keyboard.press("u")  # back to what was said, to change it
    page.get_by_text("You decided “Category 1").wait_for()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    next_slot(page, slot or 0)
    [said] = store.decisions("error_analysis")
    assert (said.version, said.fields) == (2, {"categories": ["c3"], "reason": "It does not look. 1 2"})
    assert hacked(page) is None
    assert noted == []
    assert not any("the-model" in frame for frame in frames)  # whose reply it is, is not told


def test_history_and_progress_tell_what_was_found(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    now = datetime.now(UTC)
    queue = TaskQueue(store, store.campaign("again"), "ann")
    past = queue.history()
    task = queue.open(past[0].task_id, now=now) if past else queue.next(now=now)
    assert task is not None
    queue.submit(task.slot_id, Submission(fields={"categories": ["c3"], "reason": f"Seen so. {SCRIPT}"}), now=now)
    page = new_context(bypass_csp=True).new_page()
    sign_in(page, site, "ann", path="/history?campaign=again")
    page.get_by_text("Seen so.").wait_for()
    assert hacked(page) is None
    curator = new_context(bypass_csp=True).new_page()
    sign_in(curator, site, "cur", path="/progress?campaign=again")
    curator.get_by_role("heading", name="Results").wait_for()
    assert hacked(curator) is None


def test_judged_keys_become_errata_and_the_next_version(
    site: ReviewSite, release: Release, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ben", path="/?campaign=errata")
    slot = slot_on_screen(page)
    page.keyboard.press("2")  # the key is wrong; number keys now choose what is right instead
    assert page.locator(".field.active").get_attribute("data-field") == "instead"
    assert [text.split("\n")[0] for text in page.locator("[data-field=instead] .reason").all_inner_texts()] == [
        "cat", "eel",
    ]  # fmt: skip
    page.keyboard.press("2")  # the key itself, which is not offered
    assert page.locator("[data-field=instead] .reason[aria-pressed=true]").count() == 0
    page.keyboard.press("3")
    page.keyboard.press("f")  # the first field again, and back
    assert page.locator(".field.active").get_attribute("data-field") == "finding"
    page.keyboard.press("n")
    page.keyboard.type("It is an eel.")
    page.keyboard.press("Control+Enter")
    other = next_slot(page, slot)
    assert other is not None
    page.keyboard.press("1")  # the key is right: nothing else is asked
    assert not page.locator(".card textarea").is_visible()
    page.keyboard.press("Enter")
    assert next_slot(page, other) is None
    errata = tmp_path / "errata.json"
    told: Any = run_json("review", "results", "--workspace", site.workspace, "--campaign", "errata", "--out", errata)
    assert [row["items"] for row in told["summary"]] == [1, 1, 0, 0]
    out = tmp_path / "tiny-1.1"
    run_json("release", "correct", release.path, "--errata", errata, "--version", "1.1", "--out", out)
    assert verify_release(out).ok
    after = Release.open(out)
    [erratum] = released_errata(after)
    assert (erratum.became, erratum.instead, erratum.reasons) == ("key_set", "C", ("It is an eel.",))
    assert {one.item.item_id: one.item.answer for one in after.items()}[erratum.item_id] == "C"
    assert json.loads((release.path / "errata.json").read_text(encoding="utf-8"))["errata"] == []


def test_a_reply_is_read_by_keyboard_without_the_key(
    site: ReviewSite, store: ReviewStore, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, site, "ann", path="/?campaign=reading")
    slot = slot_on_screen(page)
    assert slot is not None
    assert REPLY[:10] in (page.locator(".told").first.text_content() or "")
    page.keyboard.press("1")  # it chooses one option; number keys now choose which
    assert page.locator(".field.active").get_attribute("data-field") == "letter"
    shown = [text.split("\n")[0] for text in page.locator("[data-field=letter] .reason").all_inner_texts()]
    assert shown == ["cat", "dog", "eel"]  # the key among them, and nothing says that it is the key
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    other = next_slot(page, slot)
    assert other is not None
    page.keyboard.press("2")  # it chooses none: nothing else is asked
    page.keyboard.press("Enter")
    assert next_slot(page, other) is None
    said = sorted((decision.fields or {} for decision in store.decisions("reading")), key=len)
    assert said == [{"gives": "none"}, {"gives": "option", "letter": "C"}]


@pytest.mark.parametrize("width", [1280, 820])
def test_the_form_fits_the_window_and_can_be_reached_by_tab(
    width: int, site: ReviewSite, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": width, "height": 900}).new_page()
    sign_in(page, site, "cur", path="/?campaign=again")
    slot_on_screen(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".told").focus()
    order = []
    for _ in range(7):
        page.keyboard.press("Tab")
        order.append(
            page.evaluate("""() => {
          let at = document.activeElement;
          while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
          return at.tagName === "TEXTAREA" ? "text" : at.innerText.split("\\n")[0].slice(0, 10);
        }""")
        )
    assert order == ["Category 1", "Category 2", "Category 3", "Category 4", "text", "Done", "Skip"]
