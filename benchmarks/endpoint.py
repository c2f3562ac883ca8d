"""Asking an endpoint: our backend, a bare loop over the `openai` client, and inspect_ai, in one run.

A stub on the loopback answers after `--latency-ms`; `--in-flight` requests run at a time. Each side runs in a separate
process, on the same items, `--rounds` times in turn; the median is reported. Every item has its own picture, and every
side reads it from its file. `ours` is the backend alone, with its log; `run` is the whole command on a release, with
its start, checks and predictions. With `--faults`, a stub that fails one request in five is also used, and the command
is killed repeatedly.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np
from asking_peers import PEERS
from measuring import benchwright, show
from servers import serving

from benchwright.canonical import bytes_digest, digest
from benchwright.images.decode import encode_png
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation
from benchwright.release import write_release

TESTS = Path(__file__).resolve().parent.parent / "tests"
OPERATION = Operation(step="endpoint", version=1, parameters={}, seed=1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=640)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--inspect-python", type=Path, help="a Python that has inspect_ai and openai")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--kills", type=int, default=10)
    given = parser.parse_args()
    found: dict[str, Any] = {"load_before": os.getloadavg()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kilobytes in (20, 500):
            found[f"{kilobytes} kB"] = _compared(given, folder / str(kilobytes), kilobytes)
        if given.faults:
            found["faults"] = _faulty(given, folder)
    show({**found, "load_after": os.getloadavg()})


def stub(folder: Path, latency_ms: float, *more: str) -> Any:
    """Return a context with the stub, ready."""
    program = [sys.executable, str(TESTS / "stub_endpoint.py"), "--latency-ms", str(latency_ms), *more]
    return serving(lambda port: [*program, "--port", str(port)], log=folder / "stub.log", health="/health")


def _compared(given: argparse.Namespace, folder: Path, kilobytes: int) -> dict[str, Any]:
    folder.mkdir()
    release = make_release(folder, given.items, kilobytes * 1000)
    sides: dict[str, list[dict[str, float]]] = {}
    with stub(folder, given.latency_ms) as server:
        url = f"{server.url}/v1"
        pythons = {"ours": sys.executable, "bare": sys.executable}
        if given.inspect_python:
            pythons["inspect_ai"] = str(given.inspect_python)
        for number in range(given.rounds):
            for side, python in pythons.items():
                if side != "inspect_ai" or number == 0:
                    sides.setdefault(side, []).append(_peer(python, side, folder, url, given.in_flight))
            out = folder / f"out{number}"
            started = time.perf_counter()
            _command(release, url, out, "--concurrency", str(given.in_flight))
            sides.setdefault("run", []).append({"wall_s": time.perf_counter() - started})
    wall = {side: statistics.median(one["wall_s"] for one in runs) for side, runs in sides.items()}
    cpu = {
        side: statistics.median(one["cpu_s"] for one in runs) / given.items * 1000
        for side, runs in sides.items() if side != "run"
    }  # fmt: skip
    return {
        "wall_s": _rounded(wall),
        "cpu_ms_per_request": _rounded(cpu),
        "peak_mb": _rounded(
            {side: max(one["peak_mb"] for one in runs) for side, runs in sides.items() if side != "run"}
        ),
        "time_beside_the_bare_client": round(wall["ours"] / wall["bare"], 3),
        "rate_beside_inspect_ai": round(wall["inspect_ai"] / wall["ours"], 1) if "inspect_ai" in wall else None,
    }


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def _peer(python: str, side: str, folder: Path, url: str, in_flight: int) -> dict[str, float]:
    program = [python, str(PEERS), side, str(folder / "items.jsonl"), url, str(in_flight)]
    done = subprocess.run(program, check=True, capture_output=True, text=True, cwd=folder)
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def _command(release: Path, url: str, out: Path, *more: str) -> None:
    words = benchwright("evaluate", "run", release, "--model", "openai:stub", "--base-url", url, "--out", out, *more)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_release(folder: Path, items: int, picture_bytes: int) -> Path:
    """Write a release of items with a picture of about this many bytes of PNG each, and their list for the peers."""
    rng = np.random.default_rng(1)
    side = max(8, int((picture_bytes / 3) ** 0.5))
    rows, files, records = [], {}, {}
    (folder / "pictures").mkdir()
    with (folder / "items.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(items):
            data = encode_png(rng.integers(0, 256, (side, side, 3), dtype=np.uint8))
            image_id = bytes_digest(data)
            files[image_id] = data
            records[image_id] = ImageRecord(
                image_id=image_id, width=side, height=side, media_type="image/png", size_bytes=len(data),
                root_image_id=image_id,
            )  # fmt: skip
            question = f"Question {number}: what is shown?"
            rows.append(_item(number, question, image_id))
            path = folder / "pictures" / f"{image_id}.png"
            path.write_bytes(data)
            lines.write(json.dumps({"id": rows[-1].item_id, "question": question, "picture": str(path)}) + "\n")
    write_release(
        folder / "release", name="endpoint", version="1.0", items=[(row, "test") for row in rows],
        image=records.__getitem__, image_bytes=lambda record: files[record.image_id], operations=[OPERATION], recipe={},
        stages=[], agreement={}, seed=1,
    )  # fmt: skip
    return folder / "release"


def _item(number: int, question: str, image_id: str) -> Item:
    return Item(
        item_id=digest(["endpoint", number])[:32], task="naming", kind="multiple_choice",
        images=(ItemImage(image_id=image_id, role="view", prompts=()),), question=question,
        choices=(Choice(key="A", text="a cat"), Choice(key="B", text="a dog")), answer="B", refusal=None,
        root_image_id=image_id, operation_id=OPERATION.operation_id, made_from=image_id, evidence={},
    )  # fmt: skip


def _faulty(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Kill the command while one request in five fails, and count the entries of its log."""
    release, out = folder / "20" / "release", folder / "faulty"
    rng = random.Random(1)
    kept, kills, lost = b"", 0, 0
    with stub(folder, given.latency_ms, "--fault-share", "0.2") as server:
        words = benchwright(
            "evaluate", "run", release, "--model", "openai:stub", "--base-url", f"{server.url}/v1", "--out", out,
            "--concurrency", given.in_flight, "--json",
        )  # fmt: skip
        started = time.perf_counter()
        while kills < given.kills:
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # Not before it asks: the start alone takes a second.
            while process.poll() is None and len(log_of(out)) <= len(kept):
                time.sleep(0.01)
            time.sleep(rng.uniform(0.05, 0.5))
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            now = log_of(out)
            lost += not now.startswith(kept)
            kept = now[: now.rfind(b"\n") + 1]
        score = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        seconds = time.perf_counter() - started
        stats = json.load(urllib.request.urlopen(f"{server.url}/stats"))
    entries = [json.loads(line) for line in log_of(out).splitlines()[1:]]
    replies = [entry["request"] for entry in entries if entry["kind"] == "reply"]
    return {
        "seconds": round(seconds, 1), "kills": kills, "items": score["asked"], "errors": score["error"],
        "replies": len(replies), "recorded_twice": len(replies) - len(set(replies)), "logs_that_lost_a_line": lost,
        "stub": {name: round(value, 1) for name, value in sorted(stats.items())},
    }  # fmt: skip


def log_of(out: Path) -> bytes:
    """Return the bytes of the only log below a folder of results."""
    found = list(out.glob("*/replies.jsonl"))
    return found[0].read_bytes() if found else b""


if __name__ == "__main__":
    main()
