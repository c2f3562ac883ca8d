"""The demo's facts file, made in the app: an annotator marks its photographs by mouse and states the rest by keys.

All input is by mouse and keyboard, on whole pixels of the screen. The marks and statements make the items that the
file makes: same ids, texts and keys, places within half a pixel.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser.marking_site import Hand, picture_is_there, pictures, pictures_of
from browser.review_site import ReviewSite, add_accounts, next_slot, serve, sign_in, slot_on_screen
from browser.state_site import begin, unfold
from conftest import ROOT
from stated_values import items_of_run

from benchwright.cli import prepare_photographs
from benchwright.facts import PictureFacts, Subject, read_facts
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.thorough

DEMO_FACTS = ROOT / "benchwright" / "recipes" / "demo.facts.yaml"
RECIPE = """
name: drawn
seed: 7
shards: 2
steps:
  - exact_duplicates
  - near_duplicates
{people}
  - {{step: facts, {source}}}
  - object_localization
  - beyond_the_image
  - image_implication
  - background_substitution
"""
PEOPLE = """
  - step: mark
    fields:
      - {name: subjects, label: Subjects, shape: box, free_label: true}
      - {name: inside, label: Inside, shape: point, free_label: true, min_count: 0, max_count: 200}
      - {name: outside, label: Outside, shape: point, free_label: true, min_count: 0, max_count: 200}
  - step: state
    sections: [subjects, background, answerable, unanswerable, implication]
    optional: [subjects, background]
"""
WITHIN = 0.5
"""How far a place may lie from the file's, in pixels of the picture."""
BY_DESIGN = {"images", "evidence", "written_by"}
"""What of an item follows from where exactly something lies, or says who wrote it."""


def run(folder: Path, name: str, people: str, source: str) -> FinishedRun:
    recipe = parse_recipe(RECIPE.format(people=people, source=source), f"{name}.yaml", folder=DEMO_FACTS.parent)
    return run_recipe(recipe, images=folder / "photographs", workspace=folder / name, workers=1)


def run_by_people(folder: Path) -> FinishedRun:
    return run(folder, "people", PEOPLE, "stated_by: [mark, state]")


@pytest.fixture(scope="module")
def by_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, FinishedRun]:
    """A folder with the demo's photographs, and the items from its facts file."""
    folder = tmp_path_factory.mktemp("drawn")
    prepare_photographs(folder / "photographs")
    return folder, run(folder, "file", "", f"file: {DEMO_FACTS.name}")


@pytest.fixture(scope="module")
def site(by_file: tuple[Path, FinishedRun]) -> Iterator[ReviewSite]:
    waiting = run_by_people(by_file[0])
    assert waiting.state == "waiting"
    add_accounts(waiting.workspace)
    with serve(waiting.workspace) as running:
        yield running


@pytest.fixture(scope="module")
def facts() -> Mapping[str, PictureFacts]:
    """The file's statements, by every name of a photograph."""
    stated = read_facts(DEMO_FACTS).images
    return {name: stated[key] for key in stated for name in (key, *stated[key].also)}


def mark(page: Page, picture: PictureFacts, size: tuple[int, int]) -> None:
    """Draw a facts file's regions on a picture."""
    hand = Hand(page, size)
    assert hand.within <= WITHIN, "a pixel of the screen is no more than one of the picture"
    for subject in picture.subjects:
        hand.box(*subject.box)
        hand.label(in_words(subject))
    for field in ("inside", "outside"):
        for subject in picture.subjects:
            points = () if subject.cut_out is None else getattr(subject.cut_out, field)
            if points:
                page.get_by_role("button", name=f"Draw: {field.capitalize()}").click()
            for number, place in enumerate(points):
                hand.point(*place)
                if number == 0:
                    hand.label(in_words(subject))


def in_words(subject: Subject) -> str:
    """Return a subject's name in words."""
    return subject.name.replace("_", " ")


def write(page: Page, area: Locator, text: str) -> None:
    """Click into a field, and type; lines end with Enter."""
    area.click()
    page.keyboard.type(text)


def entry(part: Locator, number: int, kind: str) -> Locator:
    """Return an entry of a section, and add it if it is missing."""
    if part.locator(".entry").count() <= number:
        part.get_by_role("button", name=f"Add: {kind}").click()
    return part.locator(".entry").nth(number)


def state(page: Page, picture: PictureFacts) -> None:
    """Type and choose a facts file's statements on a picture, except its marks."""
    begin(page)
    for number, subject in enumerate(picture.subjects):
        about = entry(unfold(page, "Subjects"), number, "subject")
        write(page, about.locator("textarea").nth(0), in_words(subject))
        write(page, about.locator("textarea").nth(1), subject.phrase)
        for name in () if subject.cut_out is None else subject.cut_out.onto:
            write(page, about.get_by_role("searchbox"), name)
            about.locator(".offer", has_text=name).first.click()
            about.locator(".taken", has_text=name).wait_for()
    if picture.background is not None:
        write(page, unfold(page, "Background").locator("textarea"), picture.background)
    for number, question in enumerate(picture.answerable):
        asked = entry(unfold(page, "that the picture answers"), number, "question")
        texts = (question.name, question.ask, question.right, "\n".join(question.wrong))
        for place, text in enumerate(texts):
            write(page, asked.locator("textarea").nth(place), text)
    for number, unanswerable in enumerate(picture.unanswerable):
        asked = entry(unfold(page, "that it does not answer"), number, "question")
        asked.locator("select").select_option(unanswerable.why)
        texts = (unanswerable.name, unanswerable.ask, "\n".join(unanswerable.wrong))
        for place, text in enumerate(texts):
            write(page, asked.locator("textarea").nth(place), text)
    if (implication := picture.implication) is not None:
        part = unfold(page, "What it conveys")
        for field in ("image_type", "domain", "emotion"):
            words = getattr(implication, field).capitalize()
            part.locator(f"[data-field={field}] button", has_text=words).first.click()
        if (conveyed := implication.question) is not None:
            asked = entry(part, 0, "question")
            texts = (conveyed.ask, conveyed.right, "\n".join(conveyed.wrong), conveyed.explanation or "")
            for place, text in enumerate(texts):
                write(page, asked.locator("textarea").nth(place), text)


def places_of(done: FinishedRun) -> dict[str, Any]:
    """Return the places that the step `facts` states on each picture, by the picture's id."""
    return {
        str(row["record_id"]): [json.loads(row[use] or "[]") for use in ("subjects", "cut_outs")]
        for row in done.outcomes("facts")
    }


def apart(value: Any, other: Any) -> float:
    """Return the largest difference between numbers of two JSON values; infinity if anything else differs."""
    if isinstance(value, dict) and isinstance(other, dict) and value.keys() == other.keys():
        return max((apart(value[key], other[key]) for key in value), default=0.0)
    if isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
        return max(map(apart, value, other), default=0.0)
    if isinstance(value, int | float) and isinstance(other, int | float):
        return abs(value - other)
    return 0.0 if value == other else inf


def test_the_demos_facts_drawn_and_typed_in_the_app_make_the_items_that_its_file_makes(
    by_file: tuple[Path, FinishedRun], site: ReviewSite, facts: Mapping[str, PictureFacts], page: Page
) -> None:
    folder, filed = by_file
    known = pictures(filed)
    sign_in(page, site, "ann", path="/?campaign=mark")
    slot: int | None = slot_on_screen(page)
    marked = 0
    while slot is not None:
        [image_id] = pictures_of(site, slot)
        name, size = known[image_id]
        picture_is_there(page)
        if name in facts and facts[name].subjects:
            mark(page, facts[name], size)
            marked += 1
        else:
            page.keyboard.press("2")  # nothing to mark
        page.keyboard.press("Enter")
        slot = next_slot(page, slot)
    assert marked == sum(bool(picture.subjects) for picture in read_facts(DEMO_FACTS).images.values())

    assert run_by_people(folder).state == "waiting"
    page.goto(f"{site.url}/?campaign=state")
    slot = slot_on_screen(page)
    stated = 0
    while slot is not None:
        [image_id] = pictures_of(site, slot)
        name, _ = known[image_id]
        if name in facts:
            state(page, facts[name])
            stated += 1
            page.get_by_role("button", name="Done").click()
        else:
            page.get_by_role("button", name="Nothing to state").click()
            page.keyboard.press("Enter")
        slot = next_slot(page, slot)
    assert stated == len(read_facts(DEMO_FACTS).images)

    drawn = run_by_people(folder)
    assert drawn.state == "done"
    assert [row["reason"] for row in drawn.outcomes("facts") if row["verdict"] != "keep"] == []
    assert apart(places_of(drawn), places_of(filed)) <= WITHIN
    of_file, of_people = items_of_run(filed), items_of_run(drawn)
    assert len(of_file) > 100
    assert [item.model_dump(exclude=BY_DESIGN) for item in of_people] == [
        item.model_dump(exclude=BY_DESIGN) for item in of_file
    ]
    places = [[item.evidence.get("stated_xyxy", []) for item in made] for made in (of_people, of_file)]
    assert apart(*places) <= WITHIN
