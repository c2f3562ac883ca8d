"""Kill a run at random moments and check the result: same bytes, and only work in flight is repeated.

Runs a recipe over a folder of images undisturbed, then again with SIGKILL to the whole process group at random moments
until `--kills` kills have succeeded, then with single workers killed, then with 1, 2 and 4 workers, and another locale,
time zone and hash seed. Compares every byte of tables, objects, releases and results.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from measuring import benchwright, show
from walks import executions, tree_digest, workers_of

DEMO = Path(__file__).resolve().parent.parent / "benchwright" / "recipes" / "perception.yaml"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--recipe", type=Path, default=DEMO)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--worker-kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        show(_measure(given, rng, Path(folder)))


def _measure(given: argparse.Namespace, rng: random.Random, folder: Path) -> dict[str, Any]:
    def run(name: str, *more: str, env: dict[str, str] | None = None) -> float:
        started = time.perf_counter()
        subprocess.run(_command(given, folder / name, *more), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})})  # fmt: skip
        return time.perf_counter() - started

    calm_s = run("calm", "--workers", "2")
    calm = tree_digest(folder / "calm")
    calm_executions = executions(folder / "calm")
    kills = _killed_runs(given, rng, folder / "killed", calm_s)
    run("killed", "--workers", "2")
    worker_kills = _killed_workers(given, rng, folder / "workers", calm_s)
    found: dict[str, Any] = {
        "files_compared": len(calm),
        "undisturbed_s": round(calm_s, 1),
        "shard_executions": calm_executions,
        "killed": {
            "kills": kills,
            "same_bytes": tree_digest(folder / "killed") == calm,
            "shard_executions": executions(folder / "killed"),
        },
        "workers_killed": {"kills": worker_kills, "same_bytes": tree_digest(folder / "workers") == calm},
    }
    for name, more, env in (
        ("1 worker", ("--workers", "1"), {}),
        ("4 workers", ("--workers", "4"), {}),
        ("other locale, zone, hash seed", (), {"LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "99"}),
    ):
        run(name, *more, env=env)
        found[name] = {"same_bytes": tree_digest(folder / name) == calm}
    return found


def _command(given: argparse.Namespace, workspace: Path, *more: str) -> list[str]:
    return benchwright("run", given.recipe, "--images", given.images, "--workspace", workspace, *more)


def _killed_runs(given: argparse.Namespace, rng: random.Random, workspace: Path, calm_s: float) -> int:
    kills = 0
    while kills < given.kills:
        process = subprocess.Popen(
            _command(given, workspace, "--workers", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(timeout=rng.uniform(0.2, max(2.0, 2.5 * calm_s / given.kills)))
            break  # done before this kill
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
    return kills


def _killed_workers(given: argparse.Namespace, rng: random.Random, workspace: Path, calm_s: float) -> int:
    process = subprocess.Popen(
        _command(given, workspace, "--workers", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    kills = 0
    while process.poll() is None and kills < given.worker_kills:
        time.sleep(rng.uniform(0.3, max(0.6, calm_s / given.worker_kills)))
        workers = workers_of(process.pid)
        if workers:
            os.kill(rng.choice(workers), signal.SIGKILL)
            kills += 1
    if process.wait() != 0:
        raise SystemExit(f"a run whose workers were killed ended with {process.returncode}")
    return kills


if __name__ == "__main__":
    main()
