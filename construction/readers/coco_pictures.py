"""Paths of COCO's pictures, whose names in the 2014 release differ from those in the 2017 release."""

from __future__ import annotations

from pathlib import PurePosixPath

from benchwright.source_files.files import DatasetFiles


def coco_path(pictures: DatasetFiles, name: str, image_id: int) -> str:
    """Return the path of a picture in a folder, or `name` if the folder lacks it.

    Args:
        pictures: Folder of pictures.
        name: Path or file name as stated by a dataset.
        image_id: Id of the picture in COCO.
    """
    number = f"{image_id:012}.jpg"
    file = PurePosixPath(name).name
    folders = ("train2017", "val2017", "train2014", "val2014", "images")
    names = [name, *(f"{folder}/{file}" for folder in folders), *(f"{folder}/{number}" for folder in folders)]
    names += [f"{part}2014/COCO_{part}2014_{number}" for part in ("train", "val")]
    return pictures.first(*dict.fromkeys([*names, file, number])) or name
