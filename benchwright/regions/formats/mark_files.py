"""Reading and writing of mark files in a format given by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from benchwright.errors import DataError
from benchwright.regions import RegionShape, SizeWH

from .picture_marks import PictureMarks, RefusedMark, WrittenMarks

MarkFormat = Literal["coco", "lvis", "voc", "yolo"]
_MARK_FORMATS: tuple[MarkFormat, ...] = get_args(MarkFormat)


def read_marks(
    path: Path,
    format: MarkFormat,
    *,
    shape: RegionShape | None = None,
    sizes_wh: Mapping[str, SizeWH] | None = None,
) -> Iterator[PictureMarks | RefusedMark]:
    """Yield the pictures of a file with their marks, as well as the unreadable entries.

    An invalid entry becomes one `RefusedMark`, listed under its picture if it has one, otherwise yielded separately.
    All other entries are read.

    Args:
        path: A COCO or LVIS file; a Pascal VOC file or folder; the folder of a YOLO dataset, or its `data.yaml`.
        format: `coco`, `lvis`, `voc` or `yolo`.
        shape: Shape to read from every region, such as the boxes around polygons; default None: the most detailed
            shape. Regions that do not convert are refused.
        sizes_wh: Upright size of each picture by path or file name; default None: sizes from the file, or for YOLO from
            the pictures next to it. Unlisted pictures are refused, and so are files that state another size.

    Raises:
        DataError: The file as a whole is unreadable.
    """
    if format in ("coco", "lvis"):
        from .coco_reader import read_coco

        return read_coco(path, shape=shape, sizes_wh=sizes_wh, is_lvis=format == "lvis")
    if format == "voc":
        from .voc import read_voc

        return read_voc(path, shape=shape, sizes_wh=sizes_wh)
    from .yolo import read_yolo

    return read_yolo(path, shape=shape, sizes_wh=sizes_wh)


def write_marks(path: Path, format: MarkFormat, pictures: Sequence[PictureMarks]) -> WrittenMarks:
    """Write pictures with their regions, and return counts and the regions that the format cannot represent.

    Args:
        path: The COCO file to write; for Pascal VOC and YOLO, the folder.
        format: `coco`, `voc` or `yolo`. LVIS has no writer, since its tools read COCO.
        pictures: Pictures with their regions.

    Raises:
        DataError: The format has no writer, or a picture's name is not a valid file name.
        StorageError: A file cannot be written.
    """
    if format == "coco":
        from .coco_writer import write_coco

        return write_coco(path, pictures)
    if format == "voc":
        from .voc import write_voc

        return write_voc(path, pictures)
    if format == "yolo":
        from .yolo import write_yolo

        return write_yolo(path, pictures)
    raise DataError(f"marks cannot be written as {format!r}; write them as 'coco', which tools for LVIS read")
