"""Files that state the camera poses of several pictures of one scene.

    images.txt          COLMAP's text model: world to camera; the camera's x goes right, y down, z forward
    transforms.json     NeRF, instant-ngp, nerfstudio: camera to world; x goes right, y up, z backward
    poses.csv           image, then qw, qx, qy, qz or r11 .. r33, then tx, ty, tz; perhaps scene, frame

A table of poses does not state its conventions, so `poses.toml` next to it does; next to the other files it may add
what the object is and which way is up:

    direction = "world_to_camera"   # or "camera_to_world"
    axes = "opencv"                 # x right, y down, z forward; or "opengl": x right, y up, z backward
    thing = "mug"                   # the filmed object; "scene" if not stated
    up = [0, 0, 1]                  # the world's upward direction; otherwise the upward direction of level cameras
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from benchwright.files.tables import text_columns
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, checked, table_rows

from ..ground_truth.truths import CameraPose, CameraPoses, Matrix3
from .map_files import stated_in

CameraForm = Literal["colmap", "transforms", "table"]
POSES_STATEMENT = "poses.toml"
_NOT_KNOWN = "not_known"
_QUATERNION, _ROTATION = ("qw", "qx", "qy", "qz"), tuple(f"r{row}{column}" for row in "123" for column in "123")
_TRANSLATION = ("tx", "ty", "tz")
_MOST_BYTES = 256 << 20
_HEAD_BYTES = 1 << 16
_TOLERANCE = 0.02
"""Largest deviation of a rotation matrix's rows from unit length and from orthogonality."""
_LEAST_SPREAD = 0.01
"""Smallest mean square along the second principal direction at which the cameras' right-hand axes span a plane."""
_MOST_ROLL = 0.2
"""Largest root mean square of the sines of the roll angles at which cameras count as level."""
_LEAST_UPRIGHT = 0.5
"""Length of the mean of the cameras' upward directions, 0-1, below which they have no common upward direction."""
_MOST_ASIDE_DEG = 25.0
"""Largest angle between a camera's line of sight and the scene's center at which the camera counts as looking at it."""
_FLIP: Mapping[str, tuple[float, float, float]] = {"opencv": (1, 1, 1), "opengl": (1, -1, -1)}

Matrix = NDArray[np.float64]


class CameraStatement(BaseModel):
    """The content of `poses.toml`, which this module's docstring explains."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    direction: Literal["world_to_camera", "camera_to_world"] | None = None
    axes: Literal["opencv", "opengl"] | None = None
    thing: str = Field("scene", min_length=1, max_length=200)
    up: tuple[float, float, float] | None = None


class StatedCamera(NamedTuple):
    """A camera as stated by a file, from world to camera, with x right, y down, z forward.

    Args:
        entry: Entry of the camera in the file.
        picture: Name of its picture in the file.
        frame: Number in temporal order; None to order by the pictures' names.
        rotation: 3 x 3.
        translation: Length 3, in the file's unit.
    """

    entry: str
    picture: str
    frame: int | None
    rotation: Matrix
    translation: Matrix


class CameraScene(NamedTuple):
    """Cameras of one scene, in temporal order, and the statements about it."""

    name: str
    cameras: tuple[StatedCamera, ...]
    convention: str
    statement: CameraStatement


class _StatedFrame(BaseModel):
    file_path: str = Field(min_length=1)
    transform_matrix: tuple[tuple[float, ...], ...]


def camera_form(name: str, place: Path) -> CameraForm | None:
    """Return the kind of a camera file, judged by its name and first bytes; None for other files."""
    lower = name.lower()
    if lower == "images.txt":
        return "colmap" if _first_camera(place) is not None else None
    if lower.startswith("transforms") and lower.endswith(".json"):
        return "transforms" if b'"transform_matrix"' in _head(place) else None
    if lower.endswith(".csv"):
        columns = {*text_columns(_head(place))}
        poses = ({*_QUATERNION, *_TRANSLATION}, {*_ROTATION, *_TRANSLATION})
        return "table" if any(columns >= {"image", *wanted} for wanted in poses) else None
    return None


def camera_scenes(root: Path, path: str, form: CameraForm) -> Iterator[CameraScene | RefusedRow]:
    """Yield the scenes in a file, and the file's faults.

    Args:
        root: The folder.
        path: Path of the file below it.
        form: Kind of the file.

    Raises:
        BadRow: The file cannot be read, or its conventions are unknown.
    """
    place = root / path
    beside = place.with_name(POSES_STATEMENT)
    statement = (
        stated_in(beside, beside.relative_to(root).as_posix(), CameraStatement)
        if beside.is_file()
        else CameraStatement()
    )
    if form == "table" and (statement.direction is None or statement.axes is None):
        raise BadRow(
            "it is unknown whether the poses take the world to the camera or the camera to the world, and where the "
            f"axes point; state `direction` and `axes` in {POSES_STATEMENT} beside it, such as "
            'direction = "world_to_camera" and axes = "opencv"',
            _NOT_KNOWN,
        )
    if form != "table" and (statement.direction is not None or statement.axes is not None):
        raise BadRow(
            f"{POSES_STATEMENT} states direction or axes, which are fixed in files of this form", "bad_statement"
        )
    if place.stat().st_size > _MOST_BYTES:
        raise BadRow(f"it has more than {_MOST_BYTES:,} bytes")
    if form == "colmap":
        rows, convention = _colmap(place, path), "world_to_camera, opencv (COLMAP)"
    elif form == "transforms":
        rows, convention = _transforms(place, path), "camera_to_world, opengl (transforms.json)"
    else:
        rows, convention = _table(root, path, statement), f"{statement.direction}, {statement.axes}"
    scenes: dict[str, list[StatedCamera]] = defaultdict(list)
    for row in rows:
        if isinstance(row, RefusedRow):
            yield row
        else:
            scenes[row[0]].append(row[1])
    for name, cameras in sorted(scenes.items()):
        yield CameraScene(name, tuple(_in_time(cameras)), convention, statement)


def poses_of(scene: CameraScene, cameras: Sequence[StatedCamera]) -> CameraPoses:
    """Return the poses of some cameras of a scene, with the point that all of them look at as the origin.

    Args:
        scene: The scene.
        cameras: The cameras shown.

    Raises:
        BadRow: The cameras do not look at one point, or the upward direction is unknown.
    """
    rotations = np.array([camera.rotation for camera in scene.cameras])
    translations = np.array([camera.translation for camera in scene.cameras])
    centres = -np.einsum("nij,ni->nj", rotations, translations)
    forward = rotations[:, 2]
    middle = _looked_at(centres, forward)
    towards = middle - centres
    lengths = np.linalg.norm(towards, axis=1)
    if not (lengths > 1e-9 * max(1.0, float(lengths.max()))).all():
        raise BadRow("a camera is at the point at which all cameras look", "not_one_thing")
    aside = np.degrees(np.arccos(np.clip((towards * forward).sum(axis=1) / lengths, -1, 1)))
    if aside.max() > _MOST_ASIDE_DEG:
        raise BadRow(
            f"the cameras do not look at one place: one looks {aside.max():.0f} degrees past it; at most "
            f"{_MOST_ASIDE_DEG:.0f} are allowed",
            "not_one_thing",
        )
    shown = []
    for frame, camera in enumerate(cameras):
        moved = camera.rotation @ middle + camera.translation
        number = frame if camera.frame is None else camera.frame
        shown.append(CameraPose(frame=number, rotation=_matrix(camera.rotation), translation=_vector(moved)))
    original = {
        "convention": scene.convention,
        "looked_at": [round(float(value), 6) for value in middle],
        "up": "stated" if scene.statement.up is not None else "of level cameras",
    }
    return CameraPoses(category=scene.statement.thing, up=_up(scene, rotations), poses=tuple(shown), original=original)


def check_rotation(rotation: Matrix3) -> None:
    """Check that a matrix is a rotation.

    Raises:
        BadRow: The matrix is not a rotation, or it includes a reflection.
    """
    matrix = np.array(rotation)
    if not np.isfinite(matrix).all() or np.abs(matrix @ matrix.T - np.eye(3)).max() > _TOLERANCE:
        raise BadRow(
            f"rotation is {rotation}, which is not a rotation matrix: its rows must be at right angles and of length 1"
        )
    if np.linalg.det(matrix) < 0:
        raise BadRow(f"rotation is {rotation}, which includes a reflection")


def _looked_at(centres: Matrix, forward: Matrix) -> Matrix:
    """Return the point nearest to all lines of sight, by least squares.

    Raises:
        BadRow: The lines of sight are parallel.
    """
    aside = np.eye(3) - forward[:, :, None] * forward[:, None, :]
    total = aside.sum(axis=0)
    if np.linalg.cond(total) > 1e6:
        raise BadRow("the cameras look in parallel, not at one point", "not_one_thing")
    return np.asarray(np.linalg.solve(total, (aside @ centres[:, :, None]).sum(axis=0))[:, 0])


def _up(scene: CameraScene, rotations: Matrix) -> tuple[float, float, float]:
    if scene.statement.up is not None:
        up = np.array(scene.statement.up)
        if not np.linalg.norm(up) > 0:
            raise BadRow("up is 0, 0, 0, which is not a direction", "bad_statement")
        return _vector(up / np.linalg.norm(up))
    mean = -rotations[:, 1].mean(axis=0)
    right = rotations[:, 0]
    spreads, axes = np.linalg.eigh(right.T @ right / len(right))
    if spreads[1] >= _LEAST_SPREAD:
        # Level cameras have their right sides in one plane, however they are tilted up or down.
        up, is_level = axes[:, 0] * np.sign(axes[:, 0] @ mean), spreads[0] <= _MOST_ROLL**2
    else:
        up, is_level = mean - (mean @ axes[:, 2]) * axes[:, 2], True
    if not is_level or np.linalg.norm(mean) < _LEAST_UPRIGHT or not np.linalg.norm(up) > 0:
        raise BadRow(f"the cameras do not agree on which way is up; state `up` in {POSES_STATEMENT}", _NOT_KNOWN)
    return _vector(up / np.linalg.norm(up))


def _colmap(place: Path, path: str) -> Iterator[tuple[str, StatedCamera] | RefusedRow]:
    """Yield the cameras of COLMAP's images.txt, where a line of points, which may be empty, follows each image."""
    with place.open("rb") as handle:
        number = 0
        while line := handle.readline(_HEAD_BYTES):
            number += 1
            text = line.decode("utf-8", "replace").strip()
            if not text or text.startswith("#"):
                continue
            try:
                yield "", _of_words(text, f"line {number}")
            except BadRow as error:
                yield RefusedRow(path, f"line {number}", error.reason, str(error))
            number += 1
            while (points := handle.readline(_HEAD_BYTES)) and not points.endswith(b"\n"):
                pass


def _of_words(text: str, entry: str) -> StatedCamera:
    words = text.split(maxsplit=9)
    if len(words) != 10:
        raise BadRow(f"{text[:80]!r} is not a line of ten words, from IMAGE_ID and QW to CAMERA_ID and NAME")
    numbers = _numbers(words[1:8])
    return StatedCamera(entry, words[9], None, _of_quaternion(numbers[:4]), numbers[4:])


def _transforms(place: Path, path: str) -> Iterator[tuple[str, StatedCamera] | RefusedRow]:
    try:
        document = json.loads(place.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BadRow(f"it is not JSON: {error}") from None
    frames = document.get("frames") if isinstance(document, dict) else None
    if not isinstance(frames, list):
        raise BadRow("it has no list `frames`")
    for number, frame in enumerate(frames):
        entry = f"frame {number}"
        try:
            stated = checked(_StatedFrame, Row(entry, frame))
            matrix = (
                np.array(stated.transform_matrix) if len({*map(len, stated.transform_matrix)}) == 1 else np.empty(0)
            )
            if matrix.shape not in ((3, 4), (4, 4)):
                raise BadRow("transform_matrix is not a matrix of 4 x 4 numbers")
            yield "", _inverted(entry, stated.file_path, None, matrix[:3, :3], matrix[:3, 3], "opengl")
        except BadRow as error:
            yield RefusedRow(path, entry, error.reason, str(error))


def _table(root: Path, path: str, statement: CameraStatement) -> Iterator[tuple[str, StatedCamera] | RefusedRow]:
    for row in table_rows(DatasetFiles(root), path, needed=("image", *_TRANSLATION)):
        if isinstance(row, RefusedRow):
            yield row
            continue
        try:
            yield row.document.get("scene") or "", _of_cells(row, statement)
        except BadRow as error:
            yield RefusedRow(path, row.entry, error.reason, str(error))


def _of_cells(row: Row, statement: CameraStatement) -> StatedCamera:
    cells = row.document
    if set(_QUATERNION) <= cells.keys():
        rotation = _of_quaternion(_numbers([cells[name] for name in _QUATERNION]))
    else:
        rotation = _numbers([cells[name] for name in _ROTATION]).reshape(3, 3)
    translation = _numbers([cells[name] for name in _TRANSLATION])
    frame: int | None = None
    if text := (cells.get("frame") or "").strip():
        if not text.isdecimal():
            raise BadRow(f"frame is {text!r}; it must be an integer from 0")
        frame = int(text)
    axes = statement.axes or "opencv"
    if statement.direction == "camera_to_world":
        return _inverted(row.entry, cells["image"], frame, rotation, translation, axes)
    flip = np.array(_FLIP[axes])
    check_rotation(_matrix(rotation))
    return StatedCamera(row.entry, cells["image"], frame, flip[:, None] * rotation, flip * translation)


def _inverted(
    entry: str, picture: str, frame: int | None, rotation: Matrix, translation: Matrix, axes: str
) -> StatedCamera:
    """Return a world-to-camera pose, given a camera-to-world pose."""
    check_rotation(_matrix(rotation))
    turned = np.array(_FLIP[axes])[:, None] * rotation.T
    return StatedCamera(entry, picture, frame, turned, -turned @ translation)


def _of_quaternion(quaternion: Matrix) -> Matrix:
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1) > _TOLERANCE:
        raise BadRow(f"the quaternion {quaternion.tolist()} has length {length:g}, but a rotation has length 1")
    w, x, y, z = quaternion / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _numbers(words: Sequence[str]) -> Matrix:
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError as error:
        raise BadRow(str(error)) from None
    if not np.isfinite(numbers).all():
        raise BadRow(f"{' '.join(words)} are not all finite")
    return numbers


def _in_time(cameras: Sequence[StatedCamera]) -> list[StatedCamera]:
    """Return cameras sorted by frame, otherwise by the names of their pictures, in which digits are compared as
    numbers.
    """
    if all(camera.frame is not None for camera in cameras):
        return sorted(cameras, key=lambda camera: (camera.frame, camera.picture))

    def parts(camera: StatedCamera) -> list[tuple[int, str]]:
        return [
            (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", camera.picture) if part
        ]

    return sorted(cameras, key=lambda camera: (parts(camera), camera.picture))


def _first_camera(place: Path) -> StatedCamera | None:
    lines = _head(place).decode("utf-8", "replace").splitlines()
    line = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    try:
        return _of_words(line.strip(), "")
    except BadRow:
        return None


def _head(place: Path) -> bytes:
    with place.open("rb") as handle:
        return handle.read(_HEAD_BYTES)


def _matrix(values: Matrix) -> Matrix3:
    first, second, third = (_vector(row) for row in values)
    return first, second, third


def _vector(values: Matrix) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
