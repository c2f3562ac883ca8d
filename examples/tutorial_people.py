"""Do in Chromium what the tables of a tutorial ask people to do.

The third column consists of clauses (separated by `;`):

- a code span is a key, such as `Y` or `Ctrl + Enter`;
- *italics* are a button or a link to click or, if followed by text in quotes, a field to fill in;
- text in “quotes” that does not follow italics is typed at the cursor;
- *italics* followed by a file in a code span are a button that asks for that file;
- **bold** is the text that appears next on the screen; the clause waits for it;
- `the right letter` outside code is the letter of the question's key; readers look at the picture;
- `a box around the cup` is drawn by mouse at the position stated in the demo's facts; readers look at the picture;
- `until **All done**` at the end of a clause repeats it, task by task.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutorial_pages import Row

from benchwright.facts import read_facts
from benchwright.recipes import bundled_recipes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

ADDRESS = "127.0.0.1:8501"
"""Address of the app on the pages, whichever port it has."""
SIZE = {"width": 1120, "height": 800}
DEMO_FACTS = bundled_recipes()["demo"].with_name("demo.facts.yaml")
_ACT = re.compile(
    r"`(?P<key>[^`]+)`|\*\*(?P<seen>[^*]+)\*\*|\*(?P<name>[^*]+)\*(?: “(?P<into>[^”]*)”)?|“(?P<typed>[^”]*)”"
    r"|(?P<letter>the right letter)|a box around (?P<boxed>the [a-z ]*[a-z])"
)
_LINK = re.compile(
    rf"(?:invitation for (?P<name>\w+)[^\n]*\s+|^(?P<listed>\w+)\t|: )(?P<link>http://{re.escape(ADDRESS)}/welcome\?invitation=[\w-]+)",
    re.I | re.M,
)
CURATOR = "you"
"""Name of the first curator, for the link that the app prints."""
_CARD = ".card[aria-busy=false]"
_NEXT_CARD = """before => {
  if (document.body.innerText.includes("All done")) return true;
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const card = roots.map((root) => root.querySelector(".card")).find(Boolean);
  return card && card.dataset.slot !== before && card.getAttribute("aria-busy") === "false";
}"""


@contextmanager
def chromium(port: int) -> Iterator[Browser]:
    """Run a Chromium that maps the address of the pages to a port of this machine."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("Debian's chromium is not installed: make browser")
    arguments = ["--no-sandbox", "--disable-gpu", f"--host-resolver-rules=MAP {ADDRESS} 127.0.0.1:{port}"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


class People:
    """All people in a tutorial, each with a separate browser window and cookies.

    Args:
        browser: Browser in which they work.
        folder: Folder in which the tutorial's commands run.
    """

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser, self._folder = browser, folder
        self._windows: dict[str, Page] = {}
        self._links: dict[str, str] = {}
        self.screen: Page | None = None
        """Window in use most recently."""

    def __enter__(self) -> People:
        return self

    def __exit__(self, *_: object) -> None:
        for window in self._windows.values():
            window.context.close()

    def read(self, text: str) -> None:
        """Collect the invitation links in a text, the newest for each person."""
        for match in _LINK.finditer(text):
            self._links[match["name"] or match["listed"] or CURATOR] = match["link"]

    def act(self, row: Row) -> None:
        """Do the acts of a row, each of its people in turn."""
        for name in row.people:
            self.screen = window = self._window(name)
            self._go(window, name, row.where)
            for clause in row.acts.split(";"):
                self._clause(window, clause)

    def _window(self, name: str) -> Page:
        if name not in self._windows:
            context: BrowserContext = self._browser.new_context(viewport=SIZE, device_scale_factor=1)
            context.set_default_timeout(60_000)
            self._windows[name] = context.new_page()
            self._windows[name].on("filechooser", lambda _chooser: None)
        return self._windows[name]

    def _go(self, window: Page, name: str, where: str) -> None:
        place = where.strip("`*")
        if "link" in where:
            window.goto(self._links[name])
        elif place.endswith(".html"):
            *_, newest = sorted(self._folder.glob(place))
            window.goto(newest.as_uri())
        elif place.startswith("http"):
            window.goto(place)
        elif place:
            window.get_by_role("link", name=place, exact=True).first.click()

    def _clause(self, window: Page, clause: str) -> None:
        repeated = re.fullmatch(r"(.*), until \*\*(All done[^*]*)\*\*\.?\s*", clause, re.S)
        if repeated is None:
            self._do(window, clause)
            return
        while self._card(window) is not None:
            self._finish(window, repeated[1])
        _visible(window, repeated[2]).wait_for()

    def _finish(self, window: Page, acts: str) -> None:
        """Do what brings the next task; again if the card did not listen yet, as people do."""
        from playwright.sync_api import TimeoutError as TooLateError

        slot = self._card(window)
        for _ in range(5):
            self._do(window, acts)
            try:
                window.wait_for_function(_NEXT_CARD, arg=slot, timeout=12_000)
            except TooLateError:
                continue
            return
        raise AssertionError(f"{acts} does not lead on from task {slot}")

    def _card(self, window: Page) -> str | None:
        """Return the slot of the task on the screen once it listens to keys; None when all are done."""
        window.wait_for_function(_NEXT_CARD, arg="")
        if _visible(window, "All done").is_visible():
            return None
        window.wait_for_timeout(150)
        return window.locator(_CARD).get_attribute("data-slot")

    def _do(self, window: Page, clause: str) -> None:
        named_person = ""
        for act in _ACT.finditer(clause):
            if act["seen"]:
                _visible(window, act["seen"]).wait_for()
                window.wait_for_timeout(150)  # until the page listens to keys
            elif act["key"]:
                window.keyboard.press(act["key"].replace(" + ", "+").replace("Ctrl", "Control"))
            elif act["typed"] is not None:
                window.keyboard.type(act["typed"])
            elif act["into"] is not None:
                window.get_by_label(act["name"], exact=True).fill(act["into"])
                named_person = act["into"]
            elif act["boxed"]:
                self._draw_box(window, act["boxed"])
            elif act["letter"]:
                window.keyboard.press(self._right_letter(self._card(window) or "").lower())
            else:
                named = [window.get_by_role(role, name=act["name"], exact=True) for role in ("button", "link", "tab")]
                with_key = re.compile(rf"^\s*{re.escape(act['name'])}\s*Enter\s*$")  # a button may show its key
                keyed = window.get_by_role("button").filter(has_text=with_key)
                named[0].or_(named[1]).or_(named[2]).or_(keyed).first.click()
                if act["name"] == "Add and invite":
                    self._await_link(window, named_person)
        self.read(window.inner_text("body"))

    def _await_link(self, window: Page, name: str) -> None:
        """Wait for a person's link among the invitations, which the page shows a moment later."""
        while name not in self._links:
            window.wait_for_timeout(50)
            self.read(window.inner_text("body"))

    def _draw_box(self, window: Page, phrase: str) -> None:
        """Drag over a thing on the picture of the task; later annotators draw slightly larger boxes."""
        [(width, height)] = self._task(self._card(window) or "")["sizes_wh"]
        known = [picture for picture in read_facts(DEMO_FACTS).images.values() if picture.size_wh == (width, height)]
        boxes = [subject.box for picture in known for subject in picture.subjects if subject.phrase == phrase]
        assert len(boxes) == 1, f"no picture of {width} x {height} pixels shows {phrase}, or several do"
        layer = window.locator(".layer").first
        layer.locator(".picture").first.evaluate("picture => picture.decode()")
        seen = layer.bounding_box()
        assert seen is not None, "the picture is not on the screen"
        more = 3 * list(self._windows.values()).index(window)
        left, top, right, bottom = boxes[0]
        across, down = seen["width"] / width, seen["height"] / height
        window.mouse.move(seen["x"] + left * across - more, seen["y"] + top * down - more)
        window.mouse.down()
        window.mouse.move(seen["x"] + right * across + more, seen["y"] + bottom * down + more, steps=8)
        window.mouse.up()

    def _right_letter(self, slot: str) -> str:
        item = self._task(slot)
        return str(item["answer"] or item["refusal"])

    def _task(self, slot: str) -> Any:
        """Return the task in a slot."""
        [store] = self._folder.glob("**/review.sqlite")
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            question = "SELECT payload FROM tasks JOIN slots ON task_id = tasks.id WHERE slots.id = ?"
            [payload] = connection.execute(question, (slot,)).fetchone()
        return json.loads(payload)


def _visible(window: Page, words: str) -> Locator:
    return window.get_by_text(words).locator("visible=true").first
