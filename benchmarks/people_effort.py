"""What people's decisions come to: tasks finished by begun ones first, and votes that a posterior spares.

    .venv/bin/python benchmarks/people_effort.py --seed 1

`hand_out`: simulated annotators, each with a pace of their own, decide in a real store, with begun tasks first and
without. Counted are the decisions until so many tasks are finished, and the tasks under way then.
"""

from __future__ import annotations

import argparse
import heapq
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from benchwright.annotation.forms import SETTING, AssignmentSettings, CampaignForm, Submission, TaskInput
from benchwright.annotation.store import ReviewStore, open_store

START = datetime(2026, 3, 1, tzinfo=UTC)
DECISIONS = ("accept", "reject")


@contextmanager
def campaign(
    settings: AssignmentSettings, *, tasks: int, votes: int, annotators: int, seed: int
) -> Iterator[ReviewStore]:
    """Yield a new store with one campaign `verify` under a majority of these votes, and these annotators."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(f"sqlite:///{Path(folder) / 'review.sqlite'}") as store,
    ):
        stated = settings.to_json()
        store.upsert_campaign(
            "verify",
            kind="verify",
            rule=f"at_least({votes // 2 + 1}, of={votes})",
            slots_per_task=votes,
            form=CampaignForm(decisions=DECISIONS),
            settings={SETTING: stated} if stated else {},
            seed=seed,
        )
        store.upsert_tasks("verify", [TaskInput(f"item-{number:05}", "content", {}) for number in range(tasks)])
        for number in range(annotators):
            store.upsert_annotator(f"person-{number}")
        yield store


def finished(*, begun_first: bool, tasks: int, votes: int, annotators: int, decisions: int, seed: int) -> list[Any]:
    """Return decisions, finished tasks and tasks under way, at a few moments of a simulated campaign."""
    rng = np.random.default_rng(seed)
    seconds = rng.uniform(10, 40, size=annotators)
    marks = {round(decisions * part) for part in (0.1, 0.25, 0.5, 1)}
    rows: list[Any] = []
    settings = AssignmentSettings(begun_first=begun_first)
    with campaign(settings, tasks=tasks, votes=votes, annotators=annotators, seed=seed) as store:
        # Everybody holds one task; whoever is done first submits and takes the next, as in the app.
        held = {number: store.claim("verify", f"person-{number}", now=START) for number in range(annotators)}
        ends = [(float(rng.exponential(seconds[number])), number) for number in range(annotators)]
        heapq.heapify(ends)
        for count in range(1, decisions + 1):
            moment, number = heapq.heappop(ends)
            now, lease = START + timedelta(seconds=moment), held[number]
            if lease is None:
                break
            store.submit(lease.slot_id, lease.annotator, Submission(DECISIONS[0]), now=now)
            held[number] = store.claim("verify", lease.annotator, now=now)
            heapq.heappush(ends, (moment + float(rng.exponential(seconds[number])), number))
            if count in marks:
                rows.append([count, *_states(store)])
    return rows


def _states(store: ReviewStore) -> tuple[int, int]:
    """Return how many tasks are finished, and how many have a decision and wait for others."""
    decided = {decision.item_id for decision in store.decisions("verify")}
    done = {task.item_id for task in store.tasks("verify", states=("done",))}
    return len(done), len(decided - done)


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--votes", type=int, default=3)
    parser.add_argument("--annotators", type=int, default=6)
    parser.add_argument("--decisions", type=int, default=400)
    options = vars(parser.parse_args())
    hand_out = {name: finished(begun_first=name == "begun_first", **options) for name in ("begun_first", "evenly")}
    document = {"settings": options, "hand_out": {"columns": ["decisions", "finished", "under_way"], **hand_out}}
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
