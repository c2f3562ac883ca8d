"""Many annotators at once: 50 of them, 10,000 items of 3 slots, in a file or on a PostgreSQL server.

Two parts over one campaign, which is counted afterwards:

1. *Through the running server*: annotators without a browser (`app_client.py`) sign in and decide over the app's own
   routes and websocket, each after a pause to think. Meanwhile, the server is killed with SIGKILL and restarted as
   often as requested, and some annotators leave while holding a task. A decision is acknowledged once its annotator has
   been shown the next task.
2. *Through the store*: the same annotators claim and submit as fast as they can, ten of them in each of five processes,
   until every slot is filled. Their clock is half an hour ahead, so that abandoned tasks return. There are no pauses
   to think: the rate is the store's maximum, and waits do not represent those of real annotators.

Counted at the end: slots filled twice, empty slots, slots given twice to one annotator, and acknowledged decisions that
are missing. Any of these sets the exit code to 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import timedelta
from http.client import HTTPException
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np
from app_client import AppClient
from killed_server import KilledServer
from large_campaign import CAMPAIGN, PASSWORD, add_people, fill, make_workspace, open_workspace_store
from measuring import show
from postgres import running_postgres
from websockets.exceptions import WebSocketException

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.app.serve import SWITCH_S
from benchwright.annotation.forms.assignment_settings import LEASE_S
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import Campaign
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.workspace.workspace import Workspace

IN_A_PROCESS = 10
Acknowledged = set[tuple[str, int]]
READY = "ready\n"
UNREACHABLE = (OSError, WebSocketException, HTTPException, TimeoutError)
"""Errors from a server killed in the middle of an answer."""


def main() -> None:
    """Measure and print."""
    given = _arguments()
    if given.worker is not None:
        _work_in_store(given.worker, given.names.split(","), until=given.seconds)
        return
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        if given.postgres:
            os.environ["BENCHWRIGHT_REVIEW_STORE"] = running.enter_context(running_postgres(durable=True))
        workspace = make_workspace(Path(folder), images=3, size_wh=(640, 480), slots=given.slots)
        names = [f"ann-{number:02}" for number in range(given.annotators)]
        with open_workspace_store(workspace) as store:
            fill(store, items=given.items, slots=given.slots)
            add_people(store, names)
        load = round(os.getloadavg()[0], 1)
        acknowledged: Acknowledged = set()
        document: dict[str, Any] = {
            "store": "postgresql" if given.postgres else "sqlite", "annotators": given.annotators,
            "items": given.items, "slots": given.slots,
        }  # fmt: skip
        if given.app_seconds:
            document["through_the_server"] = asyncio.run(_through_server(workspace, names, given, acknowledged))
        document["through_the_store"] = _through_store(Workspace(workspace).store_url, names, given.seconds)
        with open_workspace_store(workspace) as store:
            document["counted"] = counted = _count(store, given, acknowledged)
    document["load_1_min"] = {"before": load, "after": round(os.getloadavg()[0], 1)}
    show(document)
    sys.exit(any(counted[wrong] for wrong in ("over_filled", "left_over", "twice", "acknowledged_but_lost")))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--slots", type=int, default=3)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL server of its own instead of a file")
    parser.add_argument(
        "--app-seconds", type=float, default=120, help="how long the first part goes on; 0 leaves it out"
    )
    parser.add_argument("--think", type=float, default=8.0, help="mean seconds between two decisions of one annotator")
    parser.add_argument("--kills", type=int, default=10, help="how often the server is killed meanwhile")
    parser.add_argument("--leaving", type=int, default=5, help="annotators who leave with a task in their hands")
    parser.add_argument("--seconds", type=float, default=3600, help="at most so long the second part goes on")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--names", help=argparse.SUPPRESS)
    return parser.parse_args()


async def _through_server(
    workspace: Path, names: list[str], given: argparse.Namespace, acknowledged: Acknowledged
) -> dict[str, Any]:
    waits: list[float] = []
    first: list[float] = []
    with KilledServer(workspace) as server:
        until = time.monotonic() + given.app_seconds
        clients = [
            _annotate(
                AppClient(server.url, name, PASSWORD, campaign=CAMPAIGN), random.Random(place), think_s=given.think,
                until=until - (given.app_seconds / 2 if place < given.leaving else 0), waits=waits, first=first,
                acknowledged=acknowledged,
            )
            for place, name in enumerate(names)
        ]  # fmt: skip
        await asyncio.gather(*clients, server.kill_now_and_then(given.kills, seconds=given.app_seconds))
        cpu_s = server.cpu_s()
        claims, submits = server.times("claim"), server.times("submit")
    return {
        "seconds": given.app_seconds, "kills": given.kills, "decisions": len(waits), "think_s": given.think,
        "decisions_a_second": round(len(waits) / given.app_seconds, 1),
        "decision_to_next_task_s": _spread(waits), "page_opened_s": _spread(first),
        "claim_in_server_s": _spread(claims), "submit_in_server_s": _spread(submits),
        "server_cpu_ms_a_decision": round(1000 * cpu_s / max(1, len(waits)), 1),
    }  # fmt: skip


async def _annotate(
    client: AppClient, rng: random.Random, *, think_s: float, until: float, waits: list[float], first: list[float],
    acknowledged: Acknowledged,
) -> None:  # fmt: skip
    """Decide task after task until the time is up; return whenever the server does. The last task stays undecided."""
    await asyncio.sleep(rng.random() * think_s)
    seen = None
    while time.monotonic() < until:
        try:
            if seen is None:
                if (seen := await client.open()) is None:
                    return
                first.append(client.waited_s)
            await asyncio.sleep(rng.expovariate(1 / think_s))
            before, seen = seen, await client.accept(seen)
        except UNREACHABLE:
            seen = None
            await asyncio.sleep(0.2)
            continue
        acknowledged.add((client.name, before.slot))
        waits.append(client.waited_s)
    await client.close()


def _through_store(url: str, names: list[str], seconds: float) -> dict[str, Any]:
    script = [sys.executable, str(Path(__file__).resolve()), "--seconds", str(seconds), "--worker", url, "--names"]
    pipe, together = subprocess.PIPE, [names[at : at + IN_A_PROCESS] for at in range(0, len(names), IN_A_PROCESS)]
    workers = [subprocess.Popen([*script, ",".join(some)], stdin=pipe, stdout=pipe, text=True) for some in together]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == READY
    started = time.perf_counter()
    for worker in workers:  # all at once: starting interpreters occupy both cores
        assert worker.stdin is not None
        worker.stdin.write("begin\n")
        worker.stdin.flush()
    said = [json.loads(worker.communicate()[0]) for worker in workers]
    assert not any(worker.returncode for worker in workers)
    claims, submits = ([one for each in said for one in each[what]] for what in ("claims", "submits"))
    wall = time.perf_counter() - started
    return {
        "decisions": len(submits), "wall_s": round(wall, 1), "decisions_a_second": round(len(submits) / wall, 1),
        "claim_s": _spread(claims), "submit_s": _spread(submits),
    }  # fmt: skip


def _work_in_store(url: str, names: list[str], *, until: float) -> None:
    sys.setswitchinterval(SWITCH_S)  # as the server does
    claims: list[float] = []
    submits: list[float] = []
    with open_store(url) as store, ThreadPoolExecutor(len(names)) as threads:
        campaign = store.campaign(CAMPAIGN)
        print(READY, end="", flush=True)
        sys.stdin.readline()
        ends = time.monotonic() + until
        for one in [threads.submit(_decide_on, store, campaign, name, ends, claims, submits) for name in names]:
            one.result()
    print(json.dumps({"claims": claims, "submits": submits}))


def _decide_on(
    store: ReviewStore, campaign: Campaign, name: str, ends: float, claims: list[float], submits: list[float]
) -> None:
    while time.monotonic() < ends:
        now = clock() + timedelta(seconds=LEASE_S)
        started = time.perf_counter()
        lease = store.claim(campaign, name, now=now)
        if lease is None:
            return
        between = time.perf_counter()
        claims.append(between - started)
        store.submit(lease.slot_id, name, Submission("accept"), now=now)
        submits.append(time.perf_counter() - between)


def _count(store: ReviewStore, given: argparse.Namespace, acknowledged: Acknowledged) -> dict[str, int]:
    decisions = store.decisions(CAMPAIGN)
    by_item = Counter(one.item_id for one in decisions)
    said = Counter((one.item_id, one.annotator) for one in decisions)
    filled = _who_filled(store)
    return {
        "decisions": len(decisions),
        "over_filled": sum(count > given.slots for count in by_item.values()),
        "left_over": given.items * given.slots - len(decisions),
        "twice": sum(count > 1 for count in said.values()),
        "acknowledged": len(acknowledged),
        "acknowledged_but_lost": len(acknowledged - filled),
    }


def _who_filled(store: ReviewStore) -> Acknowledged:
    import sqlalchemy as sa

    from benchwright.annotation.store.database.schema import annotations_table, annotators, slots

    query = sa.select(annotators.c.name, slots.c.id).select_from(annotations_table.join(slots).join(annotators))
    with store.reading() as connection:
        return {(row.name, row.id) for row in connection.execute(query)}


def _spread(seconds: list[float]) -> dict[str, float] | None:
    if not seconds:
        return None
    at = np.quantile(seconds, [0.5, 0.95, 0.99, 1.0])
    return dict(zip(("median", "p95", "p99", "max"), (round(float(one), 4) for one in at), strict=True))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
