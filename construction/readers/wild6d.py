"""Wild6D (Fu and Wang 2022): videos of one object, with the camera's pose at each frame; only `test_set` has poses.

    Wild6D/test_set/<category>/<object>/<sequence>/images/<frame>.jpg    also rgbd/; -depth.png, -mask.png beside
    Wild6D/test_set/<category>/<object>/<sequence>/metadata              JSON: K, w, h, fps
    Wild6D/test_set/test_list_<category>.txt                             pictures, with an old prefix
    Wild6D/test_set/pkl_annotations/<category>/<category>-<object>-<sequence>.pkl

Pickles are read as data only. Their lists are in the order of the frame numbers. Frames without a mask are left out, as
in the authors' code. The object's y axis is assumed to point upward.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import ClassVar

from pydantic import BaseModel, Field

from benchwright.errors import DataError
from benchwright.files.numbered_lines import numbered_lines
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.pickles import load_data
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, checked, guarded, json_document
from benchwright.source_files.rows import Row as FileRow

from ..ground_truth.truths import CameraPose, CameraPoses, GroundTruth
from ..measured.camera_files import check_rotation
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, chosen, spread

UP = (0.0, 1.0, 0.0)
_POSES = "test_set/pkl_annotations"
_FRAME = re.compile(r"(\d{1,7})\.jpg")
_PICKLE = re.compile(r"([a-z]+)-([^-]+)-(.+)\.pkl")
_OTHER_NAMES = {"cup": "mug"}
"""Categories whose names differ between annotations and folders."""


class _Annotation(BaseModel):
    name: str
    rotation: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
    translation: tuple[float, float, float]


class _Video(BaseModel):
    num_frames: int = Field(ge=0)
    annotations: list[object] = Field(max_length=100_000)


class _FrameMetadata(BaseModel):
    w: int = Field(gt=0)
    h: int = Field(gt=0)


class _Sequence(BaseModel):
    category: str
    object: str
    sequence: str
    pickle: str

    @property
    def folder(self) -> str:
        """Return the folder of the sequence."""
        return f"test_set/{self.category}/{self.object}/{self.sequence}"

    @property
    def key(self) -> tuple[str, str]:
        """Return the sequence's name in a category's list of pictures."""
        return self.object, self.sequence


class Wild6D(DatasetReader):
    """Videos of Wild6D's test set.

    Args:
        categories: Categories to read, such as `mug`; all by default.
        max_frames: Largest number of frames of a video, equally spaced.
    """

    name: ClassVar[str] = "wild6d"
    title: ClassVar[str] = "Wild6D, test set (Fu and Wang 2022)"
    home: ClassVar[str] = "https://github.com/OasisYang/Wild6D"
    licence: ClassVar[str] = "code MIT; data for academic research only"
    pictures_licence: ClassVar[str] = "academic research only"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles(
            "test_set/pkl_annotations/<category>/<video>.pkl", "poses", "the test set, from the repository's page"
        ),
        NeededFiles("test_set/<category>/<object>/<sequence>/images/<frame>.jpg", "frames", "the same archive"),
        NeededFiles("test_set/<category>/<object>/<sequence>/images/<frame>-mask.png", "masks", "the same archive"),
        NeededFiles(
            "test_set/test_list_<category>.txt", "pictures of the test set; may be left out", "the same archive"
        ),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (CameraPoses,)
    landmarks: ClassVar[tuple[str, ...]] = (_POSES,)

    categories: tuple[str, ...] = ()
    max_frames: int = Field(16, ge=2)

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the lists, the poses and the sizes."""
        for category in self._categories(files):
            if files.has(path := f"test_set/test_list_{category}.txt"):
                yield path
            for sequence in _sequences(files, category):
                yield sequence.pickle
                if files.has(path := f"{sequence.folder}/metadata"):
                    yield path

    def _categories(self, files: DatasetFiles) -> list[str]:
        there = [name.rstrip("/") for name in files.listing(_POSES) if name.endswith("/")]
        return chosen(there, self.categories, "category")

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each video."""
        for category in self._categories(files):
            listed, strange = _listed(files, category)
            yield from strange
            for name in files.listing(f"{_POSES}/{category}"):
                if name.endswith(".pkl") and _PICKLE.fullmatch(name) is None:
                    detail = "expected <category>-<object>-<sequence>.pkl"
                    yield RefusedRow(f"{_POSES}/{category}/{name}", "", "bad_row", detail)
            for sequence in _sequences(files, category):
                with guarded(sequence.pickle) as guard:
                    frames = _frames(sequence, pictures, listed)
                    annotations = _annotations(sequence, files)
                    size_wh = _size(sequence, files)
                    sound: list[tuple[str, CameraPose]] = []
                    for refused, path, pose in _posed(sequence, frames, annotations, pictures):
                        if refused is not None:
                            yield refused
                        elif pose is not None:
                            sound.append((path, pose))
                    if len(sound) < 2:
                        raise BadRow(
                            f"{len(sound)} frames have a picture, a mask and a pose; two are needed",
                            "too_few_frames",
                            rows=1 + len(sound),
                        )
                    used = spread(sound, self.max_frames)
                    if more := len(sound) - len(used):
                        detail = f"{len(sound)} frames are usable, and `max_frames` is {self.max_frames}"
                        yield RefusedRow(sequence.pickle, "", "more_frames", detail, more, by_rule=True)
                    yield _record(sequence, self.pictures_licence, used, size_wh)
                if guard.refusal is not None:
                    yield guard.refusal


def _sequences(files: DatasetFiles, category: str) -> Iterator[_Sequence]:
    for name in files.listing(f"{_POSES}/{category}"):
        if (match := _PICKLE.fullmatch(name)) is not None:
            path = f"{_POSES}/{category}/{name}"
            yield _Sequence(category=category, object=match[2], sequence=match[3], pickle=path)


def _listed(files: DatasetFiles, category: str) -> tuple[dict[tuple[str, str], list[int]] | None, list[RefusedRow]]:
    """Return the numbers of the frames in a category's list, by video, and the lines that name no frame.

    The first value is None if the list is missing.
    """
    path = f"test_set/test_list_{category}.txt"
    if not files.has(path):
        return None, []
    frames: dict[tuple[str, str], list[int]] = {}
    strange: list[RefusedRow] = []
    with files.opened(path) as handle:
        for number, line in numbered_lines(handle):
            # Lines begin with a folder of the authors' machines; only the last five parts are meaningful.
            parts = PurePosixPath((line or b"").decode("utf-8", "replace").strip()).parts[-5:]
            if len(parts) == 5 and parts[0] == category and (frame := _FRAME.fullmatch(parts[4])):
                frames.setdefault((parts[1], parts[2]), []).append(int(frame[1]))
            else:
                detail = f"{'/'.join(parts)[:80]!r} is not a frame, such as {category}/<object>/<sequence>/images/0.jpg"
                strange.append(RefusedRow(path, f"line {number}", "bad_row", detail))
    return frames, strange


def _frames(
    sequence: _Sequence, pictures: DatasetFiles, listed: Mapping[tuple[str, str], list[int]] | None
) -> list[tuple[int, str]]:
    """Return the numbers and paths of a video's pictures, in temporal order."""
    folder = next(
        (
            f"{sequence.folder}/{name}"
            for name in ("images", "rgbd")
            if pictures.has_folder(f"{sequence.folder}/{name}")
        ),
        None,
    )
    if folder is None:
        raise BadRow(f"there is no folder {pictures.shown(sequence.folder)}/images, and no rgbd", "missing_picture")
    if listed is not None:
        numbers = sorted(set(listed.get(sequence.key, ())))
    else:
        numbers = sorted(int(match[1]) for name in pictures.listing(folder) if (match := _FRAME.fullmatch(name)))
    return [(number, f"{folder}/{number}.jpg") for number in numbers]


def _annotations(sequence: _Sequence, files: DatasetFiles) -> list[object]:
    try:
        document = load_data(files.read(sequence.pickle))
    except DataError as error:
        raise BadRow(str(error), "refused_pickle") from None
    return checked(_Video, FileRow("", document)).annotations


def _size(sequence: _Sequence, files: DatasetFiles) -> tuple[int, int] | None:
    path = f"{sequence.folder}/metadata"
    if not files.has(path):
        return None
    row = json_document(files, path)
    if isinstance(row, RefusedRow):
        raise BadRow(f"metadata: {row.detail}")
    metadata = checked(_FrameMetadata, row)
    return metadata.w, metadata.h


def _posed(
    sequence: _Sequence,
    frames: Sequence[tuple[int, str]],
    annotations: Sequence[object],
    pictures: DatasetFiles,
) -> Iterator[tuple[RefusedRow | None, str, CameraPose | None]]:
    """Yield each frame with its pose or its fault."""
    for number, path in frames:
        entry = f"frame {number}"
        with guarded(sequence.pickle, entry) as guard:
            if not pictures.has(path):
                raise BadRow(f"there is no file {pictures.shown(path)}", "missing_picture")
            if not pictures.has(mask := path.replace(".jpg", "-mask.png")):
                raise BadRow(f"there is no mask {pictures.shown(mask)}", "missing_mask")
            if number >= len(annotations):
                raise BadRow(f"there are {len(annotations)} poses, none for frame {number}", "missing_pose")
            annotation = checked(_Annotation, FileRow(entry, annotations[number]))
            named = annotation.name.split("/")
            category = _OTHER_NAMES.get(named[0], named[0])
            if (category, *named[1:3]) != (sequence.category, sequence.object, sequence.sequence):
                raise BadRow(f"name is {annotation.name!r}, which belongs to another video")
            check_rotation(annotation.rotation)
            pose = CameraPose(frame=number, rotation=annotation.rotation, translation=annotation.translation)
            yield None, path, pose
        if guard.refusal is not None:
            yield guard.refusal, path, None


def _record(
    sequence: _Sequence, licence: str, frames: Sequence[tuple[str, CameraPose]], size_wh: tuple[int, int] | None
) -> DatasetRecord:
    video = f"{sequence.category}/{sequence.object}/{sequence.sequence}"
    shown = tuple(
        DatasetPicture(path, f"wild6d:{video}/{pose.frame}", licence, size_wh=size_wh) for path, pose in frames
    )
    truth = CameraPoses(category=sequence.category, up=UP, poses=tuple(pose for _, pose in frames))
    return DatasetRecord(f"wild6d:{video}", sequence.pickle, "", shown, (truth,), len(shown))
