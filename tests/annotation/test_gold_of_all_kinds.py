"""Gold, shares and priorities in campaigns with typed forms: images, pairs, descriptions, prompts, opened tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError
from small_bench import Bench

from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.running.results import findings_of
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.cli.agreement import annotators
from benchwright.annotation.cli.tasks import open_
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.submitted_answers import results_of
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Source
from benchwright.release import Release
from benchwright.review_files.tasks import FindingCategory, ReviewTask, TaskFileHead, write_review_tasks
from benchwright.steps import CampaignContext, CampaignStep, Verdicts
from benchwright.workspace.workspace import Workspace

MakeItems = Callable[..., list[Item]]
WRITTEN: dict[str, Any] = {
    "implication": "conveys", "image_type": "poster", "difficulty": "middle", "domain": "society",
    "emotion": "negative", "rhetoric": ["metaphor"], "questions": "one", "explanation": "Time runs out.",
    "ask_1": "What is the sand?", "right_1": "money", "wrong_1": ["a feast", "a storm", "a debt", "a road", "a sea"],
}  # fmt: skip


def pictures(count: int) -> list[ImageRecord]:
    return [
        ImageRecord(
            image_id=digest(["picture", n]), width=40, height=30, media_type="image/png", size_bytes=9,
            source=Source(uri=f"{n}.png"), root_image_id=digest(["picture", n]),
        )
        for n in range(count)
    ]  # fmt: skip


def gold(folder: Path, rows: Mapping[str, str], *, head: str = "item_id,decision") -> AssignmentSettings:
    """Return an assignment in which every second task is one of these."""
    (folder / "gold.csv").write_text("\n".join([head, *(f"{one},{said}" for one, said in rows.items())]))
    return AssignmentSettings(gold=str(folder / "gold.csv"), gold_rate=0.5)


@pytest.fixture
def people(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as store:
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
        yield store


def answer_all(
    store: ReviewStore, campaign: str, name: str, now: datetime, says: Callable[[Any], Mapping[str, Any]]
) -> list[str]:
    """Let an annotator fill in the form of each of their tasks; return the tasks, in order."""
    queue, got = TaskQueue(store, store.campaign(campaign), name), []
    while (task := queue.next(now=now)) is not None:
        assert "gold" not in json.dumps(card_of(task, queue.campaign).__dict__, default=str)
        with store.reading() as connection:
            item_id = connection.exec_driver_sql(f"SELECT item_id FROM tasks WHERE id = {task.task_id}").scalar_one()
        got.append(item_id)
        queue.submit(task.slot_id, Submission(fields=says(item_id)), now=now)
    return got


def closed(step: CampaignStep, records: list[Any], ctx: CampaignContext) -> Verdicts:
    verdicts = step.advance(records, ctx)
    assert verdicts.waiting is None
    return verdicts


def test_images_that_are_known_go_to_all_who_screen_and_keep_the_verdict_that_is_known(
    context: CampaignContext, people: ReviewStore, tmp_path: Path, now: datetime
) -> None:
    images = pictures(6)
    ids = [one.image_id for one in images]
    (tmp_path / "gold.csv").write_text(
        f"item_id,decision,reason\n{ids[0]},discard,offensive\n{ids[1]},keep,\n{ids[2]},discard,\n"
    )
    step = Screen(rule="single", handout=AssignmentSettings(gold=str(tmp_path / "gold.csv"), gold_rate=0.5))
    step.advance(images, context)
    got = answer_all(people, "verify", "ann", now, lambda one: {"verdict": "keep"})
    assert sorted(got) == sorted(ids)
    verdicts = closed(step, images, context)
    told = {one: (verdicts.outcomes[one].verdict, verdicts.outcomes[one].reason) for one in ids}
    assert told == {
        ids[0]: ("drop", "offensive"), ids[1]: ("keep", None), ids[2]: ("drop", "discarded"),
        **dict.fromkeys(ids[3:], ("keep", None)),
    }  # fmt: skip
    assert verdicts.outcomes[ids[0]].evidence == {"gold": "discard"}
    assert (verdicts.summary["total"], verdicts.summary["gold"]) == (3, {"items": 3, "kept": 1})
    assert verdicts.summary["agreement"]["units"] == 3
    assert Overview(people, people.campaign("verify")).gold()["ann"] == (1, 3)


def test_items_of_an_earlier_release_are_known_to_be_kept_by_who_screens_items(
    context: CampaignContext, people: ReviewStore, make_items: MakeItems, tmp_path: Path, now: datetime
) -> None:
    items = make_items(jigsaw=2)
    step = ScreenItems(rule="single", handout=gold(tmp_path, {items[0].item_id: ""}))
    step.advance(items, context)
    answer_all(people, "verify", "ann", now, lambda one: {"verdict": "discard", "reasons": ["ambiguous"]})
    verdicts = closed(step, items, context)
    assert [verdicts.outcomes[one.item_id].reason for one in items] == [None, "ambiguous"]
    assert [(one.decision, one.right) for one in people.gold_answers("verify")] == [("discard", "keep")]


def test_a_pair_that_is_known_decides_about_its_images_and_counts_nowhere(
    context: CampaignContext, people: ReviewStore, tmp_path: Path, now: datetime
) -> None:
    images = pictures(4)
    ids = sorted(one.image_id for one in images)
    like = {ids[1]: [ids[0]], ids[2]: [ids[0]], ids[3]: [ids[0]]}
    ctx = context._replace(values={"near_duplicates.kept.like": like})
    pairs = {one: digest(["pair", *sorted((one, ids[0]))]) for one in ids[1:]}
    known = {pairs[ids[1]]: "same", pairs[ids[2]]: "different"}
    step = Pair(rule="single", handout=gold(tmp_path, known))
    step.advance(images, ctx)
    answer_all(people, "verify", "ann", now, lambda one: {"verdict": "different"})
    verdicts = closed(step, images, ctx)
    assert {one: verdicts.outcomes[one].reason for one in ids} == {
        ids[0]: None, ids[1]: "same_picture", ids[2]: None, ids[3]: None,
    }  # fmt: skip
    assert verdicts.outcomes[ids[1]].evidence["pairs"] == {ids[0]: {"gold": "same"}}
    summary = verdicts.summary
    assert (summary["total"], summary["same"], summary["gold"]) == (1, 0, {"items": 2, "kept": 1})
    [answered] = people.gold_answers("verify")
    assert (answered.decision, answered.right) == ("different", known[answered.item_id])


def test_an_image_that_is_known_to_convey_nothing_is_dropped_whatever_is_written_about_it(
    context: CampaignContext, people: ReviewStore, tmp_path: Path, now: datetime
) -> None:
    images = pictures(3)
    known, *others = (one.image_id for one in images)
    step = Describe(handout=gold(tmp_path, {known: "nothing"}))
    step.advance(images, context)
    got = answer_all(people, "verify", "ann", now, lambda one: WRITTEN)
    assert known in got
    verdicts = closed(step, images, context)
    assert (verdicts.outcomes[known].reason, dict(verdicts.outcomes[known].values)) == ("no_implication", {})
    assert all(verdicts.outcomes[one].values["implication"] for one in others)
    assert (verdicts.summary["total"], verdicts.summary["rejected"]) == (2, 0)
    assert [(one.decision, one.right) for one in people.gold_answers("verify")] == [("conveys", "nothing")]


@pytest.mark.parametrize(
    ("step", "row", "why"),
    [
        pytest.param(
            Screen, "accept", "'accept' is not a decision here; this campaign takes keep, discard", id="decision"
        ),
        pytest.param(Screen, "", "no decision is given, .*; this campaign takes keep, discard", id="no decision"),
        pytest.param(Screen, "discard,dull", "reason 'dull': it is not one of no_implication, ", id="reason"),
        pytest.param(Screen, "keep,other", "reason 'other': 'keep' takes no reason here", id="no reason"),
        pytest.param(
            Describe, "conveys", "'conveys' is not a decision here; this campaign takes nothing", id="words of nobody"
        ),
    ],
)
def test_what_cannot_be_known_is_refused_in_words(
    context: CampaignContext, tmp_path: Path, step: type[Screen] | type[Describe], row: str, why: str
) -> None:
    [image] = pictures(1)
    head = "item_id,decision,reason" if "," in row else "item_id,decision"
    with pytest.raises(DataError, match=why):
        step(handout=gold(tmp_path, {image.image_id: row}, head=head)).advance([image], context)


def test_prompts_have_no_gold_and_images_none_of_a_release(release: Release, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="'collect' takes no gold: the right photograph"):
        Collect(prompts=("a cat",), handout=gold(tmp_path, {"1": "web"}))
    with pytest.raises(ValidationError, match="is a release, which holds items, but 'screen' asks about images"):
        Screen(handout=AssignmentSettings(gold=str(release.path)))


def test_urgent_prompts_go_out_first_and_shares_hold_where_photographs_are_collected(
    context: CampaignContext, people: ReviewStore, now: datetime
) -> None:
    step = Collect(
        prompts=tuple(f"prompt {n}" for n in range(6)),
        handout=AssignmentSettings(share=0.5, priorities={"prompt 4": 2}),
    )
    assert step.advance([], context).waiting is not None
    prompts = {task.item_id: task.payload["question"] for task in people.tasks("verify")}
    got = {name: answer_all(people, "verify", name, now, lambda one: {"found": "none"}) for name in ("ann", "ben")}
    assert prompts[got["ann"][0]] == "prompt 4"
    assert {name: len(row) for name, row in got.items()} == {"ann": 3, "ben": 3}
    assert not set(got["ann"]) & set(got["ben"])


# Tasks that a file opens


@pytest.fixture
def release(tmp_path: Path) -> Release:
    bench = Bench()
    for number in range(5):
        source = bench.picture(12, 9, (40 * number, 10, 90), source=Source(uri=f"{number}.png"))
        bench.add(
            source, "test", number, task="first", question=f"Question {number}?",
            images=(ItemImage(image_id=source.image_id, role="view"),),
            choices=(Choice(key="A", text="cat"), Choice(key="B", text="dog")), answer="B",
        )  # fmt: skip
    return bench.write(tmp_path / "release")


@pytest.fixture
def opens(release: Release, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Open a campaign of error analysis, or of doubted keys, by the command."""

    def open_it(kind: str, *options: str) -> dict[str, Any]:
        categories = tuple(FindingCategory(code=one, words=one) for one in ("blind", "guess", "other"))
        head = TaskFileHead(
            kind=kind, name="errors", release="tiny 1.0", release_id=release.release_id,
            categories=categories if kind == "error_analysis" else (),
        )  # fmt: skip
        rows = [ReviewTask(item_id=one.item.item_id, content_hash=one.item.content_hash) for one in release.items()]
        write_review_tasks(tmp_path / "tasks.jsonl", head, rows, force=True)
        given = [str(tmp_path / "tasks.jsonl"), "--release", str(release.path), "--workspace", str(tmp_path / "review")]
        result = CliRunner().invoke(open_, [*given, *options, "--json"], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    return open_it


def test_an_error_analysis_is_right_on_gold_that_names_the_same_set_of_categories(
    opens: Callable[..., dict[str, Any]], release: Release, tmp_path: Path, now: datetime
) -> None:
    ids = [one.item.item_id for one in release.items()]
    gold(tmp_path, {ids[0]: "other; blind", ids[1]: "guess"})
    document = opens("error_analysis", "--gold", str(tmp_path / "gold.csv"), "--gold-rate", "0.5", "--lease-s", "60")
    assert (document["tasks"], document["gold"]) == (5, 2)
    with open_store(Workspace(tmp_path / "review").store_url) as store:
        assert store.campaign("errors").settings["handout"] == {"gold_rate": 0.5, "lease_s": 60.0}
        store.upsert_annotator("ann")
        fields = {"categories": ["blind", "other"], "reason": "r"}
        assert sorted(answer_all(store, "errors", "ann", now, lambda one: fields)) == sorted(ids)
        told = {one.item_id: (one.decision, one.right) for one in store.gold_answers("errors")}
        assert told == {ids[0]: ("blind+other", "blind+other"), ids[1]: ("blind+other", "guess")}
        found = findings_of(results_of(store, "errors"))
        assert sorted(one.item_id for one in found.items) == sorted(ids[2:])
    shown = CliRunner().invoke(annotators, ["--workspace", str(tmp_path / "review"), "--json"])
    assert json.loads(shown.stdout)["gold"] == {"ann": {"answered": 2, "right": 1, "accuracy": 0.5}}


def test_doubted_keys_go_out_as_options_say_and_opened_again_without_them_as_by_default(
    opens: Callable[..., dict[str, Any]], release: Release, tmp_path: Path, now: datetime
) -> None:
    ids = [one.item.item_id for one in release.items()]
    gold(tmp_path, {ids[3]: "key_right"})
    opens("errata", "--gold", str(tmp_path / "gold.csv"), "--share-of", "ann=0.5", "--priority", f"{ids[2]}=3")
    with open_store(Workspace(tmp_path / "review").store_url) as store:
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
        got = answer_all(store, "errors", "ann", now, lambda one: {"finding": "key_right"})
        assert next(one for one in got if one != ids[3]) == ids[2]
        assert len(set(got) - {ids[3]}) == 2
        opens("errata")
        assert "handout" not in store.campaign("errors").settings
        assert len(store.tasks("errors", states=("open", "done"))) == 5


@pytest.mark.parametrize(
    ("options", "why"),
    [
        pytest.param(["--share", "2"], "--share: Input should be less than or equal to 1", id="share"),
        pytest.param(["--share-of", "ann=much"], "--share-of ann: Input should be a valid number", id="share of"),
        pytest.param(["--priority", "jigsaw"], "--priority 'jigsaw': expected a name and a number", id="priority"),
        pytest.param(["--gold", "nowhere.csv"], "nowhere.csv", id="gold"),
    ],
)
def test_options_that_cannot_work_are_refused_in_words(
    opens: Callable[..., dict[str, Any]], options: list[str], why: str
) -> None:
    with pytest.raises(Exception, match=why):
        opens("errata", *options)


RECIPE = """
name: known
seed: 3
shards: 2
steps:
  - step: screen
    handout: {gold: gold.csv, gold_rate: 0.5}
"""


def test_a_recipe_names_its_gold_file_relative_to_itself(tmp_path: Path, photographs: Path, now: datetime) -> None:
    (tmp_path / "gold.csv").write_text("item_id,decision\n")
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    run_recipe(recipe, workspace=tmp_path / "w", images=photographs, workers=1)
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        known, *_ = (task.item_id for task in store.tasks("screen"))
    (tmp_path / "gold.csv").write_text(f"item_id,decision\n{known},discard\n")
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    run_recipe(recipe, workspace=tmp_path / "w", images=photographs, workers=1)
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        store.upsert_annotator("ann")
        answer_all(store, "screen", "ann", now, lambda one: {"verdict": "keep"})
        assert [(one.decision, one.right) for one in store.gold_answers("screen")] == [("keep", "discard")]
    done = run_recipe(recipe, workspace=tmp_path / "w", images=photographs, workers=1)
    assert [dict(step.dropped) for step in done.steps if step.name == "screen"] == [{"discarded": 1}]


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    from walks import make_photographs

    make_photographs(tmp_path / "photographs", count=3)
    return tmp_path / "photographs"
