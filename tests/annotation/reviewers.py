"""Processes that review at the same time as others; `test_many_reviewers.py` starts them.

    python reviewers.py open     URL NAME   open the store and register
    python reviewers.py decide   URL NAME   claim and submit until nothing is left
    python reviewers.py abandon  URL NAME   so too, on a clock of its own, and leave every third lease to expire
    python reviewers.py hold     URL NAME   claim one slot and wait to be killed
    python reviewers.py simulate URL BATCH  run simulated annotators; before each transaction say so and wait

Each says `ready`, waits for a line, works, and prints what it did as one line of JSON.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LEASE_S = 5.0


def register(store: ReviewStore, name: str) -> dict[str, object]:
    store.upsert_annotator(name)
    return {"name": name}


def decide(store: ReviewStore, name: str) -> dict[str, object]:
    done = []
    while (lease := store.claim("verify", name, now=NOW)) is not None:
        store.submit(lease.slot_id, name, Submission("accept"), now=NOW)
        done.append(lease.item_id)
    return {"done": done}


def abandon(store: ReviewStore, name: str) -> dict[str, object]:
    now, claims, done, lost = NOW, 0, [], 0
    while store.status("verify", now=now).tasks["open"]:
        now += timedelta(seconds=1)
        lease = store.claim("verify", name, now=now, lease_s=LEASE_S)
        if lease is None:
            now += timedelta(seconds=LEASE_S)  # whatever others hold by now has expired
            if _has_all(store, name):
                break
            continue
        claims += 1
        if claims % 3 == 0:
            now += timedelta(seconds=LEASE_S)
            continue
        try:
            store.submit(lease.slot_id, name, Submission("accept"), now=now)
            done.append(lease.item_id)
        except RefusedError:
            lost += 1
    return {"done": done, "lost": lost}


def _has_all(store: ReviewStore, name: str) -> bool:
    mine = {one.item_id for one in store.decisions("verify") if one.annotator == name}
    return all(task.item_id in mine for task in store.tasks("verify"))


def hold(store: ReviewStore, name: str) -> dict[str, object]:
    lease = store.claim("verify", name, now=NOW, lease_s=LEASE_S)
    print(json.dumps({"slot": lease.slot_id if lease else None}), flush=True)
    sys.stdin.readline()
    return {}


def simulated(store: ReviewStore, batch: str) -> dict[str, object]:
    # Imported here: the other roles start faster without NumPy.
    from benchwright.annotation.simulated.annotators import SimulatedAnnotators, simulate

    class Telling(ReviewStore):
        def batch(self, *, alone=True):  # type: ignore[no-untyped-def]
            if self._held is None:
                print("batch", flush=True)
                sys.stdin.readline()
            return super().batch(alone=alone)

    telling = Telling(store._engine, store.where)
    settings = SimulatedAnnotators(annotators=5, error_rate=0.3, reasons=("unclear", "wrong_answer"))
    return {"made": simulate(telling, "verify", settings, seed=11, stage="verify", batch=int(batch))}


def main(role: str, url: str, argument: str) -> None:
    work = {"open": register, "decide": decide, "abandon": abandon, "hold": hold, "simulate": simulated}[role]
    print("ready", flush=True)
    sys.stdin.readline()
    with open_store(url) as store:
        print(json.dumps(work(store, argument)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
