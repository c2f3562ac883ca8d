"""A workspace over pictures on which annotators mark regions, opened field by field, and the hands that mark."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from browser.review_site import ReviewSite, add_accounts, sign_in, slot_on_screen
from picture_copies import photograph
from PIL import Image

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import OneOf, OnlyIf, Option, RegionField
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.payloads import TaskInput, item_in
from benchwright.annotation.forms.task_content import TaskContent
from benchwright.annotation.store.review_store import open_store
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ItemImage
from benchwright.regions import helpers_of
from benchwright.workspace.store_place import settle_store

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from benchwright.regions import RegionShape
    from benchwright.workspace.run_results import FinishedRun

LARGE = (4000, 3000)
"""Size of twelve megapixels."""
HEADLINE = OneOf(
    name="marked",
    label="This picture",
    options=(
        Option(code="marked", words="Marked"),
        Option(code="nothing", words="Nothing to mark"),
        Option(code="unsure", words="I cannot tell"),
    ),
)
IF_MARKED = OnlyIf(field="marked", codes=("marked",))
LABELS = (Option(code="face", words="Face"), Option(code="helmet", words="Helmet"), Option(code="flag", words="Flag"))


def field(shape: RegionShape, name: str = "", **settings: Any) -> RegionField:
    """Return a region field that applies once the picture is marked."""
    name = name or shape
    return RegionField(name=name, label=name.capitalize(), shape=shape, only_if=IF_MARKED, **settings)


def save_photograph(path: Path, size: tuple[int, int] = LARGE, name: str = "astronaut") -> None:
    """Save a photograph of a size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    photograph(name).convert("RGB").resize(size, Image.Resampling.BILINEAR).save(path, quality=92)


def open_marking(
    folder: Path,
    campaigns: Mapping[str, Sequence[RegionField]],
    *,
    pictures: Mapping[str, Sequence[str]] = MappingProxyType({}),
    rule: str = "single",
    helpers: Sequence[Any] = (),
) -> Path:
    """Bring the pictures in `folder/photographs` into a workspace and open a campaign with these fields each.

    Args:
        folder: Folder of the pictures and of the workspace.
        campaigns: Region fields by the name of the campaign.
        pictures: Names of the files of each campaign's one task, unless it has a task for each picture.
        rule: Rule of the campaigns.
        helpers: Helpers of the campaigns, as a recipe names them; GrabCut by default.

    Returns:
        The workspace.
    """
    recipe = parse_recipe("name: marks\nseed: 3\nsteps:\n  - near_duplicates\n", "recipe.yaml", folder=folder)
    done = run_recipe(recipe, workspace=folder / "workspace", images=folder / "photographs", workers=1)
    records = {Path(image.source.uri).name: image for image in done.images() if image.source is not None}
    named = [helper.to_json() for helper in helpers_of(helpers)]
    settings = {"helpers": named, "propose": []} if named else {}
    with open_store(settle_store(done.workspace)) as store:
        for name, fields in campaigns.items():
            form = CampaignForm(fields=Form(fields=(HEADLINE, *fields)).fields)
            store.upsert_campaign(name, kind="mark", rule=rule, slots_per_task=2, form=form, settings=settings, seed=1)
            tasks = [pictures[name]] if name in pictures else [[file] for file in sorted(records)]
            store.upsert_tasks(name, [_task(name, [records[file] for file in files]) for files in tasks])
    add_accounts(done.workspace)
    return done.workspace


def _task(name: str, images: Sequence[Any]) -> TaskInput:
    shown = tuple(ItemImage(image_id=image.image_id, role="reference") for image in images)
    sizes = tuple((image.width, image.height) for image in images)
    content = TaskContent(task=name, question="Mark what is asked for.", images=shown, sizes_wh=sizes)
    return TaskInput(images[0].image_id, images[0].image_id, content.model_dump(mode="json"))


def open_task(page: Page, site: ReviewSite, campaign: str, *, name: str = "ann") -> int:
    """Sign an annotator in to a campaign, and return the slot of the task on the screen once it can be drawn on."""
    sign_in(page, site, name, path=f"/?campaign={campaign}")
    slot = slot_on_screen(page)
    picture_is_there(page)
    return slot


def picture_is_there(page: Page) -> None:
    """Wait until the pictures of a task are loaded and can be drawn on."""
    page.locator(".marking-layer").first.wait_for()
    page.wait_for_function(
        f"() => [...{_ROOT}.querySelectorAll('.layer .picture')].every((image) => image.complete && image.naturalWidth)"
    )


_ROOT = (
    "[...document.querySelectorAll('*')].map((each) => each.shadowRoot).find((root) => root?.querySelector('.card'))"
)
_PLACE = (
    f"([pane, x, y, width]) => {{ const layer = {_ROOT}.querySelectorAll('.layer')[pane].getBoundingClientRect();"
    " const scale = layer.width / width; return [layer.left + x * scale, layer.top + y * scale]; }"
)


def on_screen(page: Page, x: float, y: float, *, size: tuple[int, int] = LARGE, pane: int = 0) -> tuple[float, float]:
    """Return the window place of a point of a picture, in the browser's layout."""
    across, down = page.evaluate(_PLACE, [pane, x, y, size[0]])
    return float(across), float(down)


def pictures(done: FinishedRun) -> dict[str, tuple[str, tuple[int, int]]]:
    """Return the file name and the size of each picture of a run, by its id."""
    return {
        image.image_id: (Path(image.source.uri).name, (image.width, image.height))
        for image in done.images()
        if image.source is not None
    }


def pictures_of(site: ReviewSite, slot: int) -> list[str]:
    """Return the ids of the pictures that a slot shows, as annotators recognize them."""
    with closing(sqlite3.connect(f"file:{site.workspace / 'review.sqlite'}?mode=ro", uri=True)) as connection:
        question = "SELECT payload FROM tasks JOIN slots ON task_id = tasks.id WHERE slots.id = ?"
        [payload] = connection.execute(question, (slot,)).fetchone()
    return [image["image_id"] for image in item_in(json.loads(payload))["images"]]


class Hand:
    """A hand with a mouse on a picture of a task, on whole pixels of the screen."""

    def __init__(self, page: Page, size: tuple[int, int], *, pane: int = 0) -> None:
        self.page, self.size, self.pane = page, size, pane

    @property
    def within(self) -> float:
        """Half a pixel of the screen, in pixels of the picture."""
        (x0, _), (x1, _) = (on_screen(self.page, x, 0, size=self.size, pane=self.pane) for x in (0, self.size[0]))
        return 0.5 * self.size[0] / (x1 - x0)

    def _place(self, x: float, y: float) -> tuple[int, int]:
        across, down = on_screen(self.page, x, y, size=self.size, pane=self.pane)
        return round(across), round(down)

    def box(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Drag over a thing; with Shift, because other marks may lie below."""
        self.page.keyboard.down("Shift")
        self.page.mouse.move(*self._place(x0, y0))
        self.page.mouse.down()
        self.page.mouse.move(*self._place(x1, y1), steps=4)
        self.page.mouse.up()
        self.page.keyboard.up("Shift")

    def point(self, x: float, y: float) -> None:
        """Press on a place; with Shift, because other points may lie near."""
        self.page.keyboard.down("Shift")
        self.page.mouse.click(*self._place(x, y))
        self.page.keyboard.up("Shift")

    def label(self, words: str) -> None:
        """Write a label in words; the next drawing in the field gets it too."""
        self.page.keyboard.press("l")
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")


def draw(page: Page, *points: tuple[float, float], size: tuple[int, int] = LARGE) -> None:
    """Drag the mouse from point to point of the first picture."""
    first, *rest = [on_screen(page, x, y, size=size) for x, y in points]
    page.mouse.move(*first)
    page.mouse.down()
    for place in rest:
        page.mouse.move(*place, steps=5)
    page.mouse.up()


def click(page: Page, x: float, y: float, *, size: tuple[int, int] = LARGE, pane: int = 0) -> None:
    """Press on a point of a picture."""
    page.mouse.click(*on_screen(page, x, y, size=size, pane=pane))


def stored(site: ReviewSite, campaign: str, *, name: str = "ann") -> dict[str, Any]:
    """Return the fields of an annotator's latest decision in a campaign."""
    with open_store(settle_store(site.workspace)) as store:
        own = [decision for decision in store.decisions(campaign) if decision.annotator == name]
    return dict(own[-1].fields or {})


def submit(page: Page) -> None:
    """Submit the task, and wait until the store has it."""
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => Object.entries(sessionStorage).every(([place, events]) => !place.startsWith('benchwright-outbox') || events === '[]')"
        f" && {_ROOT}?.querySelector('.status.urgent') == null"
    )


_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


class Fingers:
    """Fingers on a page, through Chromium's own protocol: Playwright has taps only."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)

    def touch(self, kind: str, *places: tuple[float, float]) -> None:
        """Put fingers down, move them or lift them, at places in the window."""
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def drag(self, start: tuple[float, float], end: tuple[float, float], *, size: tuple[int, int] = LARGE) -> None:
        """Drag one finger between two points of the picture."""
        (x0, y0), (x1, y1) = on_screen(self.page, *start, size=size), on_screen(self.page, *end, size=size)
        self.touch("touchStart", (x0, y0))
        # It rests before it is lifted: after a fling Chromium takes the next tap for its end.
        for step in [*range(1, 9), 8, 8, 8]:
            self.touch("touchMove", (x0 + (x1 - x0) * step / 8, y0 + (y1 - y0) * step / 8 + 0.01 * (step == 8)))
            self.page.evaluate(_FRAME)
        self.touch("touchEnd")
