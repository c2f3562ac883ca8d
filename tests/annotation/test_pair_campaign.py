"""The campaign `pair`: annotators identify equal pictures, and the next run drops the copy or keeps both."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from picture_copies import COPIES, photograph
from pydantic import ValidationError
from typed_answers import say

from benchwright.annotation.campaigns.pair import ImagePair, Pair, pair_verdicts
from benchwright.annotation.simulated.annotators import SimulatedPairers
from benchwright.annotation.store.database.records import Annotation
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.settlement.rules import parse_rule
from benchwright.errors import RecipeError, StepError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe

pytestmark = pytest.mark.slow

SAME, DIFFERENT = {"verdict": "same"}, {"verdict": "different"}


def verdicts_of(
    pairs: Sequence[tuple[str, str]], said: Sequence[str], now: datetime, *, rule: str = "single"
) -> dict[str, tuple[str, str | None, str | None]]:
    """Return what becomes of the images a to e: verdict, reason, and what it was dropped for.

    `said` has a word a pair, a letter for each annotator: `s` for the same, `d` for different pictures.
    """
    asked = [ImagePair(f"{better}{other}", better, other) for better, other in pairs]
    annotations = [
        Annotation(
            item_id=pair.pair_id, content_hash=pair.pair_id, round=1, slot=slot, annotator=f"annotator {slot}",
            annotator_kind="person", version=1, decision={"s": "same", "d": "different"}[letter], reasons=(), note=None,
            edits=None, started_at=now, submitted_at=now,
        )
        for pair, letters in zip(asked, said, strict=True)
        for slot, letter in enumerate(letters, 1)
    ]  # fmt: skip
    found = pair_verdicts(parse_rule(rule), "abcde", asked, annotations, known={}, simulated=False, seed=1).outcomes
    return {image: (one.verdict, one.reason, one.evidence.get("of")) for image, one in found.items()}


KEPT = ("keep", None, None)


def dropped(of: str) -> tuple[str, str, str]:
    return "drop", "same_picture", of


@pytest.mark.parametrize(
    ("pairs", "said", "gone"),
    [
        pytest.param(["ab"], ["d"], {}, id="different ones both stay"),
        pytest.param(["ab"], ["s"], {"b": "a"}, id="of the same picture the better stays"),
        pytest.param(["ac", "bc"], ["d", "s"], {"c": "b"}, id="the same as one of two"),
        pytest.param(["ac", "bc"], ["s", "s"], {"c": "a"}, id="the same as both"),
        pytest.param(["ab", "bc"], ["s", "s"], {"b": "a"}, id="a chain keeps its ends"),
        pytest.param(["ab", "bc", "ac"], ["s", "s", "s"], {"b": "a", "c": "a"}, id="three of one picture"),
        pytest.param(["ab", "bc", "cd"], ["s", "s", "s"], {"b": "a", "d": "c"}, id="a chain of four"),
    ],
)
def test_an_image_goes_only_for_one_that_stays_and_was_seen_beside_it(
    pairs: list[str], said: list[str], gone: dict[str, str], now: datetime
) -> None:
    found = verdicts_of([(one[0], one[1]) for one in pairs], said, now)
    assert found == {image: dropped(gone[image]) if image in gone else KEPT for image in "abcde"}


def test_a_pair_on_which_people_do_not_agree_stays_and_is_asked_about(now: datetime) -> None:
    found = verdicts_of([("a", "b"), ("a", "c")], ["sd", "ss"], now, rule="unanimous(2)")
    assert (found["b"], found["c"]) == (("ask", "no_agreement", None), dropped("a"))


def test_pairs_in_a_circle_are_refused(now: datetime) -> None:
    with pytest.raises(StepError, match="form a circle"):
        verdicts_of([("a", "b"), ("b", "a")], ["s", "s"], now)


def test_a_setting_that_cannot_work_is_refused_in_words() -> None:
    with pytest.raises(ValidationError, match="an adjudicator decides in `verify`, `review` and `mark` only"):
        Pair(rule="adjudicated(unanimous(2))")
    with pytest.raises(ValidationError, match="1 annotator cannot fill 2 slots"):
        Pair(rule="unanimous(2)", simulate=SimulatedPairers(annotators=1))


RECIPE = """
name: pairs
seed: 3
shards: 2
steps:
  - step: near_duplicates
    protected: ["mine/*"]
    keep: {keep}
  - step: pair
    {settings}
"""


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    """A photograph with two copies that a curator protects: near_duplicates asks about both."""
    folder = tmp_path / "photographs"
    (folder / "mine").mkdir(parents=True)
    photograph("coffee").save(folder / "coffee.png")
    photograph("chelsea").save(folder / "chelsea.png")
    for name in ("small", "brighter"):
        COPIES[name](photograph("coffee")).save(folder / "mine" / f"{name}.png")
    return folder


def run(tmp_path: Path, photographs: Path, settings: str = "rule: single", *, keep: str = "[resolution, id]") -> Any:
    recipe = parse_recipe(RECIPE.format(settings=settings, keep=keep), "recipe.yaml", folder=tmp_path)
    return run_recipe(recipe, workspace=tmp_path / "w", images=photographs, workers=1)


def test_what_near_duplicates_is_unsure_of_is_decided_by_people_and_used_by_the_next_run(
    tmp_path: Path, photographs: Path, now: datetime
) -> None:
    first = run(tmp_path, photographs)
    assert first.state == "waiting"
    asked = [row for row in first.outcomes("near_duplicates.kept") if row["verdict"] == "ask"]
    assert asked
    assert [row["like"] for row in asked] == [row["evidence"]["like"] for row in asked]
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        tasks = store.tasks("pair")
        assert len(tasks) == sum(len(row["like"]) for row in asked)
        shown = [[image["image_id"] for image in task.payload["images"]] for task in tasks]
        assert sorted(map(sorted, shown)) == sorted(
            sorted((row["record_id"], one)) for row in asked for one in row["like"]
        )
        say(store, "pair", {task.item_id: {"ann": DIFFERENT if n else SAME} for n, task in enumerate(tasks)}, now)
    done = run(tmp_path, photographs)
    assert done.state == "done"
    better, gone = shown[0]
    rows = {row["record_id"]: row for row in done.outcomes("pair")}
    assert (rows[gone]["verdict"], rows[gone]["reason"], rows[gone]["evidence"]["of"]) == (
        "drop",
        "same_picture",
        better,
    )
    assert sum(row["verdict"] == "drop" for row in rows.values()) == 1
    report = {step.name: step for step in done.steps}["pair"]
    assert dict(report.dropped) == {"same_picture": 1}
    assert run(tmp_path, photographs).executed == 0


def test_what_people_said_of_a_pair_stays_where_the_other_image_becomes_the_better_one(
    tmp_path: Path, photographs: Path, now: datetime
) -> None:
    def asked(done: Any) -> set[tuple[str, str]]:
        rows = done.outcomes("near_duplicates.kept")
        return {(row["record_id"], one) for row in rows for one in row["like"] or ()}

    before = asked(run(tmp_path, photographs))
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        say(store, "pair", {task.item_id: {"ann": DIFFERENT} for task in store.tasks("pair")}, now)
    done = run(tmp_path, photographs, keep="[protected, resolution, id]")
    assert done.state == "done"
    assert asked(done) & before != before
    assert {frozenset(pair) for pair in asked(done)} <= {frozenset(pair) for pair in before}


def test_simulated_annotators_decide_pairs(tmp_path: Path, photographs: Path) -> None:
    done = run(tmp_path, photographs, "simulate: {annotators: 2, same_rate: 1.0}")
    assert done.state == "done"
    dropped_ones = [row for row in done.outcomes("pair") if row["verdict"] == "drop"]
    assert dropped_ones
    assert all(told["simulated"] for row in dropped_ones for told in row["evidence"]["pairs"].values())


def test_a_recipe_without_a_step_that_asks_is_refused(tmp_path: Path, photographs: Path) -> None:
    with pytest.raises(RecipeError, match=r"'pair' reads 'dedup.kept.like', which no earlier step provides"):
        run(tmp_path, photographs, "asked: dedup.kept.like")
