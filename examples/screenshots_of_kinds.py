"""Pictures of campaigns with questions other than accepting an item; `screenshots.py` takes them with the others."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PIL import Image

from benchwright.annotation.campaigns.review import review_form
from benchwright.annotation.campaigns.screen import ScreenForm
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import Option
from benchwright.annotation.forms.kind_forms.collect import collect_form
from benchwright.annotation.forms.kind_forms.description import DESCRIPTION_FORM
from benchwright.annotation.forms.kind_forms.marking import MarkField, marking_form
from benchwright.annotation.forms.kind_forms.pair import PAIR_FORM
from benchwright.annotation.forms.kind_forms.screening import screening_form
from benchwright.annotation.forms.kind_forms.statements import Section, state_form
from benchwright.annotation.forms.kind_forms.writing import LabelSet, QuestionSettings, writing_form
from benchwright.annotation.forms.kinds import (
    ANSWER,
    COLLECT,
    DESCRIBE,
    KINDS,
    MARK,
    PAIR,
    REVIEW,
    SCREEN,
    STATE,
    WRITE,
)
from benchwright.annotation.forms.payloads import Proposals, TaskInput, payload_of_picture
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.forms.task_content import TaskContent, task_input
from benchwright.annotation.store.database.records import Task
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.image_files import ImageFiles
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.images.decode import upright_size
from benchwright.records import ItemImage

if TYPE_CHECKING:
    from playwright.sync_api import Page

CAMPAIGN, ANNOTATOR, OTHER, CURATOR = "verify", "ann", "ben", "mira"
FLAGGED_AT = datetime(2026, 3, 2, 10, 30, tzinfo=UTC)
_DRAFTED = {
    "caption": "An orange dahlia in full bloom.",
    "background": "dark green leaves",
    "unanswerable": [
        {
            "name": "smell",
            "why": "other_modality",
            "ask": "How does the flower smell?",
            "wrong": ["Sweet", "Of honey", "Of nothing"],
        }
    ],
}
Shot = Callable[["Page"], Image.Image]


class Tour(Protocol):
    """The running app, its store, and its workspace."""

    store: ReviewStore
    workspace: Path

    def page(self, name: str, path: str, *, locale: str = "en-US") -> Page:
        """Return a page of the app as a user sees it after signing in, with a browser that prefers a language."""


def edit(tour: Tour, shot: Shot) -> Image.Image:
    """Editing an item: its question and options are fields."""
    with _decided_by_nobody(tour, "background_cross_image") as page:
        page.keyboard.press("v")
        page.get_by_role("textbox", name="Question").wait_for()
        return shot(page)


def flags(tour: Tour, shot: Shot) -> Image.Image:
    """Open flags of annotators."""
    queue = TaskQueue(tour.store, tour.store.campaign(CAMPAIGN), ANNOTATOR)
    past = queue.history(limit=3)
    for one, (words, is_flag) in zip(past, _REMARKS, strict=True):
        queue.remark(one.task_id, words, is_flag=is_flag, now=FLAGGED_AT)
    page = tour.page(CURATOR, f"/flags?campaign={CAMPAIGN}")
    page.get_by_text(f"⚑ {ANNOTATOR}").first.wait_for()
    return shot(page)


_REMARKS = (
    ("I know this photograph from a textbook.", True),
    ("The marks hide what is asked about.", True),
    ("Took me two tries.", False),
)


def adjudicate(tour: Tour, shot: Shot) -> Image.Image:
    """A case that two annotators left open, with the decision of each."""
    name = "divided"
    task = of_kind(tour, "object_localization")[-1]
    verify = tour.store.campaign(CAMPAIGN)
    open_campaign(tour, name, "verify", verify.form, [again(task)], rule="adjudicated(unanimous(2))", slots=2)
    [case] = tour.store.tasks(name)
    now = datetime.now(UTC)
    tour.store.decide(name, case.id, ANNOTATOR, Submission("accept"), now=now)
    note = "Box A is too tall, and so is box B."
    tour.store.decide(name, case.id, OTHER, Submission("reject", reasons=("unclear",), note=note), now=now)
    page = tour.page(CURATOR, f"/adjudicate?campaign={name}")
    page.locator(".given").last.scroll_into_view_if_needed()
    return shot(page)


def votes(tour: Tour, shot: Shot) -> Image.Image:
    """A review after the answer: the key, its explanation, and a vote on each criterion."""
    name = "review"
    # A separate item: annotators are not asked blind about an item whose key they have seen.
    mine = {"item_id": "d" * 32, "explanation": "Only the place behind has changed."}
    item = {**of_kind(tour, "background_cross_image")[0].payload, **mine}
    votes_on = review_form(("accurate", "reasonable", "difficult"))
    form = CampaignForm(fields=votes_on.fields, blind_first=True, edits=True, rounds=4)
    open_campaign(tour, name, REVIEW, form, [TaskInput(item["item_id"], "content", item)], rule="at_least(1, of=1)")
    with _first(tour, name) as page:
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.locator(".card[aria-busy=false] [data-field=accurate]").wait_for()
        page.keyboard.press("1")
        return shot(page)


def screen(tour: Tour, shot: Shot) -> Image.Image:
    """Discarding a picture, with the reasons to choose from."""
    form = CampaignForm(fields=screening_form(ScreenForm().reasons).fields)
    exhibit = TaskContent(task="image", question="Does this image belong in the benchmark?", images=_photograph(tour))
    open_campaign(tour, SCREEN, SCREEN, form, [task_input("a" * 32, "content", exhibit)])
    with _first(tour, SCREEN) as page:
        page.keyboard.press("2")
        page.keyboard.press("1")
        return shot(page)


def same(tour: Tour, shot: Shot) -> Image.Image:
    """Two possibly equal pictures: the question whether they are the same."""
    item = of_kind(tour, "background_cross_image")[0].payload
    images = tuple(ItemImage.model_validate(one) for one in item["images"][:2])
    exhibit = TaskContent(task=PAIR, question="Is this the same picture?", images=images)
    open_campaign(tour, PAIR, PAIR, CampaignForm(fields=PAIR_FORM.fields), [task_input("f" * 32, "content", exhibit)])
    with _first(tour, PAIR) as page:
        page.keyboard.press("m")
        return shot(page)


def answer(tour: Tour, shot: Shot) -> Image.Image:
    """A question of the human baseline, without any hint of the right option."""
    item = {**of_kind(tour, "visual_correspondence")[0].payload, "item_id": "e" * 32}
    form = CampaignForm(decisions_from="choices")
    open_campaign(tour, ANSWER, ANSWER, form, [TaskInput(item["item_id"], "content", item)], rule="answers(1)")
    with _first(tour, ANSWER) as page:
        page.keyboard.press("2")
        return shot(page)


def dark(tour: Tour, shot: Shot) -> Image.Image:
    """The screen of a pair on a computer in dark mode."""
    with _decided_by_nobody(tour, "background_cross_image", name="pairs") as page:
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(800)
        return shot(page)


def describe(tour: Tour, shot: Shot) -> Image.Image:
    """A half-finished description of a picture's message: type, difficulty, domain, emotion, rhetoric."""
    form = CampaignForm(fields=DESCRIPTION_FORM.fields)
    exhibit = TaskContent(task=DESCRIBE, question="What does this image convey?", images=_photograph(tour))
    open_campaign(tour, DESCRIBE, DESCRIBE, form, [task_input("b" * 32, "content", exhibit)])
    with _first(tour, DESCRIBE) as page:
        for key in "112113":
            page.keyboard.press(key)
        return shot(page)


def state(tour: Tour, shot: Shot) -> Image.Image:
    """The content of a picture, half of it drafted by a model."""
    sections: tuple[Section, ...] = ("caption", "background", "unanswerable")
    form = CampaignForm(fields=state_form(sections, drafts=True).fields, states_facts=True)
    exhibit = TaskContent(task=STATE, question="What does this picture show?", images=_photograph(tour))
    payload = payload_of_picture(
        exhibit.model_dump(mode="json"), name="flower.jpg", proposals=Proposals(model="my-vlm", fields=_DRAFTED)
    )
    open_campaign(tour, STATE, STATE, form, [TaskInput("d" * 32, "content", payload)])
    with _first(tour, STATE) as page:
        page.keyboard.press("1")
        page.keyboard.press("a")
        page.locator("summary").filter(has_text="does not answer").click()
        page.wait_for_timeout(300)
        return shot(page)


def write(tour: Tour, shot: Shot) -> Image.Image:
    """A question about a picture, with a wrong option that reads the same as the right one."""
    labels = {"difficulty": LabelSet(values=("easy", "hard"))}
    form = CampaignForm(fields=writing_form(QuestionSettings(refusal="allowed", labels=labels)).fields)
    exhibit = TaskContent(task=WRITE, question="What could be asked about this picture?", images=_photograph(tour))
    open_campaign(tour, WRITE, WRITE, form, [task_input("e" * 32, "content", exhibit)])
    with _first(tour, WRITE) as page:
        page.keyboard.press("1")
        page.keyboard.press("n")
        entry = page.locator(".entry").first
        areas, lists = entry.locator("textarea"), entry.locator("select")
        areas.nth(0).fill("Which colour do the petals have?")
        lists.nth(0).select_option("offered")
        areas.nth(1).fill("Orange")
        areas.nth(2).fill("Yellow\norange.\nWhite")
        page.locator(".mistake").wait_for()
        return shot(page)


def collect(tour: Tour, shot: Shot) -> Image.Image:
    """A prompt, and a photograph brought for it."""
    form = collect_form(
        ("cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0"), max_bytes=20_000_000, max_pixels=24_000_000, min_side_px=64
    )
    exhibit = TaskContent(task=COLLECT, question="A cup on a wooden table")
    open_campaign(tour, COLLECT, COLLECT, CampaignForm(fields=form.fields), [task_input("c" * 32, "content", exhibit)])
    with _first(tour, COLLECT) as page:
        page.on("filechooser", lambda _chooser: None)  # a listener registered only below may miss the key
        page.keyboard.press("1")
        page.keyboard.press("2")
        page.wait_for_timeout(300)
        with page.expect_file_chooser() as chooser:
            page.keyboard.press("p")
        chooser.value.set_files({"name": "coffee.jpg", "mimeType": "image/jpeg", "buffer": _coffee()})
        page.get_by_text("pixels").last.wait_for()
        return shot(page)


def open_campaign(
    tour: Tour, name: str, kind: str, form: CampaignForm, work: Iterable[TaskInput], *, rule: str = "single",
    slots: int = 1,
) -> None:  # fmt: skip
    """Open a campaign about this work."""
    form = form.model_copy(update={"guidelines": KINDS[kind].guidelines})
    with tour.store.batch() as held:
        held.upsert_campaign(
            name,
            kind=kind,
            rule=rule,
            slots_per_task=slots,
            form=form,
            settings={},
            seed=1,
        )
        held.upsert_tasks(name, work)


@contextmanager
def _first(tour: Tour, campaign: str) -> Iterator[Page]:
    page = tour.page(ANNOTATOR, f"/?campaign={campaign}")
    page.locator(".card[aria-busy=false]").wait_for()
    page.wait_for_timeout(800)
    yield page
    page.context.close()


@contextmanager
def _decided_by_nobody(tour: Tour, kind: str, *, name: str = "edit") -> Iterator[Page]:
    """Open a task that stays open: in a separate campaign, so that no other picture changes."""
    open_campaign(tour, name, "verify", tour.store.campaign(CAMPAIGN).form, [again(of_kind(tour, kind)[0])])
    with _first(tour, name) as page:
        yield page


def of_kind(tour: Tour, kind: str) -> list[Task]:
    """Return the tasks about one kind of item, in the order of the items' ids."""
    tasks = tour.store.tasks(CAMPAIGN, states=("open", "done"))
    return sorted((one for one in tasks if one.payload["task"] == kind), key=lambda one: one.item_id)


def again(task: Task) -> TaskInput:
    """Return the work of a task, for another campaign."""
    return TaskInput(task.item_id, task.content_hash, task.payload)


def _coffee() -> bytes:
    from skimage import data

    written = io.BytesIO()
    Image.fromarray(data.coffee()).save(written, "JPEG", quality=90)
    return written.getvalue()


def _photograph(tour: Tour) -> tuple[ItemImage, ...]:
    item = of_kind(tour, "object_localization")[0].payload
    return (ItemImage(image_id=item["root_image_id"], role="reference"),)


def mark(tour: Tour, shot: Shot) -> Image.Image:
    """A box around a flower, its label, and the loupe at the pointer."""
    name = "mark"
    labels = (Option(code="flower", words="Flower"), Option(code="leaf", words="Leaf"))
    what = "Mark every flower and every leaf in focus, as tightly as you can."
    boxes = MarkField(name="boxes", label="Boxes", shape="box", options=labels, instructions=what, max_count=9)
    task = of_kind(tour, "object_localization")[0]
    _open_marking(tour, name, boxes, [task.payload["root_image_id"]])
    with _first(tour, name) as page:
        page.locator(".marking-layer").wait_for()
        _drag(page, (0.264, 0.2), (0.698, 0.846))
        page.keyboard.press("b")
        x, y = _in_picture(page, 0.62, 0.7)
        page.mouse.move(x, y)
        page.locator(".loupe").wait_for()
        return shot(page)


def mark_pair(tour: Tour, shot: Shot) -> Image.Image:
    """Points of one picture, each with its partner in the other, and one without a partner yet."""
    name = "mark_pair"
    pairs = MarkField(name="same", label="The same points", shape="correspondence")
    images = [image["image_id"] for image in of_kind(tour, "visual_correspondence")[0].payload["images"][:2]]
    _open_marking(tour, name, pairs, images)
    with _first(tour, name) as page:
        page.locator(".marking-layer").nth(1).wait_for()
        for (x0, y0), (x1, y1) in (((0.3, 0.4), (0.27, 0.4)), ((0.62, 0.55), (0.58, 0.55))):
            page.mouse.click(*_in_picture(page, x0, y0))
            page.mouse.click(*_in_picture(page, x1, y1, pane=1))
        page.mouse.click(*_in_picture(page, 0.5, 0.75))
        return shot(page)


def _open_marking(tour: Tour, name: str, field: MarkField, images: Sequence[str]) -> None:
    form = CampaignForm(fields=marking_form([field]).fields)
    sizes = tuple(upright_size(ImageFiles(tour.workspace).data(image)) for image in images)
    shown = tuple(ItemImage(image_id=image, role="reference") for image in images)
    content = TaskContent(task=MARK, question=f"{field.label}: mark what is asked for.", images=shown, sizes_wh=sizes)
    open_campaign(tour, name, MARK, form, [task_input(images[0], images[0], content)])


def _in_picture(page: Page, x: float, y: float, *, pane: int = 0) -> tuple[float, float]:
    """Return the window place of a point of a picture, 0 to 1."""
    box = page.locator(".layer").nth(pane).bounding_box()
    assert box
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def _drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*_in_picture(page, *start))
    page.mouse.down()
    page.mouse.move(*_in_picture(page, *end), steps=4)
    page.mouse.up()


PICTURES: Mapping[str, Callable[[Tour, Shot], Image.Image]] = {
    "review-edit.png": edit,
    "review-flags.png": flags,
    "review-adjudicate.png": adjudicate,
    "review-votes.png": votes,
    "review-screen.png": screen,
    "review-same.png": same,
    "review-answer.png": answer,
    "review-dark.png": dark,
    "review-describe.png": describe,
    "review-state.png": state,
    "review-write.png": write,
    "review-collect.png": collect,
    "review-mark.png": mark,
    "review-mark-pair.png": mark_pair,
}
