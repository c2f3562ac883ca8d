"""BLINK's tasks from a person's marks on the demo's photographs: the keys are the drawn marks.

Three campaigns `mark` follow each other in one run: points on single photographs, boxes on single photographs, and
correspondences on pairs. All is drawn by mouse, on whole pixels of the screen.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.marking_site import Hand, picture_is_there, pictures, pictures_of
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, sign_in, slot_on_screen
from truth_runs import right_text, rings

from benchwright.cli import prepare_photographs
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Item
from benchwright.release import Release
from benchwright.workspace.run_results import FinishedRun

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.thorough

Point = tuple[float, float]
Box = tuple[float, float, float, float]

RECIPE = """
name: drawn-tasks
seed: 7
steps:
  - step: mark
    as: points
    fields:
      - {name: closer, label: Closer, shape: point, min_count: 0}
      - {name: farther, label: Farther, shape: point, min_count: 0}
      - {name: darker, label: Darker, shape: point, min_count: 0}
      - {name: lighter, label: Lighter, shape: point, min_count: 0}
      - {name: same, label: Same, shape: point, min_count: 0, max_count: 2}
  - step: mark
    as: boxes
    fields:
      - {name: things, label: Things, shape: box, free_label: true, max_count: 100}
  - step: mark
    as: parts
    over: pairs
    pairs: pairs.csv
    fields:
      - {name: person, label: Person, shape: correspondence, min_count: 0, max_count: 20}
      - {name: motorcycle, label: Motorcycle, shape: correspondence, min_count: 0, max_count: 20}
  - {step: facts, stated_by: [boxes]}
  - {step: relative_depth, marked_by: points, mode: paper}
  - {step: relative_reflectance, marked_by: points, mode: paper}
  - {step: counting, marked_by: boxes, mode: paper, max_count: 30}
  - {step: object_localization, mode: paper}
  - {step: semantic_correspondence, marked_by: parts, mode: paper, min_distance: 0.06}
  - {step: freeze, name: drawn-tasks, description: Items of marks.}
"""
POINTS: dict[str, dict[str, tuple[Point, ...]]] = {
    "astronaut.png": {"closer": ((430, 440),), "farther": ((430, 120),)},
    "camera.png": {"closer": ((303, 300),), "farther": ((423, 165),), "darker": ((90, 220),), "lighter": ((422, 110),)},
    "china.jpg": {"closer": ((210, 265),), "farther": ((475, 233),)},
    "coffee.png": {"darker": ((425, 200),), "lighter": ((310, 60),)},
    "motorcycle_left.png": {"closer": ((560, 340),), "farther": ((640, 230),), "same": ((562, 55), (645, 235))},
}
"""Points by photograph and field."""
COINS: tuple[Box, ...] = (
    (22, 34, 67, 75), (80, 38, 120, 75), (132, 29, 179, 73), (192, 29, 239, 73), (255, 33, 297, 73), (305, 15, 364, 72),
    (24, 103, 67, 146), (83, 107, 122, 145), (134, 109, 173, 145), (186, 103, 226, 144), (245, 95, 296, 145),
    (317, 105, 356, 145), (25, 176, 62, 217), (80, 175, 124, 217), (135, 179, 174, 217), (189, 169, 236, 217),
    (252, 171, 297, 215), (315, 156, 380, 218), (18, 232, 75, 288), (92, 244, 135, 287), (144, 236, 200, 288),
    (219, 240, 269, 288), (275, 238, 326, 288), (335, 247, 381, 289),
)  # fmt: skip
BOXES: dict[str, tuple[str, tuple[Box, ...]]] = {
    "coins.png": ("coin", COINS),
    "rocket.jpg": ("lattice mast", ((2, 2, 86, 425), (165, 123, 206, 425), (438, 123, 475, 425), (558, 2, 638, 425))),
    "coffee.png": ("cup", ((173, 17, 408, 308),)),
    "china.jpg": ("pagoda", ((62, 29, 374, 412),)),
    "flower.jpg": ("flower", ((169, 84, 447, 360), (287, 375, 470, 425))),
}
"""Label and boxes around all things that have it, by photograph."""
PARTS: dict[str, tuple[str, str, tuple[tuple[Point, Point], ...]]] = {
    "astronaut.png": (
        "camera.png", "person",
        (((228, 26), (205, 70)), ((203, 101), (235, 148)), ((179, 126), (187, 142)), ((224, 144), (244, 181))),
    ),
    "motorcycle_left.png": (
        "motorcycle_right.png", "motorcycle",
        (
            ((540, 155), (480, 155)), ((107, 210), (66, 210)), ((425, 203), (368, 201)), ((370, 340), (326, 340)),
            ((573, 375), (511, 371)),
        ),
    ),
}  # fmt: skip
"""Second photograph, thing, and points of both that are the same part, by first photograph."""
SHOWN = sorted({*POINTS, *BOXES, *PARTS, *(second for second, _, _ in PARTS.values())})


def run(folder: Path) -> FinishedRun:
    recipe = parse_recipe(RECIPE, "drawn-tasks.yaml", folder=folder)
    return run_recipe(recipe, images=folder / "photographs", workspace=folder / "workspace", workers=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the photographs to mark, and the table of pairs."""
    folder = tmp_path_factory.mktemp("drawn-tasks")
    prepare_photographs(folder / "photographs")
    for path in (folder / "photographs").iterdir():
        if path.name not in SHOWN:
            path.unlink()
    with (folder / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("first", "second"), *((first, PARTS[first][0]) for first in PARTS)])
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[ReviewSite]:
    waiting = run(folder)
    assert waiting.state == "waiting"
    add_accounts(waiting.workspace)
    with serve(waiting.workspace) as running:
        yield running


class Screen:
    """A person at the app, who knows the photographs by their names; keeps how far from a place a hand may press."""

    def __init__(self, page: Page, site: ReviewSite, known: dict[str, tuple[str, tuple[int, int]]]) -> None:
        self.page, self.site, self.known = page, site, known
        self.within = 0.0

    def hands(self, slot: int) -> tuple[list[str], list[Hand]]:
        """Return the names of the pictures of a task, and a hand on each."""
        shown = [self.known[image_id] for image_id in pictures_of(self.site, slot)]
        hands = [Hand(self.page, size, pane=pane) for pane, (_, size) in enumerate(shown)]
        self.within = max([self.within, *(hand.within for hand in hands)])
        return [name for name, _ in shown], hands

    def mark(self, campaign: str, draw: Callable[[list[str], list[Hand]], bool]) -> int:
        """Draw on all tasks of a campaign; those on which nothing is drawn have nothing to mark. Return how many have."""
        self.page.goto(f"{self.site.url}/?campaign={campaign}")
        slot: int | None = slot_on_screen(self.page)
        drawn = 0
        while slot is not None:
            picture_is_there(self.page)
            if draw(*self.hands(slot)):
                drawn += 1
            else:
                self.page.keyboard.press("2")
            self.page.keyboard.press("Enter")
            slot = next_slot(self.page, slot)
        return drawn

    def take(self, field: str) -> None:
        """Choose the field to draw in."""
        self.page.get_by_role("button", name=f"Draw: {field.capitalize()}").click()

    def points(self, names: list[str], hands: list[Hand]) -> bool:
        for field, places in POINTS.get(names[0], {}).items():
            self.take(field)
            for place in places:
                hands[0].point(*place)
        return names[0] in POINTS

    def boxes(self, names: list[str], hands: list[Hand]) -> bool:
        label, boxes = BOXES.get(names[0], ("", ()))
        for number, box in enumerate(boxes):
            hands[0].box(*box)
            if number == 0:
                hands[0].label(label)
        return bool(boxes)

    def parts(self, names: list[str], hands: list[Hand]) -> bool:
        _, thing, pairs = PARTS[names[0]]
        self.take(thing)
        for pair in pairs:
            for hand, place in zip(hands, pair, strict=True):
                hand.point(*place)
        return True


def near(place: Any, meant: tuple[float, ...], within: float) -> bool:
    """Return whether two places lie within so many pixels of each other, across and down."""
    return all(abs(value - at) <= within for value, at in zip(place, meant, strict=True))


def test_keys_of_the_tasks_are_what_was_drawn(folder: Path, site: ReviewSite, page: Page) -> None:
    known = pictures(run(folder))
    sign_in(page, site, "ann", path="/?campaign=points")
    screen = Screen(page, site, known)
    assert screen.mark("points", screen.points) == len(POINTS)
    assert run(folder).state == "waiting"
    assert screen.mark("boxes", screen.boxes) == len(BOXES)
    assert run(folder).state == "waiting"
    assert screen.mark("parts", screen.parts) == len(PARTS)
    done = run(folder)
    assert done.state == "done"
    within = screen.within + 0.01
    assert within < 1.5

    made: dict[str, dict[str, Item]] = {}
    for released in Release.open(done.workspace / done.artifacts["release"]).items():
        item = released.item
        made.setdefault(item.task, {})[known[item.images[0].image_id][0]] = item

    depth = made["relative_depth"]
    assert depth.keys() == {name for name, fields in POINTS.items() if "closer" in fields}
    for name, item in depth.items():
        right, wrong = item.answer, "AB".replace(item.answer, "")
        assert right_text(item) == f"{right} is closer"
        assert near(rings(item)[right], POINTS[name]["closer"][0], within)
        assert near(rings(item)[wrong], POINTS[name]["farther"][0], within)

    reflectance = made["relative_reflectance"]
    assert reflectance.keys() == {name for name, fields in POINTS.items() if {"darker", "same"} & fields.keys()}
    for name, item in reflectance.items():
        if "same" in POINTS[name]:
            assert right_text(item) == "Both are about the same"
            for place, meant in zip(sorted(rings(item).values()), sorted(POINTS[name]["same"]), strict=True):
                assert near(place, meant, within)
        else:
            assert right_text(item) == f"The surface at {item.answer} is darker"
            assert near(rings(item)[item.answer], POINTS[name]["darker"][0], within)

    counting = made["counting"]
    assert {name: (item.question, right_text(item)) for name, item in counting.items()} == {
        "coins.png": ("How many coins are there in the picture?", "24"),
        "rocket.jpg": ("How many lattice masts are there in the picture?", "4"),
        "coffee.png": ("How many cups are there in the picture?", "1"),
        "china.jpg": ("How many pagodas are there in the picture?", "1"),
        "flower.jpg": ("How many flowers are there in the picture?", "2"),
    }

    localization = made["object_localization"]
    # Of several things with one label nobody can tell which one is meant.
    assert localization.keys() == {name for name, (_, boxes) in BOXES.items() if len(boxes) == 1}
    for name, item in localization.items():
        label, [box] = BOXES[name]
        assert f"fits the {label} more closely" in item.question
        [shown] = [prompt for prompt in item.images[0].prompts if prompt.label == item.answer]
        assert near([side for point in shown.points for side in point], box, within)

    parts = made["semantic_correspondence"]
    assert parts.keys() == PARTS.keys()
    for name, item in parts.items():
        second, thing, pairs = PARTS[name]
        assert known[item.images[1].image_id][0] == second
        assert f"show a {thing}" in item.question
        [reference] = rings(item).values()
        options = rings(item, 1)
        assert len(options) == 4
        for key, place in options.items():
            [drawn] = [pair for pair in pairs if near(place, pair[1], within)]
            assert near(reference, drawn[0], within) == (key == item.answer)
