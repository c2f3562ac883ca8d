"""The step `text_ratio`, rapidocr's defaults, and a slow, careful reference.

Speed: `benchwright filter text-ratio`, as the engine runs it, and rapidocr as `RapidOCR()` comes (detection, direction,
recognition), on the same number of processes, each with one thread, because two processes that each use all processors
only slow each other down. The files are divided into parts and both sides take turns, so that other load on the machine
affects both. The engine measures equal files once, the peer every time, so the files of a part are distinct pictures.

Decisions: keep or drop at several thresholds, for every file, against `text_reference.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from measuring import Cost, benchwright, cost_of, show
from text_reference import Careful

from benchwright.images.decode import decode_rgb

THRESHOLDS = (0.1, 0.2, 0.3)
_PEER: list[Any] = []


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--parts", type=int, default=2, help="how often both sides take turns")
    parser.add_argument("--sample", type=int, help="time this many pictures, drawn by chance, instead of all")
    parser.add_argument("--reference", type=Path, help="file that keeps what the reference saw, for the next time")
    parser.add_argument("--peer", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peer is not None:
        run_peer(given.peer, given.workers)
        return
    files = sorted(path for path in given.images.rglob("*") if path.is_file())
    distinct = list({_sha256(path): path for path in reversed(files)}.values())
    random.Random(7).shuffle(distinct)
    timed = distinct[: given.sample]
    with tempfile.TemporaryDirectory() as name:
        document = {"files": len(files), "pictures": len(distinct), "workers": given.workers}
        document["speed"] = speed(timed, Path(name), parts=given.parts, workers=given.workers)
        print(json.dumps(document["speed"]), file=sys.stderr, flush=True)  # the other half may take long
        document["decisions"] = decisions(given.images, files, Path(name), given.reference, workers=given.workers)
        show(document)


def speed(files: list[Path], folder: Path, *, parts: int, workers: int) -> dict[str, Any]:
    """Time both sides on each part, one after the other."""
    costs: dict[str, list[Cost]] = {"benchwright": [], "rapidocr": []}
    for number in range(parts):
        part = folder / f"part-{number}"
        part.mkdir()
        for path in files[number::parts]:
            (part / f"{_sha256(path)}{path.suffix}").write_bytes(path.read_bytes())
        ours = benchwright("filter", "text-ratio", part, "--workers", workers, "--json")
        theirs = [sys.executable, __file__, "--images", "", "--peer", str(part), "--workers", str(workers)]
        turn = [("benchwright", ours), ("rapidocr", theirs)]
        for name, command in turn if number % 2 else turn[::-1]:
            cost = cost_of(command, output=folder / "said")
            if cost.exit_code != 0:
                raise SystemExit(f"{name} ended with {cost.exit_code}: {(folder / 'said').read_text()[-500:]}")
            costs[name].append(cost)
    sides = {
        name: {
            "images": len(files),
            "images_per_s": round(len(files) / sum(cost.wall_s for cost in took), 3),
            "cpu_s_per_image": round(sum(cost.cpu_s for cost in took) / len(files), 3),
            "peak_mb": round(max(cost.peak_mb for cost in took)),
        }
        for name, took in costs.items()
    }
    ours_, theirs_ = sides["benchwright"], sides["rapidocr"]
    return sides | {
        "times as many images per second": round(ours_["images_per_s"] / theirs_["images_per_s"], 2),
        "times as many images per CPU second": round(theirs_["cpu_s_per_image"] / ours_["cpu_s_per_image"], 2),
        "share of its memory": round(ours_["peak_mb"] / theirs_["peak_mb"], 2),
    }


def decisions(images: Path, files: list[Path], folder: Path, kept: Path | None, *, workers: int) -> dict[str, Any]:
    """Compare keep and drop with the reference's, file by file."""
    output = folder / "ratios.json"
    cost_of(benchwright("filter", "text-ratio", images, "--workers", workers, "--json"), output=output)
    ours = {one["path"]: one["ratio"] for one in json.loads(output.read_text(encoding="utf-8"))["images"]}
    careful = Careful(kept)
    reference = {path.relative_to(images).as_posix(): careful.ratio(_sha256(path), decode_rgb(path)) for path in files}
    found: dict[str, Any] = {}
    for threshold in THRESHOLDS:
        unequal = sorted(path for path in reference if (ours[path] > threshold) != (reference[path] > threshold))
        found[str(threshold)] = {
            "dropped by the reference": sum(ratio > threshold for ratio in reference.values()),
            "equal": round(1 - len(unequal) / len(reference), 4),
            "unequal": {path: [round(reference[path], 3), round(ours[path], 3)] for path in unequal},
        }
    return found


def run_peer(folder: Path, workers: int) -> None:
    """Run rapidocr's defaults over a folder and print the number of boxes read."""
    files = sorted(map(str, folder.iterdir()))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_open_peer) as pool:
        print(sum(pool.map(_boxes, files)))


def _open_peer() -> None:
    import cv2
    from rapidocr import RapidOCR

    cv2.setNumThreads(1)
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    _PEER.append(RapidOCR(params={"Global.log_level": "critical", **threads}))


def _boxes(path: str) -> int:
    found = _PEER[0](path)
    return 0 if found.boxes is None else len(found.boxes)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
