"""Pictures of the pages where annotators begin and curators steer; `screenshots.py` takes them with the others.

The pages in `SCREENS` occur in no guide, and are taken with every screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PIL import Image
from screenshots_of_kinds import ANNOTATOR, CAMPAIGN, CURATOR, Shot, Tour, again, of_kind, open_campaign

from benchwright.annotation.campaigns.review import review_form
from benchwright.annotation.campaigns.screen import ScreenForm
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.kind_forms.screening import screening_form
from benchwright.annotation.forms.kinds import ERRATA, KINDS, REVIEW, SCREEN_ITEMS
from benchwright.annotation.forms.payloads import TaskInput, payload_with
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.conversations.messages import send_message
from benchwright.review_files.tasks import ReviewTask, SideText

if TYPE_CHECKING:
    from playwright.sync_api import Page


def home(tour: Tour, shot: Shot) -> Image.Image:
    """An annotator's campaigns: the question, the waiting tasks and the usual time of each."""
    page = tour.page(ANNOTATOR, "/home")
    page.get_by_text(f"Hello, {ANNOTATOR}").wait_for()
    return shot(page)


def practice(tour: Tour, shot: Shot) -> Image.Image:
    """A practice item after a decision: whether it was right, and why."""
    page = tour.page(ANNOTATOR, f"/practice?campaign={CAMPAIGN}")
    page.locator(".card[aria-busy=false]").wait_for()
    page.keyboard.press("y")
    page.get_by_text("Right.").or_(page.get_by_text("Not right.")).first.wait_for()
    return shot(page)


def build(tour: Tour, shot: Shot) -> Image.Image:
    """The run of a recipe: the next action, its steps, its funnel, and the actions that can start."""
    return _of_curator(tour, "/build", "Next", shot)


def releases(tour: Tour, shot: Shot) -> Image.Image:
    """Frozen, exported and published releases."""
    page = tour.page(CURATOR, "/publish")
    page.locator(".card").first.wait_for()
    return shot(page)


def message(tour: Tour, shot: Shot) -> Image.Image:
    """A message of the curator above an annotator's task."""
    with tour.store.writing() as connection:
        words = "Please zoom in on small pictures before you reject them."
        send_message(connection, CAMPAIGN, words, recipient=ANNOTATOR, by=CURATOR, now=datetime.now(UTC))
    page = _at_work(tour, CAMPAIGN)
    page.get_by_role("button", name="I have read it").wait_for()
    taken = shot(page)
    page.get_by_role("button", name="I have read it").click()
    page.get_by_text(words).wait_for(state="detached")
    return taken


def sending(tour: Tour, shot: Shot) -> Image.Image:
    """Photographs on their way to the server."""
    page = tour.page(CURATOR, "/send-photographs")
    page.locator("#send_files").wait_for()
    return shot(page)


def rules(tour: Tour, shot: Shot) -> Image.Image:
    """The result of each rule on the decisions so far."""
    page = tour.page(CURATOR, f"/rules?campaign={CAMPAIGN}")
    page.locator(".tile").first.wait_for()
    page.evaluate("scrollTo(0, document.querySelector('main').offsetTop)")
    return shot(page)


def thresholds(tour: Tour, shot: Shot) -> Image.Image:
    """The changes by another threshold of a filter."""
    page = tour.page(CURATOR, "/thresholds?threshold=quality.max_aspect&at=1.45")
    page.locator(".tile").first.wait_for()
    page.evaluate("scrollTo(0, document.querySelector('main').offsetTop)")
    return shot(page)


def guidelines_edit(tour: Tour, shot: Shot) -> Image.Image:
    """Editing guidelines, with a preview for annotators."""
    return _of_curator(tour, f"/guidelines-edit?campaign={CAMPAIGN}", "As annotators see it", shot)


def key_sheet(tour: Tour, shot: Shot) -> Image.Image:
    """All keys of a task."""
    page = _at_work(tour, CAMPAIGN)
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    return shot(page)


def guidelines_beside(tour: Tour, shot: Shot) -> Image.Image:
    """The guidelines next to a task."""
    page = _at_work(tour, CAMPAIGN)
    page.get_by_role("button", name="Guidelines").click()
    page.locator(".st-key-guidelines-beside").wait_for()
    return shot(page)


def blind(tour: Tour, shot: Shot) -> Image.Image:
    """A review before the answer."""
    name = "criteria"
    item = {**of_kind(tour, "visual_correspondence")[0].payload, "item_id": "1" * 32}
    form = CampaignForm(
        fields=review_form(("accurate", "reasonable", "difficult")).fields, blind_first=True, edits=True
    )
    open_campaign(tour, name, REVIEW, form, [TaskInput(item["item_id"], "content", item)], rule="at_least(1, of=1)")
    return shot(_at_work(tour, name))


def screen_items(tour: Tour, shot: Shot) -> Image.Image:
    """Screening items."""
    form = CampaignForm(fields=screening_form(ScreenForm().reasons).fields)
    task = of_kind(tour, "background_cross_image")[0]
    item = {**task.payload, "item_id": "2" * 32}
    open_campaign(tour, SCREEN_ITEMS, SCREEN_ITEMS, form, [TaskInput(item["item_id"], "content", item)])
    page = _at_work(tour, SCREEN_ITEMS)
    page.keyboard.press("2")
    return shot(page)


def doubted_key(tour: Tour, shot: Shot) -> Image.Image:
    """A key that models contradict, judged wrong."""
    make_form: Callable[..., Form] | None = KINDS[ERRATA].form
    assert make_form is not None
    task = again(of_kind(tour, "object_localization")[0])
    beside = (SideText(label="Models that answer otherwise", text="8 of 9 models answer (A)."),)
    wanted = ReviewTask(item_id=task.item_id, content_hash=task.content_hash, about={"suspect": "key"}, beside=beside)
    work = TaskInput(task.item_id, task.content_hash, payload_with(task.payload, wanted))
    open_campaign(tour, "suspects", ERRATA, CampaignForm(fields=make_form(()).fields), [work])
    page = _at_work(tour, "suspects")
    page.keyboard.press("2")
    return shot(page)


def all_done(tour: Tour, shot: Shot) -> Image.Image:
    """A finished campaign, and places with waiting work."""
    open_campaign(tour, "finished", "verify", tour.store.campaign(CAMPAIGN).form, [])
    page = tour.page(ANNOTATOR, "/review?campaign=finished")
    page.get_by_text("Nothing").first.wait_for()
    return shot(page)


def welcome(tour: Tour, shot: Shot) -> Image.Image:
    """An invitation, where an annotator chooses a password."""
    accounts = Accounts(tour.store)
    accounts.add("dora", "annotator", now=datetime.now(UTC))
    token = accounts.invite("dora", now=datetime.now(UTC))
    page = tour.page(ANNOTATOR, "/history")
    page.goto(page.url.partition("/history")[0] + f"/welcome?invitation={token}")
    return shot(page)


def history_empty(tour: Tour, shot: Shot) -> Image.Image:
    """The decisions of an annotator without any."""
    open_campaign(tour, "untouched", "verify", tour.store.campaign(CAMPAIGN).form, [])
    return _of_curator(tour, "/history?campaign=untouched", "not decided anything", shot)


def progress_empty(tour: Tour, shot: Shot) -> Image.Image:
    """The progress of a newly opened campaign."""
    open_campaign(tour, "fresh", "verify", tour.store.campaign(CAMPAIGN).form, [again(of_kind(tour, "jigsaw")[0])])
    return _of_curator(tour, "/progress?campaign=fresh", "What became", shot)


def agreement_empty(tour: Tour, shot: Shot) -> Image.Image:
    """Agreement before the first decision."""
    open_campaign(tour, "fresh", "verify", tour.store.campaign(CAMPAIGN).form, [again(of_kind(tour, "jigsaw")[0])])
    return _of_curator(tour, "/agreement?campaign=fresh", "Nobody has decided", shot)


def items_none(tour: Tour, shot: Shot) -> Image.Image:
    """A search without hits."""
    return _of_curator(tour, "/items?words=zebra", "Nothing fits", shot)


def flags_none(tour: Tour, shot: Shot) -> Image.Image:
    """No comments."""
    open_campaign(tour, "fresh", "verify", tour.store.campaign(CAMPAIGN).form, [again(of_kind(tour, "jigsaw")[0])])
    page = tour.page(CURATOR, "/flags?campaign=fresh")
    page.get_by_role("heading", name="Flags").wait_for()
    return shot(page)


def _at_work(tour: Tour, campaign: str) -> Page:
    page = tour.page(ANNOTATOR, f"/?campaign={campaign}")
    page.locator(".card[aria-busy=false]").wait_for()
    return page


def _of_curator(tour: Tour, path: str, words: str, shot: Shot) -> Image.Image:
    page = tour.page(CURATOR, path)
    page.get_by_text(words).filter(visible=True).first.wait_for()
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
    return shot(page)


def arabic(tour: Tour, shot: Shot) -> Image.Image:
    """A task for an annotator whose browser prefers Arabic."""
    page = tour.page(ANNOTATOR, f"/?campaign={CAMPAIGN}", locale="ar")
    page.locator(".card[aria-busy=false]").wait_for()
    page.wait_for_function("() => document.documentElement.dataset.words !== undefined")
    return shot(page)


PICTURES: Mapping[str, Callable[[Tour, Shot], Image.Image]] = {
    "review-home.png": home,
    "review-practice.png": practice,
    "review-build.png": build,
    "review-releases.png": releases,
    "review-message.png": message,
    "review-rules.png": rules,
    "review-thresholds.png": thresholds,
    "review-guidelines.png": guidelines_edit,
    "review-arabic.png": arabic,
}
SCREENS: Mapping[str, Callable[[Tour, Shot], Image.Image]] = {
    "key-sheet": key_sheet,
    "send-photographs": sending,
    "guidelines-beside": guidelines_beside,
    "blind": blind,
    "screen-items": screen_items,
    "doubted-key": doubted_key,
    "all-done": all_done,
    "welcome": welcome,
    "history-empty": history_empty,
    "progress-empty": progress_empty,
    "agreement-empty": agreement_empty,
    "items-none": items_none,
    "flags-none": flags_none,
}
