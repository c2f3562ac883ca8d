"""Memory and speed of the readers of source datasets at 10,000 and 100,000 rows.

The tests' fixtures write the datasets, with one small picture behind all names. A separate process reads each one and
stores nothing: every record is compared with the folder of pictures, as in a run. With `--step`, the records are also
processed as in `construct check`: pictures are opened, and an index is written. A row is one line or entry of
annotations: in HPatches a homography, in Wild6D a frame with its pose.

The question is whether memory stays constant, even for COCO and LVIS, whose files are single large documents.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from measuring import peak_mb, show
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from benchwright.construction.datasets.dataset_check import check_dataset
from benchwright.construction.readers.listing import make_reader
from benchwright.construction.readers.reader import read_dataset
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow

WRITERS = {
    "coco": ("coco_files", "write_coco"),
    "diw": ("diw_files", "write_diw"),
    "folder": ("folder_files", "write_folder"),
    "funkpoint": ("funkpoint_files", "write_funkpoint"),
    "hpatches": ("hpatches_files", "write_hpatches"),
    "iiw": ("iiw_files", "write_iiw"),
    "lvis": ("coco_files", "write_lvis"),
    "nights": ("nights_files", "write_nights"),
    "spair71k": ("spair_files", "write_spair"),
    "tallyqa": ("tally_files", "write_tally"),
    "tara": ("tara_files", "write_tara"),
    "vsr": ("vsr_files", "write_vsr"),
    "wikiart": ("wikiart_files", "write_wikiart"),
    "wild6d": ("wild6d_files", "write_wild6d"),
}
_FRAMES = 300
"""Number of frames in a video of Wild6D, about as many as in its own."""
_LINKS = 50_000
"""Number of names for one file; file systems allow about 65,000."""


def main() -> None:
    """Write each dataset in each size, read it in a separate process, and print one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--readers", nargs="+", default=sorted(WRITERS))
    parser.add_argument("--step", action="store_true", help="take the records in as well")
    parser.add_argument("--read", nargs=2, metavar=("READER", "FOLDER"), help="read one dataset and say what it took")
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(_read(arguments.read[0], Path(arguments.read[1]), takes_in=arguments.step)))
        return
    measured: dict[str, dict[str, Any]] = {}
    for reader in arguments.readers:
        for rows in arguments.rows:
            with tempfile.TemporaryDirectory() as name:
                _write(reader, Path(name) / "data", rows)
                command = [sys.executable, __file__, "--read", reader, str(Path(name) / "data")]
                command += ["--step"] if arguments.step else []
                done = subprocess.run(command, check=True, capture_output=True, text=True)
            measured.setdefault(reader, {})[f"{rows:,}"] = json.loads(done.stdout)
            print(reader, rows, done.stdout.strip(), file=sys.stderr)
    show({"readers": measured, "takes_in": arguments.step})


def _write(reader: str, folder: Path, rows: int) -> None:
    module = importlib.import_module(f"dataset_fixtures.{WRITERS[reader][0]}")
    made = 0

    def link(path: Path, *_: Any) -> None:
        nonlocal made
        path.parent.mkdir(parents=True, exist_ok=True)
        original = folder / f"original-{made // _LINKS}.png"
        if not original.exists():
            Image.new("RGB", (64, 48)).save(original)
        if not path.exists():
            os.link(original, path)
            made += 1

    folder.mkdir()
    module.save = link
    if reader == "vsr":
        module.write_vsr(folder, module.vsr_rows(rows))
    elif reader == "hpatches":
        _write_sequences(folder, module, rows // 5, link)
    elif reader == "wild6d":
        module.FRAMES = _FRAMES
        module.VIDEOS = [("bottle", f"{video:04}", "1", "images") for video in range(max(1, rows // _FRAMES))]
        module.write_wild6d(folder)
    else:
        getattr(module, WRITERS[reader][1])(folder, count=rows)


def _write_sequences(folder: Path, fixture: ModuleType, count: int, link: Callable[[Path], None]) -> None:
    """Write sequences of HPatches that share one picture and one homography: the fixture really warps its own."""
    for number in range(count):
        sequence = folder / "hpatches-sequences-release" / fixture.name_of(number)
        for target in range(1, 7):
            link(sequence / f"{target}.ppm")
            if target > 1:
                original = folder / f"homography-{number // 10_000}"
                if not original.exists():
                    original.write_text(fixture.QUOTED, encoding="ascii")
                os.link(original, sequence / f"H_1_{target}")


def _read(reader: str, folder: Path, *, takes_in: bool) -> dict[str, Any]:
    made = make_reader(reader, {})
    before, started = peak_mb(), time.process_time()
    counts = {"records": 0, "refused": 0}
    if takes_in:
        document = check_dataset(made, folder, images=None, opens_pictures=True, examples=0)
        counts = {"records": document["records"], "refused": sum(document["refused"].values())}
    else:
        for row in read_dataset(made, DatasetFiles(folder)):
            counts["refused" if isinstance(row, RefusedRow) else "records"] += 1
    seconds, after = time.process_time() - started, peak_mb()
    return {
        **counts,
        "cpu_s": round(seconds, 2),
        "microseconds_a_row": round(1e6 * seconds / max(1, sum(counts.values())), 1),
        "peak_mb": round(after, 1),
        "above_start_mb": round(after - before, 1),
    }


if __name__ == "__main__":
    main()
