"""Results of whole jobs, stored as one JSON line per run with commit and machine, and shown next to the last run's."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "results" / "whole_jobs.jsonl"
"""The runs of this checkout, in their order; git ignores the folder."""

Result = Mapping[str, Any]


def result_of(jobs: Mapping[str, Any], failures: Mapping[str, str], *, size: str) -> Result:
    """Return the result of a run, with everything that it depends on."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
        },
        "load": os.getloadavg()[0],
        "size": size,
        "jobs": jobs,
        "failed": failures,
    }


def keep(result: Result) -> None:
    """Append a run to the stored ones."""
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(result) + "\n")


def last_ratios(size: str) -> dict[str, float]:
    """Return each job's ratio in the last run of a size that has one; seconds of other runs are not comparable."""
    if not FILE.exists():
        return {}
    runs = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    jobs = (pair for run in runs if run["size"] == size for pair in run["jobs"].items())
    return {name: job["ratio"] for name, job in jobs if job["ratio"] is not None}


def table(result: Result, last: Mapping[str, float]) -> str:
    """Return the run as lines: processor seconds, memory and bytes of each job and its peer."""
    head = ("job", "beside", "CPU s", "its", "ratio", "last", "peak MB", "its", "written MB", "its")
    rows = [head]
    for name, job in result["jobs"].items():
        ours, peer = job["ours"], job["peer"]
        rows.append(
            (
                name,
                job["beside"],
                f"{ours['cpu_s']:.1f}",
                f"{peer['cpu_s']:.1f}",
                "-" if job["ratio"] is None else f"{job['ratio']:.2f}",
                f"{last[name]:.2f}" if name in last else "-",
                f"{ours['peak_mb']:.0f}",
                f"{peer['peak_mb']:.0f}",
                f"{ours['written_mb']:.1f}",
                f"{peer['written_mb']:.1f}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
