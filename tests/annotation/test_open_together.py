"""Campaigns of a recipe that open at the same time: each asks at once, and items that one drops leave the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from walks import make_photographs

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.build_progress import build_progress, read_last_run
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
KEEP = Submission("keep", fields={"verdict": "keep"})
RECIPE = """\
name: together
seed: 5
shards: 2
steps:
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
  - step: verify
    rule: single
  - step: screen_items
    opens_with: verify
  - step: answer
    annotators_per_item: 1
    opens_with: screen_items
  - splits
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_photographs(tmp_path / "photographs", count=4)
    return tmp_path


@pytest.fixture
def store(place: Path) -> Iterator[ReviewStore]:
    run(place)
    with open_store(f"sqlite:///{place / 'workspace' / 'review.sqlite'}") as opened:
        for name in ("ann", "ben", "cas"):
            opened.upsert_annotator(name)
        yield opened


def run(place: Path, recipe: str = RECIPE) -> FinishedRun:
    read = parse_recipe(recipe, "together.yaml", place)
    return run_recipe(read, images=place / "photographs", workspace=place / "workspace", workers=1)


def asked(store: ReviewStore, campaign: str) -> set[str]:
    return {task.item_id for task in store.tasks(campaign)}


def decide_all(store: ReviewStore, campaign: str, name: str, said: dict[str, Submission], other: Submission) -> None:
    for task in store.tasks(campaign):
        store.decide(campaign, task.id, name, said.get(task.item_id, other), now=NOW)


def test_all_three_ask_at_once_and_the_run_ends_when_all_are_decided(place: Path, store: ReviewStore) -> None:
    items = asked(store, "verify")
    assert len(items) > 2
    assert items == asked(store, "screen_items") == asked(store, "answer")
    waits = run(place).waits
    assert [re.findall(r"campaign '(\w+)'", line)[0] for line in waits] == ["verify", "screen_items", "answer"]
    build = build_progress(place / "workspace", store, None, read_last_run(place / "workspace"))
    assert (build.waits_for, build.beside) == ("verify", ("screen_items", "answer"))
    assert [step.state for step in build.steps[-4:]] == ["waits", "waits", "waits", "to_come"]
    gone = min(items)
    decide_all(store, "answer", "cas", {}, Submission("A"))  # the last of them first
    assert "campaign 'answer' is decided and waits for 'verify'" in run(place).waits
    decide_all(store, "verify", "ann", {gone: Submission("reject", reasons=("unclear",))}, Submission("accept"))
    run(place)
    assert asked(store, "screen_items") == items - {gone}
    assert len(store.decisions("answer")) == len(items) - 1  # the vote on what is gone is kept, and counts no more
    decide_all(store, "screen_items", "ben", {}, KEEP)
    done = run(place)
    assert (done.state, done.waits) == ("done", [])
    [screened] = [step for step in done.steps if step.name == "screen_items"]
    assert (screened.records, screened.kept) == (len(items) - 1, len(items) - 1)


def test_it_is_the_same_release_whichever_way_they_open(place: Path, store: ReviewStore) -> None:
    said = (("verify", "ann", Submission("accept")), ("screen_items", "ben", KEEP), ("answer", "cas", Submission("A")))
    for campaign, name, submission in said:
        decide_all(store, campaign, name, {}, submission)
    together = run(place)
    alone = run(place, re.sub(r"\n    opens_with: \w+", "", RECIPE))
    assert (together.state, alone.state, alone.executed) == ("done", "done", 0)


@pytest.mark.parametrize(
    ("after", "with_", "words"),
    [
        ("verify", "verfy", "did you mean 'verify'"),
        ("jigsaw", "jigsaw", "is not an earlier campaign"),
        ("repeated_options", "verify", "'repeated_options' between them waits"),
    ],
)
def test_what_cannot_open_beside_is_refused_before_anything_runs(
    place: Path, after: str, with_: str, words: str
) -> None:
    steps = {"verify": "  - verify\n", "jigsaw": "", "repeated_options": "  - verify\n  - repeated_options\n"}[after]
    recipe = f"name: x\nsteps:\n  - jigsaw\n{steps}  - step: answer\n    opens_with: {with_}\n"
    with pytest.raises(RecipeError, match=words):
        run(place, recipe)


PARTS = """\
name: parts
seed: 5
shards: 2
steps:
  - step: jigsaw
    min_tile_px: 16
  - step: verify
    as: verify_first
    rule: single
    only: {share: [0, 0.5]}
  - step: verify
    as: verify_second
    rule: single
    only: {}
    opens_with: verify_first
  - step: verify
    as: verify_again
    rule: single
    only: {again: true}
    opens_with: verify_second
  - splits
"""


def test_campaigns_of_one_recipe_ask_about_parts_at_once_and_about_no_item_twice_unless_asked(place: Path) -> None:
    run(place, PARTS)
    with open_store(f"sqlite:///{place / 'workspace' / 'review.sqlite'}") as store:
        first, second, again = (asked(store, f"verify_{name}") for name in ("first", "second", "again"))
        assert min(len(first), len(second)) > 0
        assert not first & second
        assert again == first | second
        roots = {task.item_id: task.payload["root_image_id"] for task in store.tasks("verify_again")}
        assert {roots[item] for item in first}.isdisjoint({roots[item] for item in second})  # by picture
        store.upsert_annotator("ann")
        gone = min(second)
        reject, accept = Submission("reject", reasons=("unclear",)), Submission("accept")
        decide_all(store, "verify_first", "ann", {}, accept)
        decide_all(store, "verify_second", "ann", {gone: reject}, accept)
        store.upsert_annotator("ben")
        decide_all(store, "verify_again", "ben", {}, accept)
        done = run(place, PARTS)
        assert done.state == "done"
        kept = {step.name: (step.records, step.kept) for step in done.steps if step.name.startswith("verify")}
    every = len(first | second)
    assert kept == {
        "verify_first": (every, every), "verify_second": (every, every - 1), "verify_again": (every - 1, every - 1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("only", "words"),
    [("{share: [0.5, 0.5]}", "is empty"), ("{share: [0, 2]}", "share"), ("{task: [jigsaw]}", "task")],
)
def test_a_part_that_cannot_be_is_refused_before_anything_runs(place: Path, only: str, words: str) -> None:
    with pytest.raises(RecipeError, match=words):
        run(place, f"name: x\nsteps:\n  - jigsaw\n  - step: verify\n    only: {only}\n")
    with pytest.raises(RecipeError, match="which have no tasks"):
        run(place, "name: x\nsteps:\n  - step: screen\n    only: {tasks: [jigsaw]}\n")
