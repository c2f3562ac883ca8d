"""The savings from pausing careless annotators: replayed decisions with planted careless, biased and colluding
annotators.

    .venv/bin/python benchmarks/annotator_care.py --tasks 300 --repeats 4

Each campaign `verify` under two of three votes has nine annotators, some of them planted: `careless` ones decide at
random by habit in 0.2 s, `biased` ones accept everything at an ordinary pace, `colluding` ones share one wrong answer
on each task. Careful annotators are right nine times in ten. All decide through the app's task queue, one after
another, with attention checks and gold at a twentieth of the tasks each, until every task has its votes. The same
annotators give the same answers once without bounds and once with the default bounds. The benchmark counts all votes,
including those on checks and gold, paused annotators by kind, and wrong items released, that is, faulty items that were
accepted.

Each run is released by the rule, which is the majority, and by Dawid and Skene's model (1979) on the same votes. `at
the same cost` gives the campaign with bounds as many votes as the one without; tasks still open then are not released.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchwright.annotation.agreement.dawid_skene import dawid_skene
from benchwright.annotation.agreement.ratings import Rating
from benchwright.annotation.forms.assignment_settings import SETTING, AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import ATTENTION
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue

START = datetime(2026, 3, 1, tzinfo=UTC)
PEOPLE, VOTES = 9, 3
KINDS = ("careful", "careless", "biased", "colluding")
SOUND = 0.75


class Planted(NamedTuple):
    """The truth of each task, and each annotator's decision and time.

    Args:
        truth: Right decision by item.
        said: Decision by person and item.
        seconds: Seconds of a decision, by person.
        kind: Kind of each person.
    """

    truth: dict[str, str]
    said: dict[tuple[str, str], str]
    seconds: dict[str, float]
    kind: dict[str, str]


def planted(tasks: int, bad: str, count: int, *, seed: int) -> Planted:
    """Return annotators, of whom `count` are of a bad kind, and their answers to tasks, gold items and checks."""
    rng = np.random.default_rng(seed)
    known = max(6, tasks // 20)
    items = [f"item-{n:04}" for n in range(tasks)] + [f"gold-{n:04}" for n in range(known)]
    truth = {item: "accept" if rng.random() < SOUND else "reject" for item in items}
    truth |= {f"check-{n:04}": "reject" for n in range(known)}
    kinds = [bad] * count + ["careful"] * (PEOPLE - count)
    kind = {f"person-{n}": kinds[n] for n in rng.permutation(PEOPLE)}
    shared = {item: "reject" if right == "accept" else "accept" for item, right in truth.items()}
    said, seconds = {}, {}
    for name, of in kind.items():
        seconds[name] = 0.2 if of == "careless" else float(rng.uniform(5, 20))
        for item, right in truth.items():
            is_right = rng.random() < (0.98 if item.startswith("check") else 0.9)
            own = right if is_right else shared[item]
            habit = "accept" if rng.random() < 0.8 else "reject"
            said[name, item] = {
                "careful": own, "careless": habit, "biased": "accept", "colluding": shared[item]
            }[of]  # fmt: skip
    return Planted(truth, said, seconds, kind)


def replayed(people: Planted, *, bounds: bool, most: int | None = None) -> dict[str, Any]:
    """Replay a campaign, and return its cost and releases; with `most`, after that many votes."""
    handout = {"gold_rate": 0.1, **({} if bounds else {"pause": None})}
    settings = AssignmentSettings.model_validate(handout).to_json()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(f"sqlite:///{Path(folder) / 'review.sqlite'}") as store,
    ):
        store.upsert_campaign(
            "verify", kind="verify", rule=f"at_least(2, of={VOTES})", slots_per_task=VOTES,
            form=CampaignForm(decisions=["accept", "reject"], reasons=["unclear"]), settings={SETTING: settings},
            seed=1,
        )  # fmt: skip
        store.upsert_tasks("verify", [_task(item, right) for item, right in people.truth.items()])
        for name in people.kind:
            store.upsert_annotator(name)
        given = _decide(store, people, most)
        return _figures(store, people, given)


def _task(item: str, right: str) -> TaskInput:
    task = ATTENTION if item.startswith("check") else "counting"
    payload = {"task": task, "question": item}
    return TaskInput(item, "content", payload, gold=None if item.startswith("item") else right)


def _decide(store: ReviewStore, people: Planted, most: int | None) -> int:
    """Let all annotators decide in turn until the queue is empty for each, and return the number of decisions."""
    queues = {name: TaskQueue(store, store.campaign("verify"), name) for name in people.kind}
    given, now = 0, START
    while queues and (most is None or given < most):
        for name, queue in [*queues.items()]:
            task = queue.next(now=now)
            if task is None:
                del queues[name]
                continue
            took = people.seconds[name]
            decision = people.said[name, task.item.question]
            reasons = ("unclear",) if decision == "reject" else ()
            now += timedelta(seconds=took)
            queue.submit(task.slot_id, Submission(decision, reasons=reasons, active_s=took), now=now)
            given += 1
    return given


def _figures(store: ReviewStore, people: Planted, given: int) -> dict[str, Any]:
    done = {task.item_id for task in store.tasks("verify", states=("done",))}
    votes: dict[str, list[tuple[str, str]]] = {}
    for annotation in store.decisions("verify"):
        if annotation.item_id in done:
            votes.setdefault(annotation.item_id, []).append((annotation.annotator, annotation.decision))
    by_rule = {item for item, said in votes.items() if Counter(decision for _, decision in said)["accept"] >= 2}
    model = dawid_skene([Rating(item, name, said) for item, each in votes.items() for name, said in each])
    likeliest = [model.labels[place] for place in model.truth.argmax(axis=1)]
    by_model = {item for item, label in zip(sorted(votes), likeliest, strict=True) if label == "accept"}
    paused = Counter(
        people.kind[name] for name in people.kind if TaskQueue(store, store.campaign("verify"), name).is_paused
    )
    sound = {item for item, right in people.truth.items() if right == "accept" and item.startswith("item")}
    return {
        "votes": given,
        "decided": len(done),
        "paused": dict(sorted(paused.items())),
        "released": len(by_rule),
        "wrong by the rule": len(by_rule - sound),
        "sound ones lost": len((sound & done) - by_rule),
        "wrong by Dawid and Skene": len(by_model - sound),
    }


def main() -> None:
    """Print one JSON document with the figures of each planting, summed over repeats."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    plantings = [("careful", 0), *((bad, 3) for bad in KINDS[1:])]
    document = {}
    for bad, count in plantings:
        sums: dict[str, Counter[str]] = {}
        for repeat in range(options.repeats):
            people = planted(options.tasks, bad, count, seed=options.seed + repeat)
            without = replayed(people, bounds=False)
            runs = {
                "without bounds": without,
                "with bounds": replayed(people, bounds=True),
                "with bounds, at the same cost": replayed(people, bounds=True, most=without["votes"]),
            }
            for name, figures in runs.items():
                flat = {f"paused {kind}": times for kind, times in figures.pop("paused").items()}
                sums.setdefault(name, Counter()).update({**figures, **flat})
        document[f"{count} of {PEOPLE} {bad}"] = {name: dict(each) for name, each in sums.items()}
    print(json.dumps({"tasks": options.tasks, "repeats": options.repeats, "people": document}, indent=2))


if __name__ == "__main__":
    main()
