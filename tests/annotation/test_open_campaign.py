"""Campaigns opened on a file of tasks: errors that annotators classify, and keys that they judge."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from small_bench import Bench

from benchwright.annotation.campaigns.on_releases.reviews import open_tasks
from benchwright.annotation.campaigns.running.results import (
    agreement_of,
    errata_of,
    findings_of,
    summary_of,
    write_results,
)
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import KINDS
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.label_studio.task_data import task_data
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.image_files import ImageFiles
from benchwright.annotation.workflow.submitted_answers import results_of, rows_of
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import Choice, Item, ItemImage, Source
from benchwright.release import Release
from benchwright.release.format.errata import read_errata
from benchwright.review_files.findings import read_findings
from benchwright.review_files.tasks import FindingCategory, ReviewTask, SideText, TaskFileHead, write_review_tasks
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

EVIL = "</script><img src=x onerror=alert(1)> =cmd|' /C calc'!A0"
CATEGORIES = (
    FindingCategory(code="blind", words="Does not look", help="The reply *ignores* the picture."),
    FindingCategory(code="wrong_place", words="Looks elsewhere"),
    FindingCategory(code="other", words="Something else"),
)
Opens = Callable[..., ReviewStore]


@pytest.fixture
def release(tmp_path: Path) -> Release:
    bench = Bench()
    for number in range(6):
        source = bench.picture(12, 9, (40 * number, 10, 90), source=Source(uri=f"{number}.png"))
        bench.add(
            source, "test", number, task=("first", "second")[number % 2], question=f"Question {number}?",
            images=(ItemImage(image_id=source.image_id, role="view"),),
            choices=(Choice(key="A", text="cat"), Choice(key="B", text="dog"), Choice(key="C", text="eel")), answer="B",
        )  # fmt: skip
    return bench.write(tmp_path / "release")


@pytest.fixture
def items(release: Release) -> list[Item]:
    return [released.item for released in release.items()]


@pytest.fixture
def tasks(release: Release, items: list[Item], tmp_path: Path) -> Callable[..., Path]:
    """Write a file of tasks over the first items."""

    def write(kind: str = "error_analysis", *, n: int = 4, name: str = "tasks.jsonl", **changes: Any) -> Path:
        head = TaskFileHead(
            kind=kind, name="errors", release="tiny 1.0", release_id=release.release_id,
            categories=CATEGORIES if kind == "error_analysis" else (),
        )  # fmt: skip
        rows = [
            ReviewTask(
                item_id=item.item_id, content_hash=item.content_hash, about={"model": "m", "task": item.task},
                beside=(SideText(label="The model's reply", text=f"It is A. {EVIL}"),),
            )
            for item in items[:n]
        ]  # fmt: skip
        path = tmp_path / name
        write_review_tasks(path, head.model_copy(update=changes), rows, force=True)
        return path

    return write


@pytest.fixture
def opened(release: Release, tasks: Callable[..., Path], tmp_path: Path) -> Iterator[Opens]:
    """Open a campaign for ann, ben and cas in a new workspace."""
    stores: list[ReviewStore] = []

    def open_(kind: str = "error_analysis", **settings: Any) -> ReviewStore:
        open_tasks(tasks(kind), release.path, tmp_path / "review", **settings)
        store = open_store(Workspace(tmp_path / "review").store_url)
        stores.append(store)
        for name in ("ann", "ben", "cas"):
            store.upsert_annotator(name)
        return store

    yield open_
    for store in stores:
        store.close()


def say_all(store: ReviewStore, name: str, now: datetime, answers: Callable[[Item], dict[str, Any]]) -> None:
    queue = TaskQueue(store, store.campaign("errors"), name)
    while (task := queue.next(now=now)) is not None:
        queue.submit(task.slot_id, Submission(fields=answers(task.item)), now=now)


def test_a_workspace_is_made_and_holds_items_and_pictures(opened: Opens, items: list[Item], tmp_path: Path) -> None:
    store = opened()
    found = store.tasks("errors")
    assert sorted(task.item_id for task in found) == sorted(item.item_id for item in items[:4])
    assert store.campaign("errors").rule == "answers(1)"
    originals = ImageFiles(tmp_path / "review")
    for item in items[:4]:
        assert originals.data(item.images[0].image_id).startswith(b"\x89PNG")


def test_opening_again_changes_nothing(
    opened: Opens, release: Release, tasks: Callable[..., Path], tmp_path: Path, now: datetime
) -> None:
    store = opened()
    say_all(store, "ann", now, lambda item: {"categories": ["blind"], "reason": "looks at nothing"})
    before = store.decisions("errors")
    again = open_tasks(tasks(), release.path, tmp_path / "review")
    assert (again.tasks, again.new) == (4, 0)
    assert store.decisions("errors") == before


def test_another_file_does_not_take_a_campaigns_place(
    opened: Opens, release: Release, tasks: Callable[..., Path], tmp_path: Path
) -> None:
    opened()
    other = tasks(n=2, name="other.jsonl")
    with pytest.raises(BenchwrightError, match="was not opened on this file; give another --name"):
        open_tasks(other, release.path, tmp_path / "review")
    assert open_tasks(other, release.path, tmp_path / "review", name="more").tasks == 2


def test_tasks_of_another_release_or_content_are_refused(
    release: Release, items: list[Item], tasks: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="give that release"):
        open_tasks(tasks(release_id="0" * 64), release.path, tmp_path / "review")
    with pytest.raises(DataError, match="tasks of kind 'pair', which a file cannot open"):
        open_tasks(tasks("pair"), release.path, tmp_path / "review")
    path, head = (
        tmp_path / "stale.jsonl",
        TaskFileHead(kind="errata", name="e", release="tiny", release_id=release.release_id),
    )
    write_review_tasks(path, head, [ReviewTask(item_id=items[0].item_id, content_hash="1" * 64)])
    with pytest.raises(DataError, match="differs from the release"):
        open_tasks(path, release.path, tmp_path / "review")
    write_review_tasks(path, head, [ReviewTask(item_id="2" * 32, content_hash="1" * 64)], force=True)
    with pytest.raises(DataError, match=r"1 item is not in .*, such as 2222"):
        open_tasks(path, release.path, tmp_path / "review")


def test_an_annotator_sees_item_key_and_reply_and_no_more(opened: Opens, now: datetime) -> None:
    store = opened()
    task = TaskQueue(store, store.campaign("errors"), "ann").next(now=now)
    assert task is not None
    assert task.item.answer == "B"
    assert [dict(one) for one in task.beside] == [{"label": "The model's reply", "text": f"It is A. {EVIL}"}]
    assert "m" not in {value for one in task.beside for value in one.values()}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        pytest.param({"categories": ["blind"]}, "'reason' .* is not filled in", id="no reason"),
        pytest.param({"categories": [], "reason": "r"}, "'categories' .* is not filled in", id="no category"),
        pytest.param({"categories": ["nonsense"], "reason": "r"}, "is not one of blind, wrong_place", id="unknown"),
        pytest.param({"categories": ["blind"], "reason": "r", "x": "y"}, "has no field 'x'", id="another field"),
        pytest.param({"categories": ["blind"], "reason": "a\0b"}, "without null", id="null"),
        pytest.param({"categories": {"a": 1}, "reason": "r"}, "is not one of", id="no list"),
        pytest.param({"categories": ["blind"], "reason": ["r"]}, "is not text", id="no text"),
    ],
)
def test_what_does_not_fit_the_form_is_refused(opened: Opens, now: datetime, said: dict[str, Any], why: str) -> None:
    store = opened()
    queue = TaskQueue(store, store.campaign("errors"), "ann")
    task = queue.next(now=now)
    assert task is not None
    with pytest.raises(RefusedError, match=why):
        queue.submit(task.slot_id, Submission(fields=said), now=now)
    assert store.decisions("errors") == []


def test_answers_are_kept_by_field_amended_and_in_the_history(opened: Opens, now: datetime) -> None:
    store = opened()
    queue = TaskQueue(store, store.campaign("errors"), "ann")
    task = queue.next(now=now)
    assert task is not None
    queue.save_draft(task.task_id, {"fields": {"categories": ["other"]}}, now=now)
    assert queue.open(task.task_id, now=now).draft == {"fields": {"categories": ["other"]}}
    queue.submit(
        task.slot_id, Submission("ignored", fields={"reason": " why ", "categories": ["other", "blind"]}), now=now
    )
    [said] = store.decisions("errors")
    assert (said.decision, said.fields) == ("blind+other", {"categories": ["blind", "other"], "reason": "why"})
    queue.submit(task.slot_id, Submission(fields={"categories": ["blind"], "reason": "why"}), now=now)
    [past] = queue.history()
    assert (past.annotation.version, past.annotation.fields) == (2, {"categories": ["blind"], "reason": "why"})
    assert queue.open(task.task_id, now=now).draft == {}


def test_who_saw_the_key_here_does_not_answer_for_the_baseline(opened: Opens, items: list[Item], now: datetime) -> None:
    from benchwright.annotation.campaigns.running.open_campaign import work_of

    store = opened()
    say_all(store, "ann", now, lambda item: {"categories": ["blind"], "reason": "r"})
    form = CampaignForm(decisions_from="choices")
    store.upsert_campaign(
        "baseline", kind="answer", rule="answers(1)", slots_per_task=1, form=form, settings={}, seed=1
    )
    store.upsert_tasks("baseline", map(work_of, items))
    asked = set()
    while (lease := store.claim("baseline", "ann", now=now)) is not None:
        store.submit(lease.slot_id, "ann", Submission("A"), now=now)
        asked.add(lease.item_id)
    assert asked == {item.item_id for item in items[4:]}


def test_shares_and_agreement_by_hand(opened: Opens, items: list[Item], now: datetime) -> None:
    store = opened(annotators=2)
    say_all(store, "ann", now, lambda item: {"categories": ["blind"], "reason": "a"})
    both = {items[0].item_id, items[1].item_id}
    say_all(
        store, "ben", now,
        lambda item: {"categories": ["blind", "other"] if item.item_id in both else ["blind"], "reason": "b"},
    )  # fmt: skip
    results = results_of(store, "errors")
    assert [(row["category"], row["items"], row["share"], row["of_named"]) for row in summary_of(results)] == [
        ("blind", 4, 1.0, 8 / 10), ("wrong_place", 0, 0.0, 0.0), ("other", 2, 0.25, 2 / 10),
    ]  # fmt: skip
    # Sets: six times {blind}, twice {blind, other}, 2/3 apart. Observed: two items differ, 2 x 2 x 2/3 = 8/3. Expected:
    # 2 x 6 x 2 x 2/3 = 16, over 7 values: alpha = 1 - 7 x (8/3) / 16 = -1/6.
    assert agreement_of(results) == {
        "compared": len({one.item_id for one in results.annotations}),
        "masi_alpha": pytest.approx(-1 / 6, abs=1e-6),
    }
    found = findings_of(results)
    assert (found.annotators, found.tasks, len(found.items)) == (2, 4, 4)
    assert found.items[0].about["model"] == "m"


def test_results_are_written_as_a_table_and_as_findings_without_names(
    opened: Opens, now: datetime, tmp_path: Path
) -> None:
    store = opened()
    say_all(store, "ann", now, lambda item: {"categories": ["blind", "other"], "reason": "=SUM(A1)"})
    results = results_of(store, "errors")
    write_results(results, tmp_path / "errors.csv")
    with (tmp_path / "errors.csv").open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == len(rows_of(results)) == 4
    assert (rows[0]["categories"], rows[0]["reason"], rows[0]["model"]) == ("blind;other", "'=SUM(A1)", "m")
    write_results(results, tmp_path / "errors.json")
    found = read_findings(tmp_path / "errors.json")
    assert found == findings_of(results)
    assert "ann" not in json.loads((tmp_path / "errors.json").read_text(encoding="utf-8")).values()
    for name in ("errors.csv", "errors.json"):
        written = (tmp_path / name).read_bytes()
        write_results(results, tmp_path / name)  # given again: it is done
        assert (tmp_path / name).read_bytes() == written
        (tmp_path / name).write_bytes(b"mine")
        with pytest.raises(BenchwrightError, match=rf"{name} already exists with other content; .*--force"):
            write_results(results, tmp_path / name)
        assert (tmp_path / name).read_bytes() == b"mine"


def test_the_table_to_fill_in_has_a_column_for_each_field(opened: Opens, now: datetime, tmp_path: Path) -> None:
    store = opened()
    assert export_tasks(store, "errors", tmp_path / "tasks.csv", image_name=lambda image: "x.png") == 4
    with (tmp_path / "tasks.csv").open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert list(rows[0])[:4] == ["item_id", "annotator", "categories", "reason"]
    assert EVIL in rows[0]["beside"]
    rows[0] |= {"annotator": "dee", "categories": "other; blind", "reason": "because"}
    rows[1] |= {"annotator": "dee", "categories": "nonsense", "reason": "because"}
    rows[2] |= {"annotator": "dee", "categories": "blind"}
    with (tmp_path / "tasks.csv").open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    first = import_decisions(store, "errors", tmp_path / "tasks.csv", now=now)
    assert (first.new, first.blank, [row.line > 1 for row in first.refused]) == (1, 1, [True, True])
    [said] = store.decisions("errors")
    assert said.fields == {"categories": ["blind", "other"], "reason": "because"}
    assert import_decisions(store, "errors", tmp_path / "tasks.csv", now=now).unchanged == 1


@pytest.mark.parametrize("shows_key", [True, False])
def test_the_table_holds_keys_only_where_the_kind_of_campaign_shows_them(
    opened: Opens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shows_key: bool
) -> None:
    store = opened()
    monkeypatch.setitem(KINDS, "error_analysis", replace(KINDS["error_analysis"], shows_key=shows_key))
    export_tasks(store, "errors", tmp_path / "tasks.csv", image_name=lambda image: "x.png")
    with (tmp_path / "tasks.csv").open(newline="", encoding="utf-8") as handle:
        assert [row["answer"] != "" for row in csv.DictReader(handle)] == [shows_key] * 4
    campaign, [task, *_] = store.campaign("errors"), store.tasks("errors")
    assert ("(right)" in task_data(campaign, task, lambda image: image.image_id)["choices"]) == shows_key


JUDGED: Sequence[tuple[str | None, ...]] = (
    # What ann, ben and cas say of one item each: finding, and what is right instead.
    ("key_wrong:A", "key_wrong:A", "key_right:"),
    ("key_wrong:A", "key_wrong:C", "key_wrong:"),
    ("ambiguous:", "ambiguous:", "ambiguous:"),
    ("key_right:", "ambiguous:", "picture_problem:"),
)


def test_errata_are_what_most_annotators_find(opened: Opens, items: list[Item], now: datetime, tmp_path: Path) -> None:
    store = opened("errata")
    order = {item.item_id: number for number, item in enumerate(items)}
    for place, name in enumerate(("ann", "ben", "cas")):

        def answers(item: Item, place: int = place) -> dict[str, Any]:
            finding, instead = str(JUDGED[order[item.item_id]][place]).split(":")
            return {"finding": finding, "instead": instead, "reason": f"{finding} says {place}"}

        say_all(store, name, now, answers)
    results = results_of(store, "errors")
    found = {order[one.item_id]: one for one in errata_of(results)}
    assert sorted(found) == [0, 1, 2]
    assert (found[0].finding, found[0].key, found[0].instead, found[0].agreed) == ("key_wrong", "B", "A", 2)
    assert (found[1].finding, found[1].instead, found[1].agreed) == ("key_wrong", None, 3)
    assert found[2].reasons == tuple(f"ambiguous says {place}" for place in range(3))
    assert [row["items"] for row in summary_of(results)] == [0, 2, 1, 0]
    write_results(results, tmp_path / "errata.json")
    assert read_errata(tmp_path / "errata.json") == tuple(sorted(found.values(), key=lambda one: one.item_id))


def test_the_letter_that_counts_as_right_cannot_be_right_instead(opened: Opens, now: datetime) -> None:
    store = opened("errata")
    queue = TaskQueue(store, store.campaign("errors"), "ann")
    task = queue.next(now=now)
    assert task is not None
    with pytest.raises(RefusedError, match="'instead': 'B' is not one of A, C"):
        queue.submit(task.slot_id, Submission(fields={"finding": "key_wrong", "instead": "B", "reason": "r"}), now=now)
    queue.submit(task.slot_id, Submission(fields={"finding": "key_right", "instead": "B", "reason": "r"}), now=now)
    assert store.decisions("errors")[0].fields == {"finding": "key_right"}  # the others do not apply
