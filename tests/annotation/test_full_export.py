"""Exports of everything: the same rows in Parquet and CSV, the same bytes each time, pseudonyms on request.

- Every version of every decision is present, with its times, and the newest is marked.
- Names become stable numbers, or stay unchanged.
- Figures equal those that the commands print, and undefined values are empty.
- A spreadsheet runs nothing; an existing folder is never touched.
"""

from __future__ import annotations

import csv
import hashlib
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchwright.annotation.agreement.coefficients import agreement_of
from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.exchange.export import export_everything
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.assignment.assignment import note_seen
from benchwright.annotation.store.campaigns.guidelines import Guidelines
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError

pytestmark = pytest.mark.both_databases

FORMULA = '=HYPERLINK("http://example.org","x")'
TABLES = (
    "adjudicated", "adjudications", "agreement", "annotations", "annotator_quality", "annotators", "assignments",
    "attention_checks", "audit_log", "authors", "blind_answers", "campaigns", "closings", "confusion", "followed",
    "guidelines", "outcomes", "overrides", "reasons", "regions", "remarks", "revision_requests", "revisions", "rounds",
    "seen", "set_asides", "shares", "skips", "tasks",
)  # fmt: skip


@pytest.fixture
def said(store: ReviewStore, now: datetime) -> ReviewStore:
    """Two annotators decide four tasks, one of them twice and with a note that a spreadsheet would run."""
    store.upsert_campaign(
        "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, settings={}, seed=1,
        form=CampaignForm(decisions=["accept", "reject"], reasons=["unclear"]),
    )  # fmt: skip
    work = [
        TaskInput(f"item-{n}", f"content-{n}", {"task": "jigsaw", "kind": "yes_no", "question": "Why?"})
        for n in range(4)
    ]
    store.upsert_tasks("verify", work)
    Accounts(store).add("zoe", "annotator", now=now)
    for name in ("bob", "amy"):
        store.upsert_annotator(name)
    for n, task in enumerate(store.tasks("verify")):
        for name in ("zoe", "bob"):
            at = now + timedelta(minutes=n)
            lease = store.claim("verify", name, now=at, task=task.id)
            assert lease is not None
            decision = "reject" if n == 0 or (n == 1 and name == "bob") else "accept"
            why: dict[str, Any] = {"reasons": ("unclear",), "note": FORMULA} if decision == "reject" else {}
            store.submit(lease.slot_id, name, Submission(decision, **why), now=at + timedelta(seconds=7.5))
            if n == 2 and name == "zoe":
                store.submit(lease.slot_id, name, Submission("reject"), now=at + timedelta(seconds=99), amend=True)
    AccessControl(store).assign("verify", ["bob", "zoe"])
    return store


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / f"{table}.parquet").to_pylist()
    return found


def test_every_version_is_there_with_its_times_and_the_newest_is_marked(said: ReviewStore, tmp_path: Path) -> None:
    export_everything(said, tmp_path / "out")
    rows = rows_of(tmp_path / "out", "annotations")
    assert len(rows) == 9
    changed = [row for row in rows if row["item_id"] == "item-2" and row["annotator"] == "zoe"]
    assert [(row["version"], row["decision"], row["is_newest"]) for row in changed] == [
        (1, "accept", False), (2, "reject", True),
    ]  # fmt: skip
    assert [row["seconds"] for row in changed] == [7.5, 99.0]
    assert {row["seconds"] for row in rows} == {7.5, 99.0}
    assert rows[0]["started_at"].isoformat() == "2026-03-01T12:00:00+00:00"
    assert json.loads(rows[0]["reasons"]) == ["unclear"]
    assert rows_of(tmp_path / "out", "tasks")[0]["payload"].startswith('{"kind":"yes_no"')
    assert rows_of(tmp_path / "out", "assignments") == [
        {"campaign": "verify", "annotator": "bob"}, {"campaign": "verify", "annotator": "zoe"},
    ]  # fmt: skip


@pytest.mark.slow
def test_what_is_on_record_beside_decisions_is_there_too(said: ReviewStore, now: datetime, tmp_path: Path) -> None:
    queue = TaskQueue(said, said.campaign("verify"), "zoe")
    task = said.tasks("verify", states=("done",))[0].id
    queue.remark(task, FORMULA, is_flag=True, now=now)
    queue.remark(task, "seen before", is_flag=False, now=now)
    said.settle_remark("verify", said.remarks("verify")[0].id, by="bob", now=now)
    Guidelines(said).set("verify", "Look **closely**.", ())
    mine = queue.open(task, now=now)
    queue.submit(mine.slot_id, Submission("accept", note="after all"), now=now + timedelta(hours=1))
    with said.writing() as connection:
        note_seen(connection, task, 3)
    export_everything(said, tmp_path / "out")
    flag, comment = sorted(rows_of(tmp_path / "out", "remarks"), key=lambda row: not row["is_flag"])
    assert (flag["annotator"], flag["words"], flag["settled_by"]) == ("zoe", FORMULA, "bob")
    assert (comment["words"], comment["settled_at"]) == ("seen before", None)
    assert rows_of(tmp_path / "out", "guidelines") == [
        {"campaign": "verify", "version": 1, "origin": "curator", "text": "Look **closely**."}
    ]
    [followed] = rows_of(tmp_path / "out", "followed")
    assert (followed["annotator"], followed["guidelines_version"]) == ("zoe", 1)
    [seen] = rows_of(tmp_path / "out", "seen")
    assert seen["item_id"] == flag["item_id"]
    log = rows_of(tmp_path / "out", "audit_log")
    assert log[-1]["hash"] == said.audited().head
    export_everything(said, tmp_path / "nobody", pseudonymous=True)
    written = b"".join(path.read_bytes() for path in (tmp_path / "nobody").glob("*.csv"))
    assert not any(name in written for name in (b"zoe", b"bob", b"amy"))


def test_both_formats_hold_the_same_and_the_manifest_their_hashes(said: ReviewStore, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_everything(said, out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert tuple(sorted(manifest["tables"])) == TABLES
    for name, entry in manifest["tables"].items():
        with (out / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
            cells = list(csv.DictReader(handle))
        rows = rows_of(out, name)
        assert len(cells) == len(rows) == entry["rows"]
        assert [list(one.values()).count("") for one in cells] == [
            sum(value is None or value == "" for value in row.values()) for row in rows
        ]
        for file, sha256 in entry["files"].items():
            assert hashlib.sha256((out / file).read_bytes()).hexdigest() == sha256


def test_the_same_store_gives_the_same_bytes(said: ReviewStore, tmp_path: Path) -> None:
    for name in ("one", "other"):
        export_everything(said, tmp_path / name, pseudonymous=True)
    one, other = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "other"))
    assert one == other
    assert len(one) == 2 * (len(TABLES) - 1) + 1, "the log names people, so it stays behind"


def test_pseudonyms_name_nobody_and_stay_when_others_come(said: ReviewStore, tmp_path: Path, now: datetime) -> None:
    export_everything(said, tmp_path / "before", pseudonymous=True)
    said.upsert_annotator("aaron")  # first by name, last to come
    export_everything(said, tmp_path / "after", pseudonymous=True)
    for folder in (tmp_path / "before", tmp_path / "after"):
        for path in folder.glob("*.csv"):
            assert not {"zoe", "bob", "amy", "aaron"} & set(
                path.read_text(encoding="utf-8").replace("\n", ",").split(",")
            )
    called = [
        {row["annotator"]: row["decisions"] for row in rows_of(tmp_path / name, "annotators")}
        for name in ("before", "after")
    ]
    assert called[0] == {"annotator-1": 4, "annotator-2": 4, "annotator-3": 0}
    assert called[1] == {**called[0], "annotator-4": 0}
    before, after = ((tmp_path / name / "annotations.csv").read_bytes() for name in ("before", "after"))
    assert before == after


def test_a_spreadsheet_runs_no_note(said: ReviewStore, tmp_path: Path) -> None:
    export_everything(said, tmp_path / "out", formats=("csv",))
    assert not list((tmp_path / "out").glob("*.parquet"))
    with (tmp_path / "out" / "annotations.csv").open(encoding="utf-8", newline="") as handle:
        notes = {row["note"] for row in csv.DictReader(handle)}
    assert notes == {"", f"'{FORMULA}"}


def test_agreement_is_that_of_the_ratings_and_undefined_is_empty(said: ReviewStore, tmp_path: Path) -> None:
    export_everything(said, tmp_path / "out")
    rows = rows_of(tmp_path / "out", "agreement")
    expected = agreement_of(
        [Rating(one.item_id, one.annotator, one.decision) for one in said.decisions("verify")],
        categories=("accept", "reject"),
    )
    whole = {row["statistic"]: row for row in rows if row["by"] == "all" and row["aspect"] == "decision"}
    assert whole["krippendorff_alpha"]["value"] == pytest.approx(expected.krippendorff_alpha, abs=1e-6)
    low, high = expected.ci["percent"] or (None, None)
    assert (whole["percent"]["ci_low"], whole["percent"]["ci_high"]) == pytest.approx((low, high), abs=1e-6)
    assert {row["by"] for row in rows} == {"all", "kind", "task", "category", "time", "round", "without"}
    alone = [row for row in rows if row["by"] == "without" and row["part"] == "zoe"]
    assert {row["value"] for row in alone} == {None}
    assert {row["metric"] for row in rows if row["aspect"] == "reasons"} == {"masi"}
    assert {row["outcome"]: row["tasks"] for row in rows_of(tmp_path / "out", "outcomes") if row["by"] == "all"} == {
        "accept": 1, "reject": 1, "no_agreement": 2, "begun": 0, "untouched": 0,
    }  # fmt: skip
    assert rows_of(tmp_path / "out", "reasons") == [
        {"campaign": "verify", "decision": "reject", "reason": "unclear", "times": 3}
    ]


def test_an_empty_store_has_all_tables_without_rows(store: ReviewStore, tmp_path: Path) -> None:
    written = export_everything(store, tmp_path / "out")
    assert {one.rows for one in written.tables.values()} == {0}
    assert pq.read_table(tmp_path / "out" / "agreement.parquet").column_names[0] == "campaign"


def test_a_folder_that_is_there_is_refused_and_nothing_is_left_of_what_fails(said: ReviewStore, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(BenchwrightError, match="exists; give another"):
        export_everything(said, out)
    with pytest.raises(BenchwrightError, match="no campaign 'other'"):
        export_everything(said, tmp_path / "new", campaigns=["other"])
    with pytest.raises(BenchwrightError, match="does not exist; make it"):
        export_everything(said, tmp_path / "nowhere" / "out")
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("review.sqlite")} == {"out"}
