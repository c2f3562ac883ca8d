"""Simultaneous reviews, in real processes: nothing over-filled, nothing lost, no annotator twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from benchwright.annotation.forms.assignment_settings import SETTING
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.simulated.annotators import SimulatedAnnotators, simulate
from benchwright.annotation.store.review_store import ReviewStore, open_store

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

SCRIPT = Path(__file__).with_name("reviewers.py")
ROOT = Path(__file__).resolve().parents[2]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(store_url: str) -> Iterator[Start]:
    """Return a starter of processes that are ready and wait for a line; all end with the test."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with ExitStack() as running:

        def started(role: str, argument: str, url: str = store_url) -> subprocess.Popen[str]:
            command = [sys.executable, "-W", "error", str(SCRIPT), role, url, argument]
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment,
            )
            running.enter_context(process)
            running.callback(process.kill)
            return process

        yield started


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def all_at_once(start: Start, role: str, names: list[str], **where: str) -> dict[str, dict[str, object]]:
    processes = {name: start(role, name, **where) for name in names}
    for process in processes.values():
        assert hear(process) == "ready"
    for process in processes.values():
        tell(process)
    said = {name: json.loads(hear(process)) for name, process in processes.items()}
    assert [process.wait() for process in processes.values()] == [0] * len(names)
    return said


def fill(
    store: ReviewStore, *, tasks: int, slots: int, names: list[str], is_simulated: bool = False, gold: int = 0,
    handout: dict[str, object] | None = None,
) -> None:  # fmt: skip
    store.upsert_campaign(
        "verify", kind="verify", rule=f"unanimous({slots})", slots_per_task=slots,
        form=CampaignForm(decisions=["accept", "reject"], reasons=["unclear", "wrong_answer"]),
        settings={SETTING: handout or {}} if not is_simulated else {}, seed=3, is_simulated=is_simulated,
    )  # fmt: skip
    work = [TaskInput(f"item-{n:03}", "content", {"answer": "A"}) for n in range(tasks)]
    work += [TaskInput(f"gold-{n:03}", "content", {"answer": "A"}, gold="accept") for n in range(gold)]
    store.upsert_tasks("verify", work)
    for name in names:
        store.upsert_annotator(name)


def check_every_slot_is_filled_once(store: ReviewStore, *, tasks: int, slots: int) -> Counter[str]:
    decisions = store.decisions("verify")
    assert Counter(one.item_id for one in decisions) == {f"item-{n:03}": slots for n in range(tasks)}
    assert len({(one.item_id, one.annotator) for one in decisions}) == tasks * slots
    return Counter(one.annotator for one in decisions)


@pytest.mark.parametrize("tasks", [40, pytest.param(100, marks=pytest.mark.thorough)])
def test_several_processes_fill_every_slot_once_with_gold_and_shares_as_set_and_leave_a_log_that_verifies(
    store: ReviewStore, start: Start, now: datetime, tasks: int
) -> None:
    names = [f"reviewer-{n}" for n in range(6)]
    shares = {"reviewer-0": 0.6, "reviewer-1": 0.05}
    fill(store, tasks=tasks, slots=3, names=names, gold=40, handout={"gold_rate": 0.25, "shares": shares, "share": 0.7})
    said = all_at_once(start, "decide", names)
    by_name = check_every_slot_is_filled_once(store, tasks=tasks, slots=3)
    assert store.status("verify", now=now).slots == {"free": 0, "leased": 0, "submitted": 3 * tasks}
    assert (by_name["reviewer-0"], by_name["reviewer-1"]) == (0.6 * tasks, 0.05 * tasks)
    assert max(by_name.values()) <= 0.7 * tasks
    for name in names:
        done = said[name]["done"]
        assert isinstance(done, list)
        assert len(set(done)) == len(done)
        gold = sum(one.startswith("gold") for one in done)
        assert abs(gold - len(done) * 0.25) <= 1
    assert (
        sum(one.right == one.decision for one in store.gold_answers("verify"))
        == sum(
            len(one["done"])
            for one in said.values()  # type: ignore[arg-type]
        )
        - 3 * tasks
    )
    audited = store.audited()
    assert (audited.broken, audited.decisions) == (None, 3 * tasks + len(store.gold_answers("verify")))


def test_leases_that_expire_while_others_work_leave_no_slot_lost_or_filled_twice(
    store: ReviewStore, start: Start
) -> None:
    names = [f"reviewer-{n}" for n in range(4)]
    fill(store, tasks=23, slots=2, names=names)
    said = all_at_once(start, "abandon", names)
    by_name = check_every_slot_is_filled_once(store, tasks=23, slots=2)
    assert {name: len(one["done"]) for name, one in said.items()} == {name: by_name[name] for name in names}  # type: ignore[arg-type]


def test_the_slot_of_a_killed_process_comes_back(store: ReviewStore, start: Start, now: datetime) -> None:
    fill(store, tasks=1, slots=1, names=["killed", "next"])
    process = start("hold", "killed")
    assert hear(process) == "ready"
    tell(process)
    slot = json.loads(hear(process))["slot"]
    process.kill()
    process.wait()
    start_of_lease = datetime(2026, 3, 1, tzinfo=now.tzinfo)
    assert store.claim("verify", "next", now=start_of_lease + timedelta(seconds=4.9)) is None
    lease = store.claim("verify", "next", now=start_of_lease + timedelta(seconds=5))
    assert lease is not None
    assert lease.slot_id == slot


def test_five_processes_that_open_a_new_store_at_once_make_one(
    store_url: str, tmp_path: Path, start: Start, now: datetime
) -> None:
    names = [f"reviewer-{n}" for n in range(5)]
    # A file of its own, or a schema of its own, that none of them finds there.
    url = f"sqlite:///{tmp_path / 'new.sqlite'}"
    if store_url.startswith("postgresql"):
        url = f"{store_url}?options=-csearch_path%3Dnew_one"
    assert all_at_once(start, "open", names, url=url) == {name: {"name": name} for name in names}
    with open_store(url) as store:
        fill(store, tasks=5, slots=1, names=[])
        assert all(store.claim("verify", name, now=now) for name in names)


def test_simulated_reviewers_killed_anywhere_and_started_again_say_the_same(
    store: ReviewStore, start: Start, tmp_path: Path
) -> None:
    settings = SimulatedAnnotators(annotators=5, error_rate=0.3, reasons=("unclear", "wrong_answer"))
    fill(store, tasks=17, slots=3, names=[], is_simulated=True)
    for transactions in (1, 3, 2, 4):
        process = start("simulate", "2")
        assert hear(process) == "ready"
        for _ in range(transactions):
            tell(process)
            assert hear(process) == "batch"
        tell(process)  # it works on the last transaction, or has just finished it, when it is killed
        process.kill()
        process.wait()
    made_before = len(store.decisions("verify"))
    assert 0 < made_before < 17 * 3
    assert simulate(store, "verify", settings, seed=11, stage="verify") == 17 * 3 - made_before
    with open_store(f"sqlite:///{tmp_path / 'undisturbed.sqlite'}") as undisturbed:
        fill(undisturbed, tasks=17, slots=3, names=[], is_simulated=True)
        simulate(undisturbed, "verify", settings, seed=11, stage="verify")
        assert store.decisions("verify") == undisturbed.decisions("verify")
