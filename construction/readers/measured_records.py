"""Records from measurements of your own photographs: depth maps, masks, camera poses.

Each depth map yields a record of its photograph, all masks of a photograph together yield one record, and each scene in
a camera file yields one record of several pictures. Unusable maps, masks and cameras are reported by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath

from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.refusals import MISSING_PICTURE, REPEATED, RefusedRow
from benchwright.source_files.rows import BadRow, LeftOutByRule, guarded

from ..measured.camera_files import CameraScene, StatedCamera, camera_form, camera_scenes, poses_of
from ..measured.depth_maps import depth_truths
from ..measured.map_files import NO_PHOTOGRAPH, MapFile
from ..measured.mask_pictures import mask_truths, things_in
from .own_annotations import OwnPictures
from .reader import NOTHING_STATED, DatasetPicture, DatasetRecord, spread
from .recognition import FoundSource

MOST_FRAMES = 16
"""Largest number of pictures of a scene, equally spaced in time."""


def measured_records(source: FoundSource, pictures: OwnPictures) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield the records and the faults of a measured source.

    Args:
        source: Depth maps, masks, or a file of cameras.
        pictures: Pictures of the folder.
    """
    if source.form == "depth":
        yield from _of_depth_maps(source.maps, pictures.root)
    elif source.form == "masks":
        yield from _of_masks(source.maps, pictures.root)
    else:
        yield from _of_cameras(source.path, pictures)


def _of_depth_maps(maps: Iterable[MapFile], root: Path) -> Iterator[DatasetRecord | RefusedRow]:
    for entry in maps:
        with guarded(entry.path) as guard:
            photograph = _photograph(entry)
            depths = depth_truths(root, entry)
            picture = DatasetPicture(photograph, f"found:{photograph}", shape_wh=depths.map_wh)
            yield DatasetRecord(f"found:{entry.path}:{photograph}", entry.path, "", (picture,), depths.truths)
        if guard.refusal is not None:
            yield guard.refusal


def _of_masks(maps: Iterable[MapFile], root: Path) -> Iterator[DatasetRecord | RefusedRow]:
    """Yield a record for each photograph whose masks are all usable; otherwise some of its objects would be unknown."""
    for photograph, masks in groupby(
        sorted(maps, key=lambda entry: entry.photograph or ""), lambda entry: entry.photograph
    ):
        things, sizes_wh, wrong, used = [], set[tuple[int, int]](), 0, 0
        path = ""
        for entry in masks:
            path = path or entry.path
            with guarded(entry.path) as guard:
                _photograph(entry)
                in_mask, size_wh = things_in(root, entry)
                things += in_mask
                sizes_wh.add(size_wh)
                used += 1
            if guard.refusal is not None:
                wrong += 1
                yield guard.refusal
        if photograph is None:
            continue
        with guarded(path, f"picture {photograph}") as guard:
            if wrong and things:
                raise BadRow(f"{wrong} of its masks cannot be used, so not all objects in it are known", "other_mask")
            if len(sizes_wh) > 1:
                raise BadRow(f"its masks have several sizes: {', '.join(map(str, sorted(sizes_wh)))}", "other_size")
            if used and not things:
                raise LeftOutByRule(NOTHING_STATED, "its masks show nothing")
            if things:
                picture = DatasetPicture(photograph, f"found:{photograph}", size_wh=sizes_wh.pop())
                truths = mask_truths(things, path)
                yield DatasetRecord(f"found:masks:{photograph}", path, "", (picture,), truths, used)
        if guard.refusal is not None:
            yield guard.refusal._replace(rows=1 + used)


def _photograph(entry: MapFile) -> str:
    if entry.photograph is None:
        raise BadRow(entry.detail, NO_PHOTOGRAPH)
    return entry.photograph


def _of_cameras(path: str, pictures: OwnPictures) -> Iterator[DatasetRecord | RefusedRow]:
    form = camera_form(PurePosixPath(path).name, pictures.root / path)
    if form is None:
        yield RefusedRow(path, "", "bad_row", "it is no longer a camera file")
        return
    with guarded(path) as guard:
        for scene in camera_scenes(pictures.root, path, form):
            if isinstance(scene, RefusedRow):
                yield scene
            else:
                yield from _of_scene(scene, path, pictures)
    if guard.refusal is not None:
        yield guard.refusal


def _of_scene(scene: CameraScene, path: str, pictures: OwnPictures) -> Iterator[DatasetRecord | RefusedRow]:
    shown: dict[str, StatedCamera] = {}
    for camera in scene.cameras:
        with guarded(path, camera.entry) as guard:
            picture = _picture_of(camera, path, pictures)
            if picture in shown:
                raise BadRow(f"{shown[picture].entry} is also of {picture}; the first is used", REPEATED)
            shown[picture] = camera
        if guard.refusal is not None:
            yield guard.refusal
    with guarded(path, f"scene {scene.name}" if scene.name else "") as guard:
        if len(shown) < 2:
            raise BadRow(
                f"{len(shown)} of its pictures are in the folder; two are needed", "too_few_frames", rows=1 + len(shown)
            )
        frames = spread(list(shown.items()), MOST_FRAMES)
        if more := len(shown) - len(frames):
            detail = f"of {len(shown)} frames of a scene {MOST_FRAMES} are used, at equal distances"
            yield RefusedRow(path, "", "more_frames", detail, more, by_rule=True)
        truth = poses_of(scene, [camera for _, camera in frames])
        record_id = f"found:{path}:{scene.name}" if scene.name else f"found:{path}"
        pictures_shown = tuple(DatasetPicture(name, f"found:{name}") for name, _ in frames)
        yield DatasetRecord(record_id, path, "", pictures_shown, (truth,), len(frames))
    if guard.refusal is not None:
        yield guard.refusal


def _picture_of(camera: StatedCamera, path: str, pictures: OwnPictures) -> str:
    """Return the path of a camera's picture, which NeRF files name without a suffix."""
    folder = PurePosixPath(path).parent.as_posix()
    suffixes = ("",) if camera.picture.lower().endswith(PICTURE_SUFFIXES) else ("", *PICTURE_SUFFIXES)
    for suffix in suffixes:
        try:
            return pictures.path_of(f"{camera.picture}{suffix}", "" if folder == "." else folder)
        except BadRow as error:
            if error.reason != MISSING_PICTURE:
                raise
    raise BadRow(f"the folder contains no picture {camera.picture!r}", MISSING_PICTURE)
