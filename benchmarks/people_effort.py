"""The yield of people's decisions: tasks finished if begun ones come first, and votes saved by a posterior.

    .venv/bin/python benchmarks/people_effort.py --seed 1 --data DIR

`hand_out`: simulated annotators, each with an individual pace, decide in a real store, with begun tasks first and
without. The benchmark counts the decisions until a number of tasks are finished, and the tasks under way then.

`further_votes`: the same decisions are replayed through the app's task queue under fixed votes, under `close_decided`,
and with further votes only if the posterior is unsure. The benchmark counts votes per task, and the share of tasks
whose outcome under the rule differs from the truth. Simulated annotators are right at individual rates; on a tenth of
the tasks, the hard ones, all are right three times in five, which breaks the model's assumption that they err
independently. With `--data`, four models' yes/no answers in MVP-Bench (`mvp_bench`) are replayed too, against its key:
real answers, whose errors are correlated.

`cost` (with `--cost TASKS`): half of the tasks get two decisions each, written directly to the store. Then the first
estimate is computed from all of these, and 2,100 further decisions arrive through the queue, after which another
estimate is due.
"""

from __future__ import annotations

import argparse
import gzip
import heapq
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from benchwright.annotation.forms.assignment_settings import SETTING, AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.settlement.closing import close_early
from benchwright.annotation.workflow.settlement.further_votes import estimate_anew
from benchwright.annotation.workflow.settlement.rounds import votes_in
from benchwright.annotation.workflow.settlement.settle import policy_of, settle
from benchwright.annotation.workflow.task_queue import TaskQueue

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


def finished(
    *, begun_first: bool, tasks: int, votes: int, annotators: int, decisions: int, seed: int
) -> dict[str, list[tuple[int, ...]]]:
    """Return decisions, finished tasks and tasks under way at a few moments, and decisions until some are finished."""
    rng = np.random.default_rng(seed)
    seconds = rng.uniform(10, 40, size=annotators)
    marks = {round(decisions * part) for part in (0.1, 0.25, 0.5, 1)}
    rows, until = list[tuple[int, ...]](), list[tuple[int, ...]]()
    wanted = [10, 25, 50, 100, 200]
    settings = AssignmentSettings(begun_first=begun_first)
    with campaign(settings, tasks=tasks, votes=votes, annotators=annotators, seed=seed) as store:
        # Every annotator holds one task; a finished one submits and takes the next, as in the app.
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
                rows.append((count, *_states(store)))
            if wanted and len(store.tasks("verify", states=("done",))) >= wanted[0]:
                until.append((wanted.pop(0), count))
    return {"decisions, finished, under way": rows, "finished, after decisions": until}


def _states(store: ReviewStore) -> tuple[int, int]:
    """Return the number of finished tasks, and of tasks with a decision that wait for others."""
    decided = {decision.item_id for decision in store.decisions("verify")}
    done = {task.item_id for task in store.tasks("verify", states=("done",))}
    return len(done), len(decided - done)


class Replay(NamedTuple):
    """Decisions to replay: each annotator's for each task, and the truth."""

    name: str
    decisions: np.ndarray[Any, np.dtype[np.int64]]
    """(tasks, annotators) number of the decision."""
    truth: np.ndarray[Any, np.dtype[np.int64]]


def simulated(name: str, accuracies: list[float], *, tasks: int, hard: float, seed: int) -> Replay:
    """Return decisions of annotators with these accuracies, and 0.6 on a share of hard tasks."""
    rng = np.random.default_rng([seed, len(name)])
    truth = (rng.random(tasks) >= 0.7).astype(np.int64)
    rates = np.where(rng.random((tasks, 1)) < hard, 0.6, np.array(accuracies)[None, :])
    is_right = rng.random((tasks, len(accuracies))) < rates
    return Replay(name, np.where(is_right, truth[:, None], 1 - truth[:, None]), truth)


def published(folder: Path, *, tasks: int, seed: int) -> Replay:
    """Return four models' answers to yes/no questions of MVP-Bench; any other answer counts as no."""
    columns, key = [], {}
    for path in sorted((folder / "mvp_bench" / "model_prediction").glob("*_evaluated.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            records = {record["question_id"]: record for record in map(json.loads, lines)}
        records = {number: record for number, record in records.items() if record["type"].startswith("y/n")}
        key = {number: record["answer"] for number, record in records.items()}
        columns.append({
            number: str(record["extracted (GPT)"] or record["extracted (rule)"]).lower()
            for number, record in records.items()
        })  # fmt: skip
    chosen = np.random.default_rng(seed).permutation(sorted(key))[:tasks]
    decided = [[int(column[number] != "yes") for column in columns] for number in chosen.tolist()]
    return Replay("models on MVP-Bench", np.array(decided), np.array([int(key[number] != "yes") for number in chosen]))


def replayed(replay: Replay, settings: AssignmentSettings, *, votes: int, seed: int) -> Mapping[str, float]:
    """Return votes per task, error and times if these decisions come in through the app's task queue."""
    tasks, annotators = replay.decisions.shape
    rng, took, misses = np.random.default_rng(seed), [], 0
    with campaign(settings, tasks=tasks, votes=votes, annotators=annotators, seed=seed) as store:
        opened = store.campaign("verify")
        queues = [TaskQueue(store, opened, f"person-{number}") for number in range(annotators)]
        ids = {task.id: int(task.item_id.removeprefix("item-")) for task in store.tasks("verify")}
        left, count = list(range(annotators)), 0
        while left:
            number = int(rng.choice(left))
            now = START + timedelta(seconds=count)
            lease = store.claim(opened, f"person-{number}", now=now)
            if lease is None:
                left.remove(number)
                continue
            decision = DECISIONS[replay.decisions[ids[lease.task_id], number]]
            begun = time.perf_counter()
            queues[number].submit(lease.slot_id, Submission(decision), now=now)
            took.append(time.perf_counter() - begun)
            count += 1
        close_early(store, opened)
        policy, by_item = policy_of(opened), dict[str, list[Any]]()
        for annotation in store.decisions("verify"):
            by_item.setdefault(annotation.item_id, []).append(annotation)
        for item_id, annotations in by_item.items():
            outcome = settle(policy, votes_in(policy, annotations, is_closed=True))
            misses += outcome != DECISIONS[replay.truth[int(item_id.removeprefix("item-"))]]
        sure = Overview(store, opened).closed_sure().tasks
        open_left = Counter(task.state for task in store.tasks("verify", states=("open",)))["open"]
    return {
        "votes_per_task": round(count / tasks, 3),
        "error": round(misses / tasks, 4),
        "closed_sure": sure,
        "left_open": open_left,
        "submit_ms_median": round(float(np.median(took)) * 1000, 1),
        "submit_ms_p99": round(float(np.quantile(took, 0.99)) * 1000, 1),
        "submit_ms_longest": round(max(took) * 1000, 1),
    }


def further_votes(replays: list[Replay], *, votes: int) -> dict[str, dict[str, Any]]:
    """Return the result of each way of asking, over replays of the same name, which differ in their seed."""
    ways: dict[str, tuple[int, AssignmentSettings]] = {
        f"fixed {votes}": (votes, AssignmentSettings()),
        f"fixed {votes - 2}": (votes - 2, AssignmentSettings()),
        "close_decided": (votes, AssignmentSettings(close_decided=True)),
    }
    for closes in (False, True):
        for until in (0.9, 0.95):
            stated = {"further_votes": {"first": 2, "until": until}, "close_decided": closes}
            ways[f"further_votes {until}{' + close' * closes}"] = votes, AssignmentSettings.model_validate(stated)
    return {
        called: {
            name: over([replayed(replay, settings, votes=most, seed=number) for number, replay in enumerate(alike)])
            for name, (most, settings) in ways.items()
            if most <= alike[0].decisions.shape[1]
        }
        for called in dict.fromkeys(replay.name for replay in replays)
        for alike in [[replay for replay in replays if replay.name == called]]
    }


def over(runs: list[Mapping[str, float]]) -> dict[str, float]:
    """Return the means of figures over runs; for the longest time, the maximum."""
    means = {name: round(float(np.mean([run[name] for run in runs])), 4) for name in runs[0]}
    return {**means, "submit_ms_longest": max(run["submit_ms_longest"] for run in runs)}


_FILL = (
    "UPDATE slots SET annotator_id = 1 + (task_id * 7 + slot * 3) % 20, claimed_at = :now, submitted_at = :now "
    "WHERE slot <= 2 AND task_id <= :most",
    "INSERT INTO annotations (slot_id, version, decision, reasons, started_at, submitted_at) SELECT id, 1, "
    "CASE WHEN (task_id * 31 + slot * 17) % 100 < 8 THEN 'reject' ELSE 'accept' END, '[]', claimed_at, submitted_at "
    "FROM slots WHERE submitted_at IS NOT NULL",
)


def cost(tasks: int, *, seed: int) -> dict[str, float]:
    """Return the seconds and milliseconds for sparing votes in a large campaign with half under way."""
    settings = AssignmentSettings.model_validate({"further_votes": {"first": 2}})
    with campaign(settings, tasks=tasks, votes=5, annotators=20, seed=seed) as store:
        opened = store.campaign("verify")
        with store.writing() as connection:
            for statement in _FILL:
                moment = START.replace(tzinfo=None).isoformat(" ", "microseconds")
                connection.execute(sa.text(statement), {"now": moment, "most": tasks // 2})
        begun = time.perf_counter()
        estimate_anew(store, opened)
        first_s, took = time.perf_counter() - begun, []
        under_way = sum(task.state == "open" for task in store.tasks("verify")) - tasks // 2
        queues = [TaskQueue(store, opened, f"person-{number}") for number in range(20)]
        for count in range(2100):
            lease = store.claim(opened, f"person-{count % 20}", now=START)
            if lease is None:
                break
            begun = time.perf_counter()
            queues[count % 20].submit(lease.slot_id, Submission(DECISIONS[0]), now=START)
            took.append(time.perf_counter() - begun)
    return {
        "first_estimate_s": round(first_s, 2),
        "under_way": under_way,
        "submit_ms_median": round(float(np.median(took)) * 1000, 1),
        "submit_ms_p99": round(float(np.quantile(took, 0.99)) * 1000, 1),
        "submit_with_an_estimate_ms": round(max(took) * 1000, 1),
    }


def table(results: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return the results as a table for readers."""
    lines = [f"{'decisions of':<24}{'asked':<28}{'votes a task':>12}{'error':>9}{'saved':>9}"]
    for name, ways in results.items():
        most = max(figures["votes_per_task"] for figures in ways.values())
        for way, figures in ways.items():
            saved = 1 - figures["votes_per_task"] / most
            lines.append(f"{name:<24}{way:<28}{figures['votes_per_task']:>12.2f}{figures['error']:>9.3f}{saved:>9.0%}")
    return "\n".join(lines)


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--votes", type=int, default=3, help="of each task, in hand_out")
    parser.add_argument("--annotators", type=int, default=6, help="in hand_out")
    parser.add_argument("--decisions", type=int, default=800, help="in hand_out")
    parser.add_argument("--only-hand-out", action="store_true", help="leave further_votes out")
    parser.add_argument("--most", type=int, default=5, help="votes of each task, in further_votes")
    parser.add_argument("--repeats", type=int, default=1, help="seeds to average over, in further_votes")
    parser.add_argument("--data", type=Path, help="folder with mvp_bench")
    parser.add_argument("--cost", type=int, metavar="TASKS", help="measure this instead, in a campaign of so many")
    chosen = parser.parse_args()
    if chosen.cost is not None:
        print(json.dumps({"cost": {"tasks": chosen.cost, **cost(chosen.cost, seed=chosen.seed)}}, indent=1))
        return
    names = ("seed", "tasks", "votes", "annotators", "decisions")
    options = {name: getattr(chosen, name) for name in names}
    hand_out = {name: finished(begun_first=name == "begun_first", **options) for name in ("begun_first", "evenly")}
    if chosen.only_hand_out:
        print(json.dumps({"settings": options, "hand_out": hand_out}))
        return
    sets = {
        "alike": ([0.9] * 8, 0.0),
        "unlike": ([0.95, 0.95, 0.9, 0.9, 0.85, 0.8, 0.7, 0.6], 0.0),
        "unlike, a tenth hard": ([0.95, 0.95, 0.9, 0.9, 0.85, 0.8, 0.7, 0.6], 0.1),
    }
    replays = [
        simulated(name, rates, tasks=chosen.tasks, hard=hard, seed=chosen.seed + repeat)
        for name, (rates, hard) in sets.items()
        for repeat in range(chosen.repeats)
    ]
    results = further_votes(replays, votes=chosen.most)
    if chosen.data is not None:
        answers = [
            published(chosen.data, tasks=chosen.tasks, seed=chosen.seed + repeat) for repeat in range(chosen.repeats)
        ]
        results |= further_votes(answers, votes=3)
    print(table(results), file=sys.stderr)
    document = {
        "settings": {**options, "most": chosen.most, "repeats": chosen.repeats},
        "hand_out": hand_out,
        "further_votes": results,
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
