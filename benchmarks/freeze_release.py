"""How fast photographs are frozen, beside a copy of the same bytes with checksums, and how fast a release is opened.

The photographs are one JPEG file with a comment of its own in each copy, so that every file is another picture; each is
one item without marks. The copy reads every file, takes its SHA-256, and writes it; freezing begins with the records of
the files, which a run has already. Both run once, after each other, on the same disk. Opening is a new process that
opens the release and reads its first item. A smaller release, in which each picture is asked about five times, shows
what the dictionary of a row group saves.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measuring import cost_of, show
from PIL import Image

from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation, Source, item_id_for
from benchwright.release import write_release

_OPERATION = Operation(step="by_hand", version=1, parameters={}, seed=1)
_FIRST_ITEM = "import sys; from benchwright import Release; next(iter(Release.open(sys.argv[1]).items()))"


_AFTER_IMPORTS = """
import sys, time, pyarrow.parquet
from benchwright import Release
from benchwright.release.format import parquet
before = time.process_time()
next(iter(Release.open(sys.argv[1]).items()))
print(round(time.process_time() - before, 3))
"""


def write_photographs(folder: Path, count: int, size: int) -> None:
    """Write `count` different JPEG files of about `size` bytes each."""
    side = round((size / 0.57) ** 0.5)
    noise = np.random.default_rng(1).integers(0, 256, (side, side, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, "JPEG", quality=70)
    data = buffer.getvalue()
    folder.mkdir()
    for number in range(count):
        text = f"{number:08d}".encode()
        comment = b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text
        (folder / f"{number:05d}.jpg").write_bytes(data[:2] + comment + data[2:])


def copy(source: Path, target: Path) -> None:
    """Copy all files and take their SHA-256."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        data = path.read_bytes()
        hashlib.sha256(data).hexdigest()
        (target / path.name).write_bytes(data)


def take_in(source: Path) -> None:
    """Write the records of all files beside their folder, as a run has them long before it freezes."""
    with source.with_suffix(".jsonl").open("w", encoding="utf-8") as handle:
        for path in sorted(source.iterdir()):
            data = path.read_bytes()
            image_id = hashlib.sha256(data).hexdigest()
            width, height = Image.open(path).size
            record = ImageRecord(
                image_id=image_id, width=width, height=height, media_type="image/jpeg", size_bytes=len(data),
                root_image_id=image_id, source=Source(uri=path.name),
            )  # fmt: skip
            handle.write(record.model_dump_json() + "\n")


def freeze(source: Path, target: Path, questions: int) -> None:
    """Freeze a release that asks `questions` questions about each file."""
    with source.with_suffix(".jsonl").open(encoding="utf-8") as handle:
        records = {record.image_id: record for record in map(ImageRecord.model_validate_json, handle)}

    def items() -> Iterator[tuple[Item, str]]:
        for image_id in records:
            for number in range(questions):
                yield (
                    Item(
                        item_id=item_id_for("by_hand", 1, {}, (image_id,), number),
                        task="noise",
                        kind="multiple_choice",
                        question=f"Is there noise, asked for the {number + 1}. time?",
                        images=(ItemImage(image_id=image_id, role="view"),),
                        choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")),
                        answer="A",
                        root_image_id=image_id,
                        operation_id=_OPERATION.operation_id,
                        made_from=image_id,
                    ),
                    ("test", "val")[int(image_id, 16) % 2],
                )

    write_release(
        target,
        name="noise",
        version="1.0",
        items=items(),
        image=records.__getitem__,
        image_bytes=lambda record: (source / str(record.source and record.source.uri)).read_bytes(),
        operations=[_OPERATION],
        recipe={"name": "noise", "seed": 1},
        stages=[],
        agreement={},
        seed=1,
    )


def main() -> None:
    """Copy, freeze and open; print the costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photographs", type=int, default=10_000)
    parser.add_argument("--picture-bytes", type=int, default=170_000)
    parser.add_argument("--do", nargs=4, metavar=("WHAT", "SOURCE", "TARGET", "QUESTIONS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.do:
        what, source, target, questions = arguments.do
        if what == "copy":
            copy(Path(source), Path(target))
        else:
            freeze(Path(source), Path(target), int(questions))
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_photographs(place / "photographs", arguments.photographs, arguments.picture_bytes)
        command = [sys.executable, __file__, "--do"]
        take_in(place / "photographs")
        copied = cost_of([*command, "copy", str(place / "photographs"), str(place / "copy"), "1"])
        frozen = cost_of([*command, "freeze", str(place / "photographs"), str(place / "release"), "1"])
        opened = cost_of([sys.executable, "-c", _FIRST_ITEM, str(place / "release")])
        alone = subprocess.run(
            [sys.executable, "-c", _AFTER_IMPORTS, str(place / "release")], capture_output=True, text=True, check=True
        )
        split = cost_of(
            [sys.executable, "-m", "benchwright", "release", "splits", str(place / "release")], allowed=(0, 1)
        )
        write_photographs(place / "few", 40, arguments.picture_bytes)
        take_in(place / "few")
        sizes = {}
        for questions in (1, 5):
            freeze(place / "few", place / f"few-{questions}", questions)
            sizes[questions] = sum(path.stat().st_size for path in (place / f"few-{questions}" / "data").iterdir())
        show(
            {
                "photographs": arguments.photographs,
                "bytes": sum(path.stat().st_size for path in (place / "photographs").iterdir()),
                "copy with checksums": copied.to_json(),
                "freeze": frozen.to_json(),
                "open and read one item, process and all": opened.to_json(),
                "the same after imports, CPU seconds": float(alone.stdout),
                "release splits": split.to_json(),
                "bytes of 40 pictures, asked about once and five times": [sizes[1], sizes[5]],
            }
        )


if __name__ == "__main__":
    main()
