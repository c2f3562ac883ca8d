"""Reader of the EMU dataset (Da et al. 2021): edited media and human answers; MVP-Bench uses its source images.

    EMU_Dataset/emu_dev.jsonl        one line per frame (a question about a pair of images)
    Images/dev/88_s.jpg              source image, downloaded by the user
    Images/dev/88_e.jpg              edited image; not read

Several lines share one `metadata.index`, so lines are grouped first. The dataset does not include images, and many of
the URLs are dead, so missing files are normal: they are counted by reason and are not an error.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.errors import DataError, UnreadableImage
from benchwright.facts import Box
from benchwright.files.numbered_lines import numbered_lines
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify
from benchwright.source_files.refusal_lists import RowCounts, RowLedger

_SPLIT_FILE = re.compile(r"emu_([A-Za-z0-9-]{1,40})\.jsonl")
_INDEX = re.compile(r"[A-Za-z0-9_-]{1,40}")
_LEAST_BOX_PX = 2


class _EditMetadata(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    index: str | None = None
    bboxes: list[list[float]] = Field(default=[], max_length=1000)


class _Line(BaseModel):
    """The fields read from a line; answers are about the edited image, which MVP-Bench does not use."""

    source: str | None = None
    frame: str = Field("", max_length=200)
    metadata: _EditMetadata = _EditMetadata()


class EmuImage(NamedTuple):
    """One existing source image.

    Args:
        split: Split, such as `dev`.
        pair: Index of the pair.
        path: Path of its file.
        size_wh: Upright width and height, in pixels.
        url: Original URL; None if no line states one.
        boxes: Boxes as x0, y0, x1, y1 within the picture, in the order of the file. The dataset does not document its
            convention, so this one is an assumption.
    """

    split: str
    pair: str
    path: Path
    size_wh: tuple[int, int]
    url: str | None
    boxes: tuple[Box, ...]


class EmuCounts(NamedTuple):
    """Numbers of lines, images and boxes that were read or left out.

    Args:
        lines: Number of lines read.
        pairs: Number of different indices.
        frames: Number of lines by frame; the set of frames is open.
        left_out: Counts by reason: `not_json`, `no_index` and `bad_index` for lines; `no_file` or a reason for being
            unreadable for images; `box_malformed` and `box_outside` for boxes.
        rows: Outcome of the lines: used with their image, or left out with the reason.
    """

    lines: int
    pairs: int
    frames: dict[str, int]
    left_out: dict[str, int]
    rows: RowCounts


class _ImageEdits(NamedTuple):
    urls: list[str]
    boxes: dict[tuple[float, ...], None]
    lines: int


def read_emu(dataset: Path, images: Path, *, limits: Limits | None = None) -> tuple[list[EmuImage], EmuCounts]:
    """Return the existing source images, sorted by split and index, with the counts.

    Args:
        dataset: Folder with `emu_<split>.jsonl`.
        images: Folder with `<split>/<index>_s.jpg`.
        limits: Largest size of an image file.

    Raises:
        DataError: There is no file `emu_<split>.jsonl`.
    """
    files = sorted(path for path in dataset.glob("emu_*.jsonl") if _SPLIT_FILE.fullmatch(path.name))
    if not files:
        raise DataError(f"{dataset} contains no emu_<split>.jsonl; name the folder of EMU's annotations")
    frames, boxes, pictures, lines = Counter[str](), Counter[str](), Counter[str](), RowLedger()
    images_of_emu: list[EmuImage] = []
    pairs = read = used = 0
    for path in files:
        split = _SPLIT_FILE.fullmatch(path.name)
        assert split is not None
        groups, count = _grouped(path, frames, lines)
        pairs, read = pairs + len(groups), read + count
        for index, group in sorted(groups.items()):
            image = _image(images, split[1], index, group, limits or Limits(), boxes)
            if isinstance(image, EmuImage):
                images_of_emu.append(image)
                used += group.lines
            else:
                pictures[image] += 1
                lines.wrong[image] += group.lines
    rows = lines.rows(used)
    alone = Counter({reason: number for reason, number in rows.refused.items() if reason not in pictures})
    left_out = alone + pictures + boxes
    return images_of_emu, EmuCounts(read, pairs, dict(sorted(frames.items())), dict(sorted(left_out.items())), rows)


def _grouped(path: Path, frames: Counter[str], lines: RowLedger) -> tuple[dict[str, _ImageEdits], int]:
    groups: dict[str, _ImageEdits] = {}
    count = 0
    for text in _lines(path):
        count += 1
        try:
            line = _Line.model_validate(json.loads(text))
        except (ValueError, ValidationError, RecursionError):
            lines.wrong["not_json"] += 1
            continue
        frames[line.frame] += 1
        index = line.metadata.index
        if index is None or not _INDEX.fullmatch(index):
            lines.wrong["no_index" if index is None else "bad_index"] += 1
            continue
        before = groups.get(index) or _ImageEdits([], {}, 0)
        groups[index] = group = before._replace(lines=before.lines + 1)
        if line.source:
            group.urls.append(line.source)
        group.boxes.update(dict.fromkeys(tuple(box) for box in line.metadata.bboxes))
    return groups, count


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the non-empty lines; a line that is too long is replaced by invalid JSON."""
    with path.open("rb") as handle:
        yield from (line or b"{" for _, line in numbered_lines(handle))


def _image(
    images: Path, split: str, index: str, group: _ImageEdits, limits: Limits, left_out: Counter[str]
) -> EmuImage | str:
    """Return the source image of a pair, or the reason why the image cannot be used, and count invalid boxes."""
    path = images / split / f"{index}_s.jpg"
    if not path.is_file():
        return "no_file"
    try:
        identified = identify(path, root=images, limits=limits)
    except UnreadableImage as error:
        return error.reason
    size_wh = identified.width, identified.height
    boxes: list[Box] = []
    for numbers in group.boxes:
        box = _box(numbers, size_wh)
        if isinstance(box, str):
            left_out[box] += 1
        else:
            boxes.append(box)
    return EmuImage(split, index, path, size_wh, min(group.urls, default=None), tuple(boxes))


def _box(numbers: tuple[float, ...], size_wh: tuple[int, int]) -> Box | str:
    if len(numbers) != 4 or not all(map(math.isfinite, numbers)):
        return "box_malformed"
    x0, y0, x1, y1 = numbers
    width, height = size_wh
    if x0 < 0 or y0 < 0 or x1 > width or y1 > height or x1 - x0 < _LEAST_BOX_PX or y1 - y0 < _LEAST_BOX_PX:
        return "box_outside"
    return x0, y0, x1, y1


def facts_of(image: EmuImage) -> dict[str, Any]:
    """Return the facts file's entry for an image; boxes are numbered, since the dataset does not name them."""
    subjects = [
        {"name": f"subject_{number}", "phrase": f"subject {number}", "box": list(box)}
        for number, box in enumerate(image.boxes, start=1)
    ]
    source = {"dataset": "emu", "canonical_id": f"emu:{image.split}:{image.pair}", "uri": image.url}
    return {"size_wh": list(image.size_wh), "source": source, "subjects": subjects}
