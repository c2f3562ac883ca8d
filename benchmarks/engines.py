"""The cost of Ray on one machine: the same recipe with the local engine and with Ray, in turn, with equal workers.

Ray's cluster starts and ends within each run, as in `--engine ray` without an address. CPU seconds are sampled over the
whole process tree, because Ray's daemons and their workers have no waiting parent. The two workspaces' tables must have
the same bytes; `same_bytes` states whether they do.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import tempfile
import threading
from pathlib import Path
from typing import Any

from measuring import benchwright, cost_of, show, tree_of

RECIPE = "name: engines\nsteps: [exact_duplicates, near_duplicates]\n"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    rows: dict[str, list[dict[str, Any]]] = {"local": [], "ray": []}
    digests: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        recipe = Path(folder) / "engines.yaml"
        recipe.write_text(RECIPE, encoding="utf-8")
        for number in range(given.repeats):
            for engine, found in rows.items():
                workspace = Path(folder) / f"{engine}-{number}"
                run = benchwright(
                    "run", recipe, "--images", given.images, "--workspace", workspace,
                    "--engine", engine, "--workers", given.workers,
                )  # fmt: skip
                tree = _TreeCpu()
                found.append(cost_of(run).to_json() | {"cpu_s": tree.seconds(), "jobs_s": _job_seconds(workspace)})
                digests.add(_digest(workspace / "tables"))
    table = {
        name: {key: statistics.median(row[key] for row in found) for key in found[0]} for name, found in rows.items()
    }
    ratios = {
        key: round(table["ray"][key] / table["local"][key], 2) for key in ("wall_s", "cpu_s", "peak_mb", "jobs_s")
    }
    files = sum(path.is_file() for path in given.images.rglob("*"))
    document = {"files": files, "workers": given.workers, "median": table, "ratio ray to local": ratios}
    show(document | {"same_bytes": len(digests) == 1})


class _TreeCpu(threading.Thread):
    """CPU seconds of all processes below this one, while it runs."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = threading.Event()
        self._ticks: dict[int, int] = {}
        self.start()

    def run(self) -> None:
        while not self._ended.wait(0.1):
            for pid in tree_of(os.getpid()):
                if pid != os.getpid():
                    self._ticks[pid] = max(self._ticks.get(pid, 0), _ticks(pid))

    def seconds(self) -> float:
        self._ended.set()
        self.join()
        return round(sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK"), 2)


def _ticks(pid: int) -> int:
    """Return the ticks that a process itself has used; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def _job_seconds(workspace: Path) -> float:
    """Return the total seconds of jobs in their workers: the time without starting and placing."""
    logs = (workspace / "runs").glob("*/events.jsonl")
    events = [json.loads(line) for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    return round(sum(event["wall"] for event in events if event["event"] == "job"), 2)


def _digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(path.relative_to(folder).as_posix().encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


if __name__ == "__main__":
    main()
