"""Revision rounds over parts of the demo's photographs: flagged and returned questions go back to their writers.

Writers plant a cue: the longest option is right, or only keys contain a word. The checks find and name it, and every
question returns to its writer, with the reason next to the old text. They revise, one question returns once more with
a reviewer's note, and the result is frozen, verifies and carries no cue.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from photograph_parts import photograph_parts
from walks import run_json

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.release import Release
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

PARTS, MENDED = 36, 6
NOTE = "Nobody can tell which corner is meant. Name it."
RECIPE = """
name: corners
seed: 5
shards: 2
steps:
  - step: write
    task: corners
    options: 4
  - written_questions
  - {check}
  - step: verify
    rule: single
    send_back:
      flagged_by: [{check}]
      rounds: {rounds}
      hold_hours: 48
  - step: freeze
    name: corners
    version: "1.0"
    licence: cc0-1.0
"""
COLORS = (
    "amber", "beige", "black", "brown", "coral", "cream", "green", "ivory", "khaki", "lilac", "mauve", "ochre",
    "olive", "peach", "white", "wheat",
)  # fmt: skip


def question(number: int, *, cue: str) -> dict[str, Any]:
    """Return a question on the picture of this number whose right option is the longest, or holds a separate word."""
    right, *wrong = (COLORS[(number * 5 + place * 3) % len(COLORS)] for place in range(4))
    if cue == "longest":
        right = f"{right}, with a trace of shade along its edge"
    else:
        right, wrong = f"wholly {right}", [f"partly {color}" for color in wrong]
    return {"ask": f"Which color has the corner of part {number}?", "right": right, "wrong": wrong}


class Bench(NamedTuple):
    """A workspace with its recipe, photographs and clock."""

    folder: Path
    rounds: int = 3
    check: str = "wording_bias"

    def run(self) -> Any:
        recipe = parse_recipe(RECIPE.format(rounds=self.rounds, check=self.check), "recipe.yaml", folder=self.folder)
        return run_recipe(recipe, workspace=self.workspace, images=self.folder / "photographs", workers=1)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def store(self) -> ReviewStore:
        return open_store(Workspace.open(self.workspace).store_url)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    folder = tmp_path / "photographs"
    folder.mkdir()
    for number, part in enumerate(
        photograph_parts(tmp_path / "whole", ("china.jpg", "coffee.png", "astronaut.png", "coins.png"))
    ):
        part.save(folder / f"part-{number:02}.png")
    return Bench(tmp_path)


def now() -> datetime:
    return datetime.now(UTC)


def tasks_of(store: ReviewStore, campaign: str, name: str) -> Iterator[Any]:
    """Yield each task of an annotator's queue, which they decide before the next one."""
    queue = TaskQueue(store, store.campaign(campaign), name)
    while (task := queue.next(now=now())) is not None:
        yield queue, task


def write_all(store: ReviewStore, names: tuple[str, ...], *, cue: str = "longest") -> dict[str, str]:
    """Let these people write about the pictures, in turns; return who wrote about which."""
    wrote: dict[str, str] = {}
    for name in names:
        store.upsert_annotator(name)
    queues = [iter(tasks_of(store, "write", name)) for name in names]
    for number in range(PARTS):
        queue, task = next(queues[number % len(names)])
        fields = {"writing": "written", "questions": [question(number, cue=cue)]}
        queue.submit(task.slot_id, Submission(fields=fields), now=now())
        wrote[task.item.images[0].image_id] = queue.annotator
    return wrote


def revise_all(store: ReviewStore, name: str) -> list[Mapping[str, Any]]:
    """Let an annotator remove the cue from all returned tasks; return the tasks as they saw them."""
    seen = []
    for queue, task in tasks_of(store, "write", name):
        old = task.draft["fields"]["questions"][0]
        mended = {**old, "right": _color(old["right"]), "wrong": [_color(text) for text in old["wrong"]]}
        seen.append({"beside": task.beside, "old": old, "image": task.item.images[0].image_id})
        queue.submit(task.slot_id, Submission(fields={"writing": "written", "questions": [mended]}), now=now())
    return seen


def _color(text: str) -> str:
    """Return the color alone that an option names, with whatever cue."""
    return text.partition(",")[0].split()[-1]


def outcomes(bench: Bench, stage: str) -> dict[str, dict[str, Any]]:
    rows = run_json("outcomes", bench.workspace, "--step", stage)["outcomes"]
    return {row["record"]: row for row in rows}


def test_a_planted_cue_is_named_goes_back_to_its_writers_is_revised_and_accepted(bench: Bench) -> None:
    assert "campaign 'write' waits" in bench.run().waits[0]
    with bench.store() as store:
        wrote = write_all(store, ("ann", "ben"))

    waits = bench.run().waits[0]
    assert "36 items went back to the writers in 'write'" in waits
    with bench.store() as store:
        assert not store.tasks("verify")
        assert len(store.tasks("write")) == PARTS
        store.upsert_annotator("cyd")
        assert TaskQueue(store, store.campaign("write"), "cyd").next(now=now()) is None  # they are held for who wrote
        for name in ("ann", "ben"):
            seen = revise_all(store, name)
            assert {wrote[task["image"]] for task in seen} == {name}
            assert len(seen) == PARTS // 2
            for task in seen:
                [beside] = task["beside"]
                assert task["old"]["ask"] in beside["text"]
                assert "longest" in beside["text"]
                assert "100%" in beside["text"]

    assert "campaign 'verify' waits" in bench.run().waits[0]
    with bench.store() as store:
        sent_back = ""
        for queue, task in tasks_of(store, "verify", "cyd"):
            if not sent_back:
                sent_back = task.item.item_id
                with pytest.raises(RefusedError, match="needs a note"):
                    queue.submit(task.slot_id, Submission("to_writer"), now=now())
                queue.submit(task.slot_id, Submission("to_writer", note=NOTE), now=now())
            else:
                queue.submit(task.slot_id, Submission("accept"), now=now())

    assert "1 item went back to the writers in 'write'" in bench.run().waits[0]
    status = {one["name"]: one for one in run_json("review", "status", "--workspace", bench.workspace)["campaigns"]}
    assert status["verify"]["outcomes"]["to_writer"] == 1
    assert status["verify"]["with_writers"] == 1
    with bench.store() as store:
        [open_task] = store.tasks("write")
        [name] = {wrote[open_task.payload["item"]["images"][0]["image_id"]]}
        queue = TaskQueue(store, store.campaign("write"), name)
        task = queue.next(now=now())
        assert task is not None
        assert NOTE in task.beside[0]["text"]
        old = task.draft["fields"]["questions"][0]
        assert "," not in old["right"]
        named = {**old, "ask": old["ask"].replace("the corner", "the upper left corner")}
        queue.submit(task.slot_id, Submission(fields={"writing": "written", "questions": [named]}), now=now())
        versions = [
            entry.annotation.fields["questions"][0]["right"]
            for entry in queue.history()
            if entry.item.images == task.item.images
        ]
        assert len(versions) == 3  # nothing that they wrote is lost

    assert "1 of 36 tasks" in bench.run().waits[0]
    with bench.store() as store:
        [(queue, task)] = [(queue, task) for queue, task in tasks_of_one(store)]
        queue.submit(task.slot_id, Submission("accept"), now=now())
    done = bench.run()
    assert done.state == "done"
    path = bench.workspace / done.artifacts["release"]
    assert run_json("release", "verify", path)["ok"]
    items = {one.item.item_id: one.item for one in Release.open(path).items()}
    assert len(items) == PARTS
    assert "upper left" in items[sent_back].question
    assert all("," not in item.choices["ABCD".index(item.answer or "")].text for item in items.values())
    verdicts = outcomes(bench, "verify")
    assert "sent_back={'verify': 1, 'wording_bias': 1}" in verdicts[sent_back]["detail"]
    summary = json.loads((path / "agreement.json").read_text(encoding="utf-8"))["campaigns"]["verify"]
    assert summary["sent_back"] == {"items": PARTS, "versions": {"verify": 1, "wording_bias": PARTS}}
    assert run_json("check", bench.workspace)["ok"]


@pytest.mark.parametrize(
    ("cue", "named"),
    [("longest", "the option with the most characters"), ("word", "words more frequent in right options")],
)
def test_what_the_battery_finds_is_named_goes_back_to_its_writers_is_revised_and_accepted(
    cue: str, named: str, bench: Bench
) -> None:
    bench = bench._replace(check="shortcuts")
    bench.run()
    with bench.store() as store:
        write_all(store, ("ann", "ben"), cue=cue)

    assert "36 items went back to the writers in 'write'" in bench.run().waits[0]
    with bench.store() as store:
        assert not store.tasks("verify")
        seen = [*revise_all(store, "ann"), *revise_all(store, "ben")]
        assert len(seen) == PARTS
        for task in seen:
            [beside] = task["beside"]
            words = beside["text"].partition("shortcuts: ")[2]
            assert named in words
            assert "chance 25%" in words

    assert "36 of 36 tasks" in bench.run().waits[0]
    with bench.store() as store:
        store.upsert_annotator("cyd")
        for queue, task in tasks_of(store, "verify", "cyd"):
            queue.submit(task.slot_id, Submission("accept"), now=now())
    done = bench.run()
    assert done.state == "done"
    path = bench.workspace / done.artifacts["release"]
    assert run_json("release", "verify", path)["ok"]
    kept = [one.item for one in Release.open(path).items()]
    assert len(kept) == PARTS
    assert {choice.text for item in kept for choice in item.choices} <= set(COLORS)
    assert all("sent_back={'shortcuts': 1}" in row["detail"] for row in outcomes(bench, "verify").values())
    assert run_json("check", bench.workspace)["ok"]


def tasks_of_one(store: ReviewStore) -> list[tuple[TaskQueue, Any]]:
    queue = TaskQueue(store, store.campaign("verify"), "cyd")
    task = queue.next(now=now())
    assert task is not None
    return [(queue, task)]


def test_what_its_writers_never_mend_is_dropped_after_the_rounds_and_another_takes_over_who_is_gone(
    bench: Bench,
) -> None:
    bench = bench._replace(rounds=1)
    bench.run()
    with bench.store() as store:
        wrote = write_all(store, ("ann", "ben"))
    assert "36 items went back" in bench.run().waits[0]
    later = now() + timedelta(hours=49)
    with bench.store() as store:
        store.upsert_annotator("dan")
        queue = TaskQueue(store, store.campaign("write"), "dan")
        took = []
        while (task := queue.next(now=later)) is not None:  # ann and ben did not come back within two days
            old = task.draft["fields"]["questions"][0]
            changed = {**old, "ask": old["ask"].replace("Which", "What")}
            if len(took) < MENDED:
                changed["right"] = old["right"].partition(",")[0]
            queue.submit(task.slot_id, Submission(fields={"writing": "written", "questions": [changed]}), now=later)
            took.append(task.item.images[0].image_id)
    assert sorted(took) == sorted(wrote)
    assert f"{MENDED} of {MENDED} tasks" in bench.run().waits[0]
    with bench.store() as store:
        store.upsert_annotator("cyd")
        for queue, task in tasks_of(store, "verify", "cyd"):
            queue.submit(task.slot_id, Submission("accept"), now=now())
    assert bench.run().state == "done"
    rows = outcomes(bench, "verify").values()
    assert [row["reason"] for row in rows].count("out_of_rounds") == PARTS - MENDED
    assert all("sent_back={'wording_bias': 1}" in row["detail"] for row in rows)
