"""Take the screenshots in the guides for annotators and curators: `make screenshots` or, into another folder, `python
examples/screenshots.py FOLDER`.

Builds the demo in a temporary folder, serves its review app, and drives it with Chromium (`make browser`; extras
`demo`, `app` and `dev`). Further arguments name single pictures. Pictures are 1280 x 800 with at most 256 colors,
which keeps them small.

`make screens`, or with `--everywhere`, shows every screen in every window: at five widths from a telephone to a large
monitor, light and dark, and those that do not fit a window also as a whole. Every picture is a separate file, and each
screen has a sheet of all of them in each theme, for inspection after a change of a page.
"""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import screenshots_of_kinds
import screenshots_of_pages
import screenshots_of_rounds
from PIL import Image

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import ERROR_ANALYSIS, KINDS
from benchwright.annotation.forms.payloads import TaskInput, payload_with
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import Task
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.evaluation.analysis.error_sample import BLINK as CATEGORIES
from benchwright.review_files.tasks import ReviewTask, SideText

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHOWN_AT = "127.0.0.1:8501"
"""Address shown on pages, whichever port is free."""
SIZE = {"width": 1280, "height": 800}
MOST_BYTES = 200_000
"""Largest size of a picture, in bytes; busy ones get fewer colors."""
PASSWORDS = {"mira": "curator of all this", "ann": "first of annotators", "ben": "second of annotators"}
CURATOR, ANNOTATOR = "mira", "ann"
CAMPAIGN = "verify"
FIRST_DECISION = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


RECIPE = """\
name: street-signs
seed: 7
steps:
  - step: near_duplicates
  - step: quality
    min_side_px: 200
  - step: jigsaw
  - step: verify
    rule: unanimous(2)
  - splits
  - step: freeze
    name: street-signs
"""
"""Recipe for the picture of the page *Recipe*."""


class Tour(NamedTuple):
    """The running app, its store, its workspace, a browser, and the function that photographs a ready page."""

    browser: Browser
    store: ReviewStore
    workspace: Path
    shot: Callable[[Page], Image.Image]

    def page(self, name: str, path: str, *, locale: str = "en-US") -> Page:
        """Return a page of the app as a user sees it after signing in, with a browser that prefers a language."""
        page = self.browser.new_context(viewport=SIZE, device_scale_factor=1, locale=locale).new_page()
        page.goto(f"http://{SHOWN_AT}{path}")
        page.fill("#name", name)
        page.fill("#password", PASSWORDS[name])
        page.click("button")
        return page

    @contextmanager
    def task(self, kind: str) -> Iterator[Page]:
        """Open the first open task of a kind, and give it back afterwards."""
        task = min(self._untouched(kind), key=lambda task: task.item_id)
        lease = self.store.claim(CAMPAIGN, ANNOTATOR, now=datetime.now(UTC), lease_s=300, task=task.id)
        assert lease is not None
        page = self.page(ANNOTATOR, f"/?campaign={CAMPAIGN}&task={task.id}")
        page.locator(".card[aria-busy=false]").wait_for()
        _settle(page)
        yield page
        page.context.close()
        self.store.release(lease.slot_id, ANNOTATOR)

    def _untouched(self, kind: str) -> list[Task]:
        said = {one.item_id for one in self.store.decisions(CAMPAIGN)}
        tasks = self.store.tasks(CAMPAIGN, states=("open",))
        return [task for task in tasks if task.payload["task"] == kind and task.item_id not in said]


def sign_in(tour: Tour) -> Image.Image:
    """The sign-in page."""
    page = tour.browser.new_context(viewport=SIZE, device_scale_factor=1).new_page()
    page.goto(f"http://{SHOWN_AT}/login")
    page.fill("#name", ANNOTATOR)
    return tour.shot(page)


def pair(tour: Tour) -> Image.Image:
    """Two pictures side by side."""
    with tour.task("background_cross_image") as page:
        return tour.shot(page)


def slider(tour: Tour) -> Image.Image:
    """One picture over the other, with the divider between them."""
    with tour.task("background_cross_image") as page:
        page.get_by_role("button", name="Slider", exact=True).click()
        return tour.shot(page)


def marks(tour: Tour) -> Image.Image:
    """Rings and letters drawn over two views of one place."""
    with tour.task("visual_correspondence") as page:
        return tour.shot(page)


def jigsaw(tour: Tour) -> Image.Image:
    """A picture with a piece missing, next to the pieces."""
    with tour.task("jigsaw") as page:
        return tour.shot(page)


def reasons(tour: Tour) -> Image.Image:
    """A rejection being written: a reason and a note."""
    with tour.task("object_localization") as page:
        page.keyboard.press("3")
        page.keyboard.press("n")
        page.keyboard.type("Box B leaves out a part on the left.")
        page.get_by_text("Draft saved").wait_for()
        page.locator(".card textarea").scroll_into_view_if_needed()
        return tour.shot(page)


def history(tour: Tour) -> Image.Image:
    """An annotator's own decisions."""
    page = tour.page(ANNOTATOR, f"/history?campaign={CAMPAIGN}")
    page.get_by_text("the latest first").wait_for()
    return tour.shot(page)


def progress(tour: Tour) -> Image.Image:
    """The progress of a campaign, and the outcomes of its tasks."""
    return _of_curator(tour, "progress", "#plot-days svg")


def agreement(tour: Tour) -> Image.Image:
    """The agreement of annotators, by task."""
    return _of_curator(tour, "agreement", "#plot-all svg")


def annotators(tour: Tour) -> Image.Image:
    """Annotators' agreement with the others, and likely errors."""
    return _of_curator(tour, "annotators", "#plot-confusion svg")


def why(tour: Tour) -> Image.Image:
    """Reasons with counts, and their tasks."""
    return _of_curator(tour, "reasons", ".bw-thumb img")


def items(tour: Tour) -> Image.Image:
    """All items and images as pictures, two of them selected."""
    page = tour.page(CURATOR, f"/items?campaign={CAMPAIGN}")
    page.locator(".tile img").first.wait_for()
    for place in (1, 3):
        page.locator(".tile input").nth(place).check()
    page.get_by_text("2 selected").first.wait_for()
    page.get_by_role("button", name="Preview the effect").wait_for()
    page.locator(".tile").first.hover()
    return tour.shot(page)


def item(tour: Tour) -> Image.Image:
    """One item with its actions."""
    page = tour.page(CURATOR, "/items?state=rejected")
    page.locator(".tile .open").first.click()
    page.get_by_text("Annotators' decisions").wait_for()
    page.get_by_text("Act on this record").wait_for()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.bw-pictures img')].every((one) => one.naturalWidth > 0)"
    )
    return tour.shot(page)


def _of_curator(tour: Tour, name: str, ready: str) -> Image.Image:
    page = tour.page(CURATOR, f"/{name}?campaign={CAMPAIGN}")
    page.locator(ready).first.wait_for()
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
    return tour.shot(page)


def people(tour: Tour) -> Image.Image:
    """Accounts, and a new invitation."""
    page = tour.page(CURATOR, "/people")
    page.get_by_label("Name").fill("cem")
    page.get_by_role("button", name="Add and invite").click()
    page.locator(".invitations").wait_for()
    return tour.shot(page)


def new_benchmark(tour: Tour) -> Image.Image:
    """The first step of the dialogue of a new benchmark, over an empty workspace."""
    with _elsewhere(tour, "/new-benchmark", "--sources", str(tour.workspace.parent / "photographs")) as page:
        page.fill("#name", "street-signs")
        page.check("input[value=folders]")
        page.get_by_text("Saved", exact=True).wait_for()
        page.evaluate("document.activeElement.blur()")
        return tour.shot(page)


def recipe(tour: Tour) -> Image.Image:
    """A recipe step by step, with the settings of each."""
    file = tour.workspace.parent / "street-signs.yaml"
    file.write_text(RECIPE, encoding="utf-8")
    images = str(tour.workspace.parent / "photographs")
    with _elsewhere(tour, "/recipe", "--recipe", str(file), "--images", images) as page:
        page.locator(".card").first.wait_for()
        return tour.shot(page)


@contextmanager
def _elsewhere(tour: Tour, path: str, *more: str) -> Iterator[Page]:
    """Open a page of an app over a new workspace as the curator sees it."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        with _serving(workspace, *more) as port:
            _add_person(workspace, CURATOR)
            page = tour.browser.new_context(viewport=SIZE, device_scale_factor=1).new_page()
            page.goto(f"http://127.0.0.1:{port}{path}")
            page.fill("#name", CURATOR)
            page.fill("#password", PASSWORDS[CURATOR])
            page.click("button")
            yield page


def errors(tour: Tour) -> Image.Image:
    """Naming an error: the reply below the question, with categories and a reason next to it."""
    name = "errors"
    form, categories = KINDS[ERROR_ANALYSIS].form, CATEGORIES
    assert form is not None
    with tour.store.batch() as held:
        held.upsert_campaign(
            name, kind=ERROR_ANALYSIS, rule="answers(1)", slots_per_task=1,
            form=CampaignForm(fields=form(categories).fields),
            settings={"categories": [one.model_dump(mode="json") for one in categories]}, seed=1,
        )  # fmt: skip
        tasks = tour.store.tasks(CAMPAIGN, states=("open",))
        held.upsert_tasks(name, [_wrong(task) for task in tasks if task.payload["task"] == "object_localization"])
    page = tour.page(ANNOTATOR, f"/?campaign={name}")
    page.locator(".card[aria-busy=false]").wait_for()
    _settle(page)
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("It says that the box follows the outline, and the box cuts a part off.")
    page.get_by_text("Draft saved").wait_for()
    page.locator(".card .told").last.scroll_into_view_if_needed()
    return tour.shot(page)


def _wrong(task: Task) -> TaskInput:
    """Return a task with a plausible reply of a model next to it."""
    said = "A" if task.payload["answer"] == "B" else "B"
    reply = f"Both boxes are drawn around it. Box {said} lies closer to its outline.\n\nThe answer is ({said})."
    read_as = f"{said}, which is not the key"
    beside = (SideText(label="The model's reply", text=reply), SideText(label="Read as", text=read_as))
    wanted = ReviewTask(item_id=task.item_id, content_hash=task.content_hash, about={"model": "one"}, beside=beside)
    return TaskInput(task.item_id, task.content_hash, payload_with(task.payload, wanted))


def _of_kinds(take: Callable[[Tour, screenshots_of_kinds.Shot], Image.Image], tour: Tour) -> Image.Image:
    return take(tour, tour.shot)


PICTURES: Mapping[str, Callable[[Tour], Image.Image]] = {
    "review-sign-in.png": sign_in,
    "review-pair.png": pair,
    "review-slider.png": slider,
    "review-marks.png": marks,
    "review-jigsaw.png": jigsaw,
    "review-reasons.png": reasons,
    "review-history.png": history,
    "review-progress.png": progress,
    "review-agreement.png": agreement,
    "review-annotators.png": annotators,
    "review-why.png": why,
    "review-people.png": people,
    "review-new.png": new_benchmark,
    "review-recipe.png": recipe,
    "review-items.png": items,
    "review-item.png": item,
    "review-errors.png": errors,
    **{
        name: partial(_of_kinds, take)
        for name, take in {
            **screenshots_of_kinds.PICTURES, **screenshots_of_rounds.PICTURES, **screenshots_of_pages.PICTURES,
        }.items()
    },
}  # fmt: skip
SCREENS: Mapping[str, Callable[[Tour], Image.Image]] = {
    **{name.removeprefix("review-").removesuffix(".png"): take for name, take in PICTURES.items()},
    **{name: partial(_of_kinds, take) for name, take in screenshots_of_pages.SCREENS.items()},
}
"""All screens, including those that no guide shows."""
WINDOWS = ((390, 844), (820, 1180), (1280, 800), (1366, 768), (1920, 1080))
"""Width and height of the windows for every screen."""


def decide(store: ReviewStore, *, tasks: int = 60) -> None:
    """Let both annotators decide the same tasks, at the same times in every run.

    They agree on most: every seventh task both reject, every ninth only one of them.
    """
    items = sorted(store.tasks(CAMPAIGN), key=lambda task: task.item_id)
    # Every third of them, so that each kind of task has some; the rest is for the other pictures.
    for n, task in enumerate(items[::3][:tasks]):
        for m, name in enumerate((ANNOTATOR, "ben")):
            rejects = n % 7 == 3 or (n % 9 == 4 and m == n % 2)
            now = FIRST_DECISION + timedelta(seconds=31 * n + 9 * m)
            lease = store.claim(CAMPAIGN, name, now=now, lease_s=600, task=task.id)
            assert lease is not None
            reason = ("unclear", "wrong_answer", "bad_image")[n % 3]
            rejected = Submission("reject", reasons=(reason,), note="hard to see at this size")
            queue = TaskQueue(store, store.campaign(CAMPAIGN), name)
            later = now + timedelta(seconds=6 + n % 13)
            queue.submit(lease.slot_id, rejected if rejects else Submission("accept"), now=later)


@contextmanager
def touring(folder: Path, *, shot: Callable[[Page], Image.Image] | None = None) -> Iterator[Tour]:
    """Build the demo in a folder, fill its review with decisions, and open its app in a browser.

    Args:
        folder: Empty folder.
        shot: Function that photographs a ready page; by default at the size of the guides' pictures.
    """
    from playwright.sync_api import sync_playwright

    _benchwright("demo", "--out", folder)
    workspace = folder / "workspace"
    for name in PASSWORDS:
        _add_person(workspace, name)
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("Debian's chromium is not installed: make browser")
    with (
        closing(open_store(f"sqlite:///{workspace / 'review.sqlite'}")) as store,
        _serving(workspace) as port,
        sync_playwright() as driver,
    ):
        decide(store)
        arguments = ["--no-sandbox", "--disable-gpu", f"--host-resolver-rules=MAP {SHOWN_AT} 127.0.0.1:{port}"]
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        yield Tour(browser, store, workspace, shot or _shot)
        browser.close()


@contextmanager
def _serving(workspace: Path, *more: str) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    words = [sys.executable, "-m", "benchwright", "review", "serve", "--workspace", str(workspace), "--port", str(port)]
    words += more
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as server:  # noqa: S603
        try:
            _await(port, server)
            yield port
        finally:
            server.kill()  # connected browsers would delay its end


def _await(port: int, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        time.sleep(0.1)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise SystemExit(f"the review app ended with {server.returncode}")


def _add_person(workspace: Path, name: str) -> None:
    role = "curator" if name == CURATOR else "annotator"
    words = ("review", "users", "--workspace", workspace, "--add", name, "--role", role, "--password-stdin")
    _benchwright(*words, input_=PASSWORDS[name] + "\n")


def _benchwright(*arguments: object, input_: str = "") -> None:
    words = [sys.executable, "-m", "benchwright", *map(str, arguments)]
    subprocess.run(words, input=input_, text=True, check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def _settle(page: Page) -> None:
    """Wait until pictures are loaded and nothing moves."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(800)


def _shot(page: Page) -> Image.Image:
    _settle(page)
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return next(small for colours in (256, 160, 96, 48) if len(_png(small := _few(taken, colours))) <= MOST_BYTES)


def _few(picture: Image.Image, colours: int) -> Image.Image:
    return picture.quantize(colours, method=Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE)


def _png(picture: Image.Image) -> bytes:
    written = io.BytesIO()
    picture.save(written, "PNG", optimize=True)
    return written.getvalue()


class Photographer:
    """A photographer of each screen in every window, light and dark, with one sheet per screen and theme.

    Args:
        folder: Folder of the pictures.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = ""
        """Name of the next screen."""

    def __call__(self, page: Page) -> Image.Image:
        """Photograph a ready page in each window and theme."""
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] # one of those that it takes
            taken = []
            for width, height in WINDOWS:
                page.set_viewport_size({"width": width, "height": height})
                taken.append(self._take(page, f"{self.name}-{width}-{scheme}"))
                if scheme == "light" and width in {390, 1280} and (whole := page.evaluate(_WHOLE_PX)) > height + 40:
                    page.set_viewport_size({"width": width, "height": min(whole, 4000)})
                    self._take(page, f"{self.name}-{width}-whole")
            _on_one_sheet(taken).save(self._folder / f"sheet-{self.name}-{scheme}.png")
        return taken[0]

    def _take(self, page: Page, name: str) -> Image.Image:
        _settle(page)
        taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        taken.save(self._folder / f"{name}.png")
        return taken


_WHOLE_PX = "() => document.querySelector('[data-testid=stMain]')?.scrollHeight ?? document.body.scrollHeight"
"""Height of a window without scrolling."""


def _on_one_sheet(pictures: Sequence[Image.Image]) -> Image.Image:
    """Return the pictures side by side, in two rows: handheld windows above, desktop windows below."""
    gap = 12
    rows = [[*pictures[:2], pictures[2]], [*pictures[3:]]]
    size = (
        max(sum(picture.width + gap for picture in row) for row in rows),
        sum(max(picture.height for picture in row) + gap for row in rows),
    )
    sheet = Image.new("RGB", size, "#7f7f7f")
    top = 0
    for row in rows:
        left = 0
        for picture in row:
            sheet.paste(picture, (left, top))
            left += picture.width + gap
        top += max(picture.height for picture in row) + gap
    return sheet


def main(arguments: Sequence[str]) -> None:
    """Write all pictures, or the named ones, to a folder; with `--everywhere`, for all windows and themes."""
    folder, *names = (argument for argument in arguments if argument != "--everywhere")
    Path(folder).mkdir(parents=True, exist_ok=True)
    photographer = Photographer(Path(folder)) if "--everywhere" in arguments else None
    with tempfile.TemporaryDirectory() as temporary, touring(Path(temporary), shot=photographer) as tour:
        for name in names or (PICTURES if photographer is None else SCREENS):
            if photographer is None:
                (Path(folder) / name).write_bytes(_png(PICTURES[name](tour)))
            else:
                photographer.name = name
                SCREENS[name](tour)


if __name__ == "__main__":
    main(sys.argv[1:])
