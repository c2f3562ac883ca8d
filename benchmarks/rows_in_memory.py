"""Memory of jobs over all items: the curator's index, a campaign's tasks, decisions and verdicts, and the report.

Rows are generated, without pictures. Each job runs in a separate process over a folder that is made once; the output
states the process's peak memory, and its memory before the job began.

    .venv/bin/python benchmarks/rows_in_memory.py --folder DIR --items 3000 30000 300000
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import item_index
import scoring
from measuring import benchwright, cost_of, peak_mb, show

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.items.index_file import FILE_NAME
from benchwright.annotation.items.item_index import ItemIndex
from benchwright.annotation.store.review_store import open_store
from benchwright.steps import CampaignContext
from benchwright.workspace.workspace import Workspace

CAMPAIGN = "verify"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where workspaces and releases are made, and kept")
    parser.add_argument("--items", type=int, nargs="+", default=[3_000, 30_000, 300_000])
    parser.add_argument("--jobs", nargs="+", choices=[*JOBS, "report"], default=[*JOBS, "report"])
    parser.add_argument("--prepare", choices=JOBS, help=argparse.SUPPRESS)
    parser.add_argument("--measure", choices=JOBS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.prepare is not None:
        JOBS[given.prepare][0](given.folder, given.items[0])
        return
    if given.measure is not None:
        print(json.dumps(measured(given.measure, given.folder, given.items[0])))
        return
    rows = [row for job in given.jobs for row in _rows(job, given.folder, given.items)]
    show({"rows": rows})


def _rows(job: str, folder: Path, sizes: list[int]) -> Iterator[dict[str, Any]]:
    before: dict[str, Any] | None = None
    for size in sizes:
        place = folder / f"{'report' if job == 'report' else 'rows'}-{size}"
        place.mkdir(parents=True, exist_ok=True)
        if job == "report":
            row = _report(place, size)
        else:
            command = [sys.executable, __file__, "--folder", str(place), "--items", str(size)]
            subprocess.run([*command, "--prepare", job], check=True)
            told = subprocess.run([*command, "--measure", job], check=True, stdout=subprocess.PIPE, text=True)
            row = json.loads(told.stdout)
        row = {"job": job, "items": size, **row}
        if before is not None:
            row["bytes_an_item"] = round((row["peak_mb"] - before["peak_mb"]) * 2**20 / (size - before["items"]))
        print(row, file=sys.stderr, flush=True)
        before = row
        yield row


def measured(job: str, folder: Path, items: int) -> dict[str, Any]:
    """Do a job over a folder, and return its cost."""
    before, cpu, began = peak_mb(), time.process_time(), time.perf_counter()
    said = JOBS[job][1](folder, items)
    return {
        "cpu_s": round(time.process_time() - cpu, 2),
        "wall_s": round(time.perf_counter() - began, 2),
        "before_mb": round(before, 1),
        "peak_mb": round(peak_mb(), 1),
        "said": said[:60],
    }


def _index(folder: Path, items: int) -> str:
    """Build the curator's index of all items."""
    del items
    (folder / "cache" / FILE_NAME).unlink(missing_ok=True)
    with open_store(Workspace(folder).store_url) as store:
        return f"{ItemIndex(folder, store).refresh().records} records"


def _advance(folder: Path, items: int) -> str:
    """Update a campaign with its items, as a run does, and return the waiting number or the number of verdicts."""
    space = Workspace(folder / CAMPAIGN)
    context = CampaignContext(5, CAMPAIGN, space.root, space.store_url, {}, {})
    step = Verify(rule=f"majority({item_index.SLOTS})", rounds=1)
    made = (item_index.item_of(item_index.image_of(number)) for number in range(items))
    verdicts = step.advance(made, context)
    return verdicts.waiting or f"{len(verdicts.outcomes)} verdicts"


def _with_rows(folder: Path, items: int) -> None:
    if not (folder / "workspace.json").exists():
        item_index.make_tables(folder, items)
        with open_store(Workspace(folder).store_url) as store:
            item_index.fill(store, items)


def _begun(folder: Path, items: int) -> None:
    del items
    shutil.rmtree(folder / CAMPAIGN, ignore_errors=True)
    Workspace.create(folder / CAMPAIGN)


def _decided(folder: Path, items: int) -> None:
    del items
    with open_store(Workspace(folder / CAMPAIGN).store_url) as store:
        item_index.decide(store, store.campaign(CAMPAIGN))


def _as_it_is(folder: Path, items: int) -> None:
    del folder, items


def _report(folder: Path, items: int) -> dict[str, Any]:
    """Return the cost of a report of one model over a release, for all its processes together."""
    release, results = folder / "release", folder / "results"
    if not results.exists():
        scoring.write(release, items)
        said = scoring.predictions(folder / "letters.jsonl", release, "letters")
        cost_of(benchwright("evaluate", "score", release, said, "--out", results, "--json"))
    page = folder / "report.html"
    page.unlink(missing_ok=True)
    cost = cost_of(benchwright("evaluate", "report", results, "--release", release, "--out", page))
    return {name: round(getattr(cost, name), 1) for name in ("cpu_s", "wall_s", "peak_mb")}


JOBS: dict[str, tuple[Callable[[Path, int], None], Callable[[Path, int], str]]] = {
    "index": (_with_rows, _index),
    "open": (_begun, _advance),
    "again": (_as_it_is, _advance),
    "close": (_decided, _advance),
}
"""The preparation of each job, in a separate process, and the job. `again` and `close` continue where `open` ended."""


if __name__ == "__main__":
    main()
