"""Annotators of imported decisions (tables, Label Studio) are checked by gold items and paused as in the app."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.annotation.cli.agreement import annotators
from benchwright.annotation.cli.decision_import import import_
from benchwright.annotation.exchange.decision_file import import_decisions
from benchwright.annotation.exchange.task_file import export_tasks
from benchwright.annotation.forms.assignment_settings import SETTING, AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.label_studio.pulling import pull
from benchwright.annotation.label_studio.task_data import KEY, key_of
from benchwright.annotation.store.campaigns.set_asides import list_set_aside
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.audit import AUTOMATIC
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.gold import gold_tasks
from benchwright.annotation.workflow.pausing import cares_of
from benchwright.errors import BenchwrightError

from .label_studio_rows import NAMES, label

WORK, GOLD = 20, 10


@pytest.fixture
def campaign(store: ReviewStore) -> ReviewStore:
    """A campaign of twenty items and ten gold ones, half of which should be rejected."""
    settings = AssignmentSettings.model_validate({"gold_rate": 0.3}).to_json()
    store.upsert_campaign(
        "verify",
        kind="verify",
        rule="unanimous(2)",
        slots_per_task=2,
        form=CampaignForm(decisions=["accept", "reject"]),
        settings={SETTING: settings},
        seed=1,
    )
    store.upsert_tasks(
        "verify",
        [
            *(TaskInput(f"item-{n:03}", "content", {"task": "counting", "question": f"{n}?"}) for n in range(WORK)),
            *(
                TaskInput(f"item-{n:03}g", "content", {"task": "counting", "question": f"{n}!"}, gold="reject")
                for n in range(GOLD)
            ),
        ],
    )
    return store


def say(item: str, *, looks: bool) -> str:
    return "reject" if looks and item.endswith("g") else "accept"


def filled_in(store: ReviewStore, file: Path, **looks: bool) -> Path:
    """Export the tasks with gold among them, and let each annotator fill in all of them."""
    export_tasks(store, "verify", file.with_suffix(".empty.csv"), image_name=str, gold=True)
    with file.with_suffix(".empty.csv").open(encoding="utf-8", newline="") as empty:
        rows = list(csv.DictReader(empty))
    with file.open("w", encoding="utf-8", newline="") as full:
        writer = csv.DictWriter(full, list(rows[0]))
        writer.writeheader()
        for name, is_careful in looks.items():
            for row in rows:
                writer.writerow(row | {"annotator": name, "decision": say(row["item_id"], looks=is_careful)})
    return file


@pytest.mark.both_databases
def test_whoever_fills_a_table_in_without_looking_is_paused(
    campaign: ReviewStore, now: datetime, tmp_path: Path
) -> None:
    file = filled_in(campaign, tmp_path / "full.csv", ann=True, ben=False)
    done = import_decisions(campaign, "verify", file, now=now, new_annotators=True)
    assert (done.new, done.refused) == (2 * (WORK + GOLD), ())
    [(who, why)] = done.paused
    assert who == "ben"
    assert f"0 of {GOLD} gold items right" in why
    with campaign.reading() as connection:
        [aside] = list_set_aside(connection, campaign.campaign("verify"))
    assert (aside.annotator, aside.by, aside.votes, aside.is_in_force) == ("ben", AUTOMATIC, WORK, True)
    assert {one.annotator for one in campaign.decisions("verify")} == {"ann"}
    assert campaign.status("verify", now=now).tasks["open"] == WORK, "these tasks are asked again"
    careful = {care.rater: care for care in cares_of(campaign, campaign.campaign("verify"))}
    assert careful["ann"].known == GOLD
    assert careful["ann"].low > 0.6
    again = import_decisions(campaign, "verify", file, now=now, new_annotators=True)
    assert (again.new, again.paused) == (0, ())
    assert list(row_problems(campaign)) == []


def test_without_gold_in_it_a_table_pauses_nobody_and_a_campaign_without_it_says_so(
    campaign: ReviewStore, now: datetime, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.csv"
    assert export_tasks(campaign, "verify", plain, image_name=str) == WORK
    with plain.open(encoding="utf-8", newline="") as table:
        assert not [row for row in csv.DictReader(table) if row["item_id"].endswith("g")]
    campaign.upsert_campaign(
        "described",
        kind="describe",
        rule="majority(1)",
        slots_per_task=1,
        form=campaign.campaign("verify").form,
        settings={},
        seed=1,
    )
    with pytest.raises(BenchwrightError, match="--gold is for tables of decisions"):
        export_tasks(campaign, "described", tmp_path / "no.csv", image_name=str, gold=True)


def test_whoever_labels_in_label_studio_without_looking_is_paused(campaign: ReviewStore, now: datetime) -> None:
    settings = campaign.campaign("verify")
    ids = {name: user for user, name in NAMES.items()}
    rows = [
        {
            "id": number,
            "data": {KEY: key_of(task)},
            "annotations": [
                {
                    "id": 100 * number + ids[name], "completed_by": ids[name], "created_at": "2026-02-01T00:00:00Z",
                    "result": [label("decision", say(task.item_id, looks=name == "ann"))], "lead_time": 10,
                }
                for name in ("ann", "ben")
            ],
        }
        for number, task in enumerate([*campaign.tasks("verify"), *gold_tasks(campaign, settings)])
    ]  # fmt: skip
    done = pull(campaign, settings, rows, names=NAMES, now=now)
    assert (done.new, done.quarantined) == (2 * (WORK + GOLD), ())
    assert [who for who, _ in done.paused] == ["ben"]
    assert pull(campaign, settings, rows, names=NAMES, now=now).paused == ()


def test_the_command_and_the_list_of_annotators_tell_who_is_paused(campaign: ReviewStore, tmp_path: Path) -> None:
    file = filled_in(campaign, tmp_path / "full.csv", ann=True, ben=False)
    (tmp_path / "workspace.json").write_text("{}")
    place = ["--workspace", str(tmp_path), "--campaign", "verify", "--json"]
    done = CliRunner().invoke(import_, [str(file), "--new-annotators", *place], catch_exceptions=False)
    assert [each["annotator"] for each in json.loads(done.output)["paused"]] == ["ben"]
    listed = CliRunner().invoke(annotators, place, catch_exceptions=False)
    [row] = json.loads(listed.output)["set_aside"]
    assert (row["annotator"], row["by"], row["gold"]["answered"]) == ("ben", AUTOMATIC, GOLD)
