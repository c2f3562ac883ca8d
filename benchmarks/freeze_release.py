"""The cost of a release's bytes, from pictures to exports; each job is compared with its simplest equivalent.

Sets of distinct pictures:

- `upright`: JPEG photographs as they come from a scanner, kept unchanged;
- `turned`: photographs from a phone held upright, 4000x3000 JPEG with orientation 6, three questions each;
- `webp`: WebP files of a megapixel, five questions each;
- `folder`: copies of the pictures of a folder (`--pictures`), such as II-Bench's JPEG and WebP files, five questions
  each; a copy differs from its original in a number outside of the pixel data.

For each set: freezing next to a copy of the same files with checksums, `release verify` next to `sha256sum` of the same
release, and exports next to the same pictures and lines written plainly. Everything runs in a separate process, one
after another, on the same disk. Freezing begins with the records of the files, which a run already has; a second freeze
keeps the store of released bytes of the first. Opening is a new process that opens the release and reads its first
item.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import shutil
import struct
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import cost_of, show
from PIL import Image

from benchwright.images.identify import identify
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation, Source, item_id_for
from benchwright.release import write_release
from benchwright.release.writing.file_changes import FileChanges
from benchwright.workspace.item_cache import ItemCache

_OPERATION = Operation(step="by_hand", version=1, parameters={}, seed=1)
_FIRST_ITEM = "import sys; from benchwright import Release; next(iter(Release.open(sys.argv[1]).items()))"
FORMATS = {"jsonl": "plain", "webdataset": "plain archives"}
"""Formats of exports, each with the job that writes the same bytes plainly."""

QUESTIONS = {"upright": 1, "turned": 3, "webp": 5, "folder": 5}


def _numbered(data: bytes, number: int) -> bytes:
    """Return a JPEG or WebP file with a number outside its pixels, and without metadata that freezing cuts out."""
    if data.startswith(b"\xff\xd8"):  # a JFIF header with the number as density
        return data[:2] + b"\xff\xe0\x00\x10JFIF\0\x01\x01\x01" + struct.pack(">I", number + 1) + b"\0\0" + data[2:]
    chunk = b"note" + struct.pack("<II", 4, number)
    return data[:4] + struct.pack("<I", len(data) - 8 + len(chunk)) + data[8:] + chunk


def _jpeg(pixels: np.ndarray[Any, np.dtype[np.uint8]], *, quality: int, orientation: int = 1) -> bytes:
    buffer = io.BytesIO()
    exif = Image.Exif()
    exif[274] = orientation
    Image.fromarray(pixels).save(buffer, "JPEG", quality=quality, **({"exif": exif} if orientation > 1 else {}))
    return buffer.getvalue()


def write_upright(folder: Path, count: int, size: int) -> None:
    """Write `count` different JPEG files of about `size` bytes each."""
    side = round((size / 0.57) ** 0.5)
    noise = np.random.default_rng(1).integers(0, 256, (side, side, 3), dtype=np.uint8)
    data = _jpeg(noise, quality=70)
    for number in range(count):
        (folder / f"{number:05d}.jpg").write_bytes(_numbered(data, number))


def write_turned(folder: Path, count: int) -> None:
    """Write `count` different JPEG files of 4000x3000 pixels that viewers turn by 90 degrees."""
    for number in range(count):
        pixels = _photograph(number, 4000, 3000)
        (folder / f"{number:05d}.jpg").write_bytes(_jpeg(pixels, quality=85, orientation=6))


def write_webp(folder: Path, count: int) -> None:
    """Write `count` different WebP files of 1152x896 pixels."""
    for number in range(count):
        Image.fromarray(_photograph(number, 1152, 896)).save(folder / f"{number:05d}.webp", quality=80)


def _photograph(number: int, width: int, height: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return a picture with about as much detail as a photograph."""
    rng = np.random.default_rng(number)
    coarse = Image.fromarray(rng.integers(0, 256, (height // 32, width // 32, 3), dtype=np.uint8))
    smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC)).astype(np.int16)
    return (smooth + rng.normal(0, 3, (height, width, 1))).clip(0, 255).astype(np.uint8)


def write_copies(folder: Path, count: int, pictures: Path) -> None:
    """Write `count` different files, copies of the JPEG and WebP files below a folder."""
    paths = sorted(path for path in pictures.rglob("*") if path.suffix in {".jpg", ".webp"})
    for number in range(count):
        path = paths[number % len(paths)]
        data = path.read_bytes()
        (folder / f"{number:05d}{path.suffix}").write_bytes(_numbered(data, number))


def write(kind: str, folder: Path, count: int, *, size: int = 170_000, pictures: Path | None = None) -> None:
    """Write the pictures of a set.

    Args:
        kind: Name of the set.
        folder: An empty folder.
        count: Number of pictures.
        size: Size of a picture of `upright` in bytes.
        pictures: The folder that `folder` copies.
    """
    if kind == "upright":
        write_upright(folder, count, size)
    elif kind == "turned":
        write_turned(folder, count)
    elif kind == "webp":
        write_webp(folder, count)
    elif pictures is not None:
        write_copies(folder, count, pictures)


def copy(source: Path, target: Path) -> None:
    """Copy all files and take their SHA-256."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        data = path.read_bytes()
        hashlib.sha256(data).hexdigest()
        (target / path.name).write_bytes(data)


def take_in(source: Path) -> None:
    """Write the records of all files next to their folder, as a run has them long before it freezes."""
    with source.with_suffix(".jsonl").open("w", encoding="utf-8") as handle:
        for path in sorted(source.iterdir()):
            facts = identify(path, root=source)._asdict()
            record = ImageRecord(**facts, root_image_id=facts["image_id"], source=Source(uri=path.name))
            handle.write(record.model_dump_json() + "\n")


def freeze(source: Path, target: Path, questions: int) -> None:
    """Freeze a release that asks `questions` questions about each file."""
    with source.with_suffix(".jsonl").open(encoding="utf-8") as handle:
        records = {record.image_id: record for record in map(ImageRecord.model_validate_json, handle)}

    def made() -> Iterator[tuple[Item, str]]:
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

    items = list(made())
    with ItemCache(source.with_suffix(".sqlite"), max_bytes=4 * 1024**3) as store:
        changes = FileChanges(
            records.__getitem__,
            lambda record: (source / str(record.source and record.source.uri)).read_bytes(),
            removes_metadata=lambda _: True,
            encodes=lambda _: False,
            turns=lambda _, __: True,
            store=store,
        )
        changes.survey(item for item, _ in items)
        write_release(
            target,
            name="noise",
            version="1.0",
            items=((changes.item(item), split) for item, split in items),
            image=changes.image,
            image_bytes=changes.image_bytes,
            operations=[_OPERATION, *changes.operations()],
            recipe={"name": "noise", "seed": 1},
            stages=[],
            agreement={},
            seed=1,
            visual={_OPERATION.operation_id},
            store=store,
        )


def write_plainly(release: Path, target: Path) -> None:
    """Write each picture of a release to a file and each row to a line, with nothing but PyArrow."""
    import pyarrow.parquet as pq

    (target / "images").mkdir(parents=True)
    with (target / "rows.jsonl").open("w", encoding="utf-8") as lines:
        for path in sorted((release / "data").iterdir()):
            for batch in pq.ParquetFile(path).iter_batches(16):
                for row in batch.to_pylist():
                    row.pop("unmarked", None)
                    for cell in row["images"]:
                        picture = target / "images" / cell["path"]
                        if not picture.exists():
                            picture.write_bytes(cell.pop("bytes"))
                        cell.pop("bytes", None)
                    lines.write(json.dumps(row) + "\n")


def write_archives_plainly(release: Path, target: Path) -> None:
    """Write each row and its pictures, however often they occur, to an archive, with PyArrow and `tarfile`."""
    import pyarrow.parquet as pq

    target.mkdir(parents=True)

    def add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))

    for path in sorted((release / "data").iterdir()):
        with tarfile.TarFile(target / f"{path.stem}.tar", "x", format=tarfile.USTAR_FORMAT) as archive:
            for batch in pq.ParquetFile(path).iter_batches(16):
                for row in batch.to_pylist():
                    row.pop("unmarked", None)
                    for number, cell in enumerate(row["images"]):
                        add(archive, f"{row['item_id']}.{number}.png", cell.pop("bytes"))
                    add(archive, f"{row['item_id']}.json", json.dumps(row).encode())


_DO: dict[str, Callable[[Path, Path, int], None]] = {
    "copy": lambda source, target, _: copy(source, target),
    "freeze": freeze,
    "plain": lambda source, target, _: write_plainly(source, target),
    "plain archives": lambda source, target, _: write_archives_plainly(source, target),
}


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _release_of_one(folder: Path) -> Path:
    """Write a release of the first picture, whose verification costs little more than the start of its processes."""
    pictures, release = folder / "one", folder / "release of one"
    pictures.mkdir()
    first = min((folder / "pictures").iterdir())
    shutil.copy(first, pictures / first.name)
    take_in(pictures)
    freeze(pictures, release, 1)
    return release


def above_start(costs: dict[str, Any]) -> dict[str, Any]:
    """Return the cost of verification beyond that of a release of one picture; its memory is that of the whole."""
    whole, start = costs["verify"], costs["verify one picture"]
    return {**whole, **{name: round(whole[name] - start[name], 2) for name in ("wall_s", "cpu_s")}}


def measured(kind: str, folder: Path, *, exports: bool) -> dict[str, Any]:
    """Return the costs of all jobs on the pictures in `folder / "pictures"`."""
    pictures, release, questions = folder / "pictures", folder / "release", str(QUESTIONS[kind])
    take_in(pictures)

    def do(what: str, source: Path, target: str) -> dict[str, Any]:
        return cost_of([sys.executable, __file__, "--do", what, str(source), str(folder / target), questions]).to_json()

    def command(*words: str) -> dict[str, Any]:
        return cost_of([sys.executable, "-m", "benchwright", *words]).to_json()

    costs: dict[str, Any] = {
        "copy with checksums": do("copy", pictures, "copy"),
        "freeze": do("freeze", pictures, "release"),
        "freeze again": do("freeze", pictures, "again"),
    }
    files = [str(path) for path in sorted(release.rglob("*")) if path.is_file()]
    costs["sha256sum"] = cost_of(["sha256sum", *files]).to_json()
    costs["verify"] = command("release", "verify", str(release))
    costs["verify one picture"] = command("release", "verify", str(_release_of_one(folder)))
    costs["open and read one item"] = cost_of([sys.executable, "-c", _FIRST_ITEM, str(release)]).to_json()
    sizes = {"pictures": _bytes(pictures), "release": _bytes(release)}
    if exports:
        for name, plain in FORMATS.items():
            costs[plain] = do(plain, release, plain)
            costs[name] = command("release", "export", str(release), "--format", name, "--out", str(folder / name))
            sizes[name] = _bytes(folder / name)
    ratios = {
        "release to pictures, bytes": sizes["release"] / sizes["pictures"],
        "freeze to copy, CPU": costs["freeze"]["cpu_s"] / costs["copy with checksums"]["cpu_s"],
        "verify to sha256sum, CPU": costs["verify"]["cpu_s"] / costs["sha256sum"]["cpu_s"],
        "verify above its start to sha256sum, CPU": above_start(costs)["cpu_s"] / costs["sha256sum"]["cpu_s"],
        **{
            f"{name} to {plain}": costs[name]["cpu_s"] / costs[plain]["cpu_s"]
            for name, plain in FORMATS.items()
            if exports
        },
    }
    ratios = {name: round(ratio, 2) for name, ratio in ratios.items()}
    count = sum(1 for _ in pictures.iterdir())
    return {"pictures": count, "questions each": int(questions), "bytes": sizes, "costs": costs, "ratios": ratios}


def main() -> None:
    """Measure the chosen sets and print the costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=sorted(QUESTIONS), default=["upright", "turned", "webp"])
    parser.add_argument("--photographs", type=int, default=10_000, help="number of pictures of `upright`")
    parser.add_argument("--picture-bytes", type=int, default=170_000)
    parser.add_argument("--turned", type=int, default=4, help="number of pictures of `turned`")
    parser.add_argument("--webp", type=int, default=400, help="number of pictures of `webp`")
    parser.add_argument("--pictures", type=Path, help="folder of the set `folder`")
    parser.add_argument("--copies", type=int, default=1187, help="number of pictures of `folder`")
    parser.add_argument("--no-exports", action="store_true")
    parser.add_argument("--do", nargs=4, metavar=("WHAT", "SOURCE", "TARGET", "QUESTIONS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.do:
        what, source, target, questions = arguments.do
        _DO[what](Path(source), Path(target), int(questions))
        return
    if "folder" in arguments.sets and arguments.pictures is None:
        parser.error("the set `folder` needs --pictures FOLDER")
    counts = {
        "upright": arguments.photographs, "turned": arguments.turned, "webp": arguments.webp,
        "folder": arguments.copies,
    }  # fmt: skip
    results = {}
    for kind in arguments.sets:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "pictures").mkdir()
            given = {"size": arguments.picture_bytes, "pictures": arguments.pictures}
            write(kind, Path(folder) / "pictures", counts[kind], **given)
            results[kind] = measured(kind, Path(folder), exports=not arguments.no_exports)
    show(results)


if __name__ == "__main__":
    main()
