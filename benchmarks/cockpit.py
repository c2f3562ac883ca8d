"""A curator's controls on a large campaign: rules and sureness tried, the forecast, the adjudicator's queue.

    python benchmarks/cockpit.py [--decisions 100000] [--repeats 3] [--folder DIR]

Three annotators decide each task; 75 of 100 decisions accept, 20 reject and 5 propose edits. The seconds are medians
over the repeats; each is the time of a page after new decisions, because results are cached until more decisions
arrive.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.items.threshold_trial import FilterThreshold, MeasuredRecords, judged, try_threshold
from benchwright.annotation.progress.forecast import forecast_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.progress.rule_trial import changed_tasks, try_rules
from benchwright.annotation.progress.sureness_trial import try_sureness
from benchwright.annotation.store.database.schema import annotations_table, annotators, slots, tasks
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.settlement.rules import parse_rule
from benchwright.filters.quality.step import Quality
from benchwright.funnel import thresholds_of
from benchwright.workspace import stages_of

PEOPLE = [f"person-{number:02}" for number in range(20)]
START = datetime(2026, 3, 1, tzinfo=UTC)


def fill(store: ReviewStore, decisions: int) -> None:
    """Open a campaign and let annotators decide all of it except one task in ten."""
    form = CampaignForm(decisions=("accept", "reject", "revise"), reasons=("unclear",), rounds=1, edits=True)
    store.upsert_campaign("verify", kind="verify", rule="majority(3)", slots_per_task=3, settings={}, seed=1, form=form)
    payload = {"question": "Which one?", "task": "jigsaw", "kind": "yes_no"}
    store.upsert_tasks(
        "verify", [TaskInput(f"item-{n:06}", f"content-{n}", payload) for n in range(decisions * 10 // 27)]
    )
    for name in PEOPLE:
        store.upsert_annotator(name)
    rng = random.Random(1)
    with store.writing() as connection:
        ids = dict(connection.execute(sa.select(annotators.c.name, annotators.c.id)).all())
        rows = connection.execute(sa.select(slots.c.id, slots.c.task_id, slots.c.slot).order_by(slots.c.id)).all()
        filled, said = [], []
        for number, (slot_id, task_id, slot) in enumerate(rows):
            if task_id % 10 == 0:
                continue
            at = START + timedelta(days=12) * (number / len(rows))
            decision = rng.choices(["accept", "reject", "revise"], [75, 20, 5])[0]
            edits = json.dumps({"question": f"Which, {rng.randrange(3)}?"}) if decision == "revise" else None
            filled.append({"place": slot_id, "who": ids[PEOPLE[(task_id + slot) % len(PEOPLE)]], "at": at})
            said.append(
                {
                    "slot_id": slot_id, "version": 1, "decision": decision, "reasons": "[]", "edits": edits,
                    "started_at": at, "submitted_at": at, "active_s": rng.uniform(4, 20),
                }
            )  # fmt: skip
        values = {"annotator_id": sa.bindparam("who"), "submitted_at": sa.bindparam("at")}
        connection.execute(sa.update(slots).where(slots.c.id == sa.bindparam("place")).values(values), filled)
        connection.execute(sa.insert(annotations_table), said)
        connection.execute(sa.update(tasks).where(tasks.c.id % 10 != 0).values(state="done"))


def measured_images(images: int) -> MeasuredRecords:
    """Return plausible measurements of `quality` for this many images."""
    stage, rng = stages_of("quality", Quality())[0], np.random.default_rng(1)
    [threshold] = [known for known in thresholds_of(stage) if known.setting == "min_side_px"]
    columns: dict[str, object] = {"record_id": [f"{number:064x}" for number in range(images)]}
    for name, kind in stage.step.values.items():
        columns[name] = rng.integers(100, 2000, images) if kind == "int64" else 0.3 + 0.4 * rng.random(images)
    rows = pa.table(columns)
    values = rows.column("short_px").to_numpy().astype(np.float64)
    return MeasuredRecords(FilterThreshold(stage, threshold), rows, values, judged(stage.step, rows), None)  # type: ignore[arg-type] # a filter


def median_of(act: Callable[[], object], repeats: int) -> float:
    """Return the median seconds of an act."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - start)
    return round(statistics.median(seconds), 3)


def main() -> None:
    """Measure and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None, help="Where the store lies; default a temporary folder.")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=arguments.folder) as folder,
        open_store(f"sqlite:///{folder}/review.sqlite") as store,
    ):
        fill(store, arguments.decisions)
        campaign, now = store.campaign("verify"), START + timedelta(days=13)
        adjudicated = replace(campaign, rule="adjudicated(at_least(2, of=3))")
        store.upsert_annotator("judge")
        queue, images = AdjudicationQueue(store, adjudicated, "judge"), measured_images(arguments.decisions)
        case = queue.queue()[0].task_id
        acts: dict[str, Callable[[], object]] = {
            "stamp": Overview(store, campaign).stamp,
            "rules": lambda: try_rules(store, campaign),
            "items_that_change": lambda: changed_tasks(store, campaign, parse_rule("unanimous(2)")),
            "sureness": lambda: try_sureness(store, campaign),
            "forecast": lambda: forecast_of(store, campaign, now=now),
            "threshold": lambda: try_threshold(images, 300),
            "queue": queue.queue,
            "one_case": lambda: queue.queue(task=case),
        }
        seconds = {name: median_of(act, arguments.repeats) for name, act in acts.items()}
        decided = sum(Overview(store, campaign).days().values())
        print(json.dumps({"decisions": decided, "cases": len(queue.queue()), "seconds": seconds}, indent=2))


if __name__ == "__main__":
    main()
