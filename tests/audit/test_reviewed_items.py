"""Annotators answer ambiguous items without the key and vote on them, and the next release contains the result."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from audited_benches import clean_rows, write_pictures, write_rows
from walks import run_json

from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.app.wording.texts import title_of
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.audit.setting_right import campaigns
from benchwright.cli.main import invoke
from benchwright.records import Item
from benchwright.release import Release, verify_release
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
SPLIT, FINE, HARD, MENDED, KEY_WRONG = "q0", "q1", "q2", "q3", "q4"
AMBIGUOUS = (SPLIT, FINE, HARD, MENDED, KEY_WRONG)
PEOPLE = ("ann", "bob", "cat")
YES = {"accurate": "yes", "unambiguous": "yes"}
BOTH = {**YES, "unambiguous": "no", "note": "Two of them stand there."}
ASKS_NOW = "Which thing stands nearest to it?"


def other_letter(letter: str) -> str:
    return "BCDA"["ABCD".index(letter)]


@dataclass
class Bench:
    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "w"

    @property
    def release(self) -> Release:
        return Release.open(self.workspace / "releases" / "quiz-1.0")

    def items(self, release: Release) -> dict[str, Item]:
        return {str(each.item.attributes["source_id"]): each.item for each in release.items(fetched=False)}

    def audit(self) -> dict[str, Any]:
        words = ["audit", self.folder / "quiz.csv", "--out", self.folder / "out", "--workers", "1"]
        report = run_json(*words, "--people", self.folder / "people.csv", "--set-right", self.workspace)
        opened: dict[str, Any] = report["set_right"]
        return opened

    def exported(self, *options: str) -> list[dict[str, str]]:
        """Export the tasks of the campaign, and return the rows with the items' own ids."""
        out = self.folder / f"tasks-{len(list(self.folder.glob('tasks-*')))}.csv"
        place = ("--workspace", self.workspace, "--campaign", "audit-reviews")
        run_json("review", "export", *place, "--out", out, *options)
        own = {item.item_id: name for name, item in self.items(self.release).items()}
        with out.open(encoding="utf-8", newline="") as handle:
            return [{"own": own[row["item_id"]], **row} for row in csv.DictReader(handle)]

    def give(self, rows: list[dict[str, str]]) -> None:
        """Import rows that annotators filled in."""
        path = self.folder / f"filled-{len(list(self.folder.glob('filled-*')))}.csv"
        with path.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, sorted({name for row in rows for name in row}), restval="")
            writer.writeheader()
            writer.writerows(rows)
        done = run_json("review", "import", path, "--workspace", self.workspace, "--campaign", "audit-reviews")
        assert done["refused"] == []

    def answer(self, by: tuple[str, ...], wrong: Callable[[str, str], bool]) -> list[dict[str, str]]:
        """Let annotators answer all open tasks without the key; return the content of their table."""
        items, shown = self.items(self.release), self.exported()
        rows = []
        for row in shown:
            key = str(items[row["own"]].answer)
            for name in by:
                given = other_letter(key) if wrong(row["own"], name) else key
                rows.append(
                    {"item_id": row["item_id"], "version": row["version"], "annotator": name, "decision": given}
                )
        self.give(rows)
        return shown

    def vote(self, votes: Callable[[str, str], Mapping[str, str]]) -> list[dict[str, str]]:
        """Let the annotators who answered vote; return the content of their table."""
        shown = self.exported("--votes")
        kept = ("item_id", "version", "annotator")
        self.give([{name: row[name] for name in kept} | dict(votes(row["own"], row["annotator"])) for row in shown])
        return shown


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("quiz")
    rows = clean_rows(24)
    rows[5]["question"], rows[5]["image"] = rows[0]["question"], rows[0]["image"]  # the same as q0, which stays
    rows[5] |= {letter: rows[0][letter] for letter in "ABCD"} | {"answer": rows[0]["answer"]}
    rows[5]["split"] = rows[0]["split"]
    write_pictures(folder, rows)
    write_rows(folder / "quiz.csv", rows)
    votes = []
    for row in rows:
        for number in range(12):
            is_other = number < 5 and row["id"] in AMBIGUOUS
            given = other_letter(row["answer"]) if is_other else row["answer"]
            votes.append({"id": row["id"], "annotator": f"p{number}", "reply": given})
    with (folder / "people.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, ["id", "annotator", "reply"])
        writer.writeheader()
        writer.writerows(votes)
    return Bench(folder)


@pytest.fixture(scope="module")
def opened(bench: Bench) -> dict[str, Any]:
    return bench.audit()


@pytest.fixture(scope="module")
def reviewed(bench: Bench, opened: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
    """The content of the tables, round by round, until all was decided."""

    def is_wrong(own: str, by: str) -> bool:
        return own in (SPLIT, HARD) and by != "ann"

    def votes(own: str, by: str) -> Mapping[str, str]:
        if own == MENDED and by == "cat":
            return {**YES, "new_question": ASKS_NOW}
        if own == KEY_WRONG:
            return {"accurate": "no", "unambiguous": "yes", "note": "It stands elsewhere."}
        return BOTH if own in (SPLIT, MENDED) else YES

    shown = {"answers": bench.answer(PEOPLE, is_wrong), "votes": bench.vote(votes)}
    shown["next"] = bench.answer(("dan", "eve", "fay"), lambda own, by: False)
    bench.vote(lambda own, by: YES)
    return shown


@pytest.fixture(scope="module")
def corrected(bench: Bench, reviewed: dict[str, list[dict[str, str]]]) -> dict[str, Any]:
    decided = bench.folder / "items.csv"
    place = ("--workspace", bench.workspace, "--campaign", "audit-items")
    run_json("review", "export", *place, "--out", bench.folder / "items-tasks.csv")
    with (bench.folder / "items-tasks.csv").open(encoding="utf-8", newline="") as handle:
        [task] = csv.DictReader(handle)
    rows = [{"annotator": name, "item_id": task["item_id"], "finding": "key_right"} for name in PEOPLE]
    with decided.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    # Whoever saw an item's key there answers it in no review: these are other items.
    assert run_json("review", "import", decided, *place)["refused"] == []
    words = ["set-right", bench.workspace, "--version", "1.1", "--out", bench.folder / "quiz-1.1"]
    done: dict[str, Any] = run_json(*words)
    return done


def test_ambiguous_items_go_to_a_review(bench: Bench, opened: dict[str, Any]) -> None:
    counted = {(each["name"], each["kind"], each["tasks"], each["annotators"]) for each in opened["campaigns"]}
    assert counted == {("audit-reviews", "review", 5, 3), ("audit-items", "errata", 1, 3)}
    assert [each["new"] for each in bench.audit()["campaigns"]] == [0, 0]


def test_beside_other_items_the_keys_of_those_to_be_answered_are_not_shown(bench: Bench, opened: object) -> None:
    lines = (bench.workspace / "audit" / "audit-items.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    [task] = map(json.loads, lines)
    [note] = [text["text"] for text in task["beside"] if text["label"].startswith("Item q0")]
    assert bench.items(bench.release)["q0"].question in note
    assert "Key" not in note


def test_neither_key_nor_finding_is_shown_before_the_answer(
    bench: Bench, opened: dict[str, Any], tmp_path: Path
) -> None:
    now, copied = datetime.now(UTC), shutil.copytree(bench.workspace, tmp_path / "w")
    with open_store(Workspace(copied).store_url) as store:
        store.upsert_annotator("gil")
        queue = TaskQueue(store, store.campaign("audit-reviews"), "gil")
        task = queue.next(now=now)
        assert task is not None
        before = card_of(task, queue.campaign)
        assert "The audit found: ambiguous item" in [text["label"] for text in task.beside]
        assert (before.right, before.beside) == (None, [])
        queue.answer(task.slot_id, "A", now=now)
        after = card_of(queue.task(task.task_id, now=now), queue.campaign)
        assert "The audit found: ambiguous item" in [text["label"] for text in after.beside]
        assert after.right is not None


def test_tables_show_what_was_found_with_the_votes(reviewed: dict[str, list[dict[str, str]]]) -> None:
    assert all(row["answer"] == "" and "beside" not in row for row in reviewed["answers"])
    row = next(row for row in reviewed["votes"] if row["own"] == SPLIT)
    assert "The audit found: ambiguous item" in row["beside"]
    assert [row["own"] for row in reviewed["next"]] == [MENDED]


def test_the_release_has_what_reviewers_accepted(bench: Bench, corrected: dict[str, Any]) -> None:
    assert verify_release(bench.folder / "quiz-1.1").ok
    before, after = bench.items(bench.release), bench.items(Release.open(bench.folder / "quiz-1.1"))
    assert set(before) - set(after) == {SPLIT, KEY_WRONG}
    assert {own for own, item in after.items() if item.content_hash != before[own].content_hash} == {MENDED}
    assert after[MENDED].question == ASKS_NOW


def test_each_change_has_its_erratum_and_what_is_only_difficult_stays(bench: Bench, corrected: dict[str, Any]) -> None:
    errata = {erratum["source_id"]: erratum for erratum in corrected["errata"]}
    assert {own: (each["finding"], each["became"], each["agreed"], each["asked"]) for own, each in errata.items()} == {
        SPLIT: ("ambiguous", "left_out", 3, 3), MENDED: ("wording", "edited", 3, 3),
        KEY_WRONG: ("key_wrong", "left_out", 3, 3),
    }  # fmt: skip
    assert errata[SPLIT]["reasons"] == ["Two of them stand there."]
    assert errata[MENDED]["edits"] == {"question": ASKS_NOW}
    assert corrected["undecided"] == [HARD]
    page = Path(corrected["page"]).read_text(encoding="utf-8")
    assert "3 of 3 annotators: ambiguous: Two of them stand there." in page
    assert "<ins>nearest" in page


def test_the_results_of_such_a_review_are_named_where_they_are(
    bench: Bench, corrected: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["review", "results", "--workspace", str(bench.workspace), "--campaign", "audit-reviews"]
    assert invoke(words) == 2
    assert "`benchwright set-right`" in capsys.readouterr().err


def test_campaigns_of_an_audit_have_plain_titles() -> None:
    names = (campaigns.ITEMS, campaigns.EDITS, campaigns.REVIEWS, campaigns.PAIRS, f"{campaigns.EDITS}-2")
    assert [title_of(name) for name in names] == ["Items in doubt", "Edits", "Reviews", "Pairs of pictures", "Edits 2"]
