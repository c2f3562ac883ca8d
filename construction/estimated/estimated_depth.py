"""Relative depth of one's own photographs: pairs of points by Depth Anything V2, or by depth maps beside the pictures.

Relative depth as in BLINK (section 3.2) asks only which of two points is closer. A pair is taken where the estimated
depths differ by a share of the map's whole range and depth is locally flat around both points, so that no mark lies on
an edge. In photographs what lies lower is mostly closer. In `hardened` mode both points therefore lie at one height, as
`relative_depth` wants them. In `paper` mode a pair whose closer point is the lower one and a pair whose closer point is
the upper one must both be there, and the seed takes either with equal chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import dist
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, model_validator

from benchwright.canonical import digest, file_digest
from benchwright.estimates import ESTIMATED_BY
from benchwright.images.identify import path_for
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

from ..ground_truth import RECORDS, DepthComparison, Point, RecordPlace, RecordTruth, write_records, write_truths
from ..item_parts.modes import Mode
from .model_step import BY_DIGEST, ModelStep, of_each_picture, open_model, stated_digest

NO_PAIR = "no_pair"
_DRAWN = 400
_SHAPE_SLACK = 0.02
_OFF_MIDDLE = 0.3
"""Share of the width from either side at which the middle of a level pair may lie: what `relative_depth` can show."""
_LEVELS = 4096
"""Levels of a map between its nearest and farthest point: rounding hides what batches change in the last bits."""

Map = NDArray[np.float64]


class _Pair(NamedTuple):
    closer: Point
    farther: Point
    difference: float


class _Flat(NamedTuple):
    """A point around which depth is the same, and how near it is, 0-1."""

    point: Point
    nearness: float


class _BadMap(Exception):
    """A map cannot be used; the text says why."""


class EstimatedDepth(ModelStep, MapStep):
    """Give images a pair of points of which one is clearly closer, by a depth model or by depth maps; drops nothing.

    `relative_depth` makes items of it, with this entry's name under `dataset`. They carry `estimated_by`, and
    `freeze` takes them only after a campaign in which people decide on them. The evidence says `no_pair` of an image
    in which the seed's points have no pair: at one height, or, in `paper` mode, none of both vertical orders.

    Args:
        mode: `hardened`: both points lie at one height, and their middle not far from that of the picture. `paper`:
            anywhere. Give `relative_depth` the same mode.
        weights: Folder of a Depth Anything model in the layout of transformers, relative to the recipe's folder; null
            for Depth Anything V2 Small where it lies on this machine. A run writes the digest of its files instead.
        maps: Folder of depth maps, relative to the recipe's folder, in place of a model: `NAME.npy`, or `NAME.png` of
            16 bits, for a picture `NAME.jpg`, in the same folders. A run writes the digest of the maps instead.
        larger_is_nearer: Whether larger numbers of the maps are nearer, as in relative inverse depth.
        margin: Smallest difference of both depths, as a fraction of the map's range.
        flatness: Largest difference of depths around a point, as a fraction of the map's range.
        flat_radius: Half the side of the square around a point in which that holds, as a fraction of the shorter side.
        min_distance: Smallest distance of the two points, as a fraction of the shorter side.
        border: Smallest distance of a point from the border, as a fraction of the shorter side.

    Reasons:
        no_map (ask): No depth map lies at the picture's name.
        bad_map (ask): The depth map is unreadable, has another shape than the picture, or is the same everywhere; the
            evidence says which.
    """

    name: ClassVar[str] = "estimated_depth"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {RECORDS: "string", DepthComparison.kind: "string"}
    costly: ClassVar[bool] = True
    repository: ClassVar[str] = "depth-anything/Depth-Anything-V2-Small-hf"
    estimator: ClassVar[str] = "depth_anything"
    placed_under: ClassVar[str] = "`weights` or `maps`"

    mode: Mode = "hardened"
    maps: str | None = Field(None, min_length=1)
    larger_is_nearer: bool = True
    margin: float = Field(0.2, gt=0, lt=1)
    flatness: float = Field(0.05, ge=0, lt=1)
    flat_radius: float = Field(0.03, gt=0, le=0.2)
    min_distance: float = Field(0.2, ge=0.02, le=1)
    border: float = Field(0.08, ge=0, le=0.4)
    _of_maps: str | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _takes_one_of_both(self) -> EstimatedDepth:
        if self.weights is not None and self.maps is not None:
            raise ValueError("give `weights` of a model or a folder of `maps`, not both")
        if self.flatness >= self.margin:
            raise ValueError(f"flatness {self.flatness:g} must be below margin {self.margin:g}")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings, with digests in place of folders; batch size and device do not matter."""
        if self.maps is None:
            return super().parameters()
        settings = self.model_dump(mode="json", exclude={"batch_size", "device"})
        return {**settings, "maps": f"{BY_DIGEST}{self._maps_sha256()}"}

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return that the weights are not on this machine, where the recipe names neither weights nor maps."""
        return super().lacks(before) if self.maps is None else None

    def weights_hash(self) -> str | None:
        """Return the digest of the model's files; None where maps take its place."""
        return super().weights_hash() if self.maps is None else None

    def estimated_by(self) -> str:
        """Return which model or which maps the depth is of."""
        return super().estimated_by() if self.maps is None else f"depth_maps {BY_DIGEST}{self._maps_sha256()}"

    def _maps_sha256(self) -> str:
        if self._of_maps is None:
            named = self.maps or ""
            stated = stated_digest(named)
            if stated is None:
                folder = self.folder_at(named)
                paths = sorted(path for path in folder.rglob("*") if path.suffix in (".npy", ".png"))
                stated = digest({path.relative_to(folder).as_posix(): file_digest(path) for path in paths})
            self._of_maps = stated
        return self._of_maps

    def open(self, ctx: OpenContext) -> Any:
        """Load the model; nothing where maps take its place."""
        del ctx
        return _load(self.weights_folder(), self.device) if self.maps is None else None

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Choose the pair of one picture."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Estimate the depth of pictures in batches of one size, and choose the pair of each."""
        if self.maps is not None:
            return [self._of_map(record, ctx) for record in records]
        depths = of_each_picture(
            records, ctx, ctx.opened, batch_size=self.batch_size, key=lambda picture: picture.shape
        )
        return [
            depth if isinstance(depth, Outcome) else self._outcome(record, ctx, depth)
            for record, depth in zip(records, depths, strict=True)
        ]

    def _of_map(self, record: ImageRecord, ctx: Context) -> Outcome:
        uri = record.source.uri if record.source is not None else None
        stem = None if uri is None or self.maps is None else self.folder_at(self.maps) / path_for(uri).with_suffix("")
        paths = [] if stem is None else [stem.with_name(stem.name + suffix) for suffix in (".npy", ".png")]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            return Outcome("ask", "no_map")
        try:
            depth = _read_map(path)
            height, width = depth.shape
            if abs(width * record.height / (height * record.width) - 1) > _SHAPE_SLACK:
                raise _BadMap(f"it has {width} x {height} numbers, the picture {record.width} x {record.height} pixels")
        except _BadMap as error:
            return Outcome("ask", "bad_map", evidence={"detail": f"{path.name}: {error}"})
        return self._outcome(record, ctx, depth if self.larger_is_nearer else -depth)

    def _outcome(self, record: ImageRecord, ctx: Context, nearness: Map) -> Outcome:
        lowest, highest = float(nearness.min()), float(nearness.max())
        if not highest > lowest:
            return Outcome("ask", "bad_map", evidence={"detail": "depth is the same everywhere"})
        scaled = np.round((nearness - lowest) / (highest - lowest) * _LEVELS) / _LEVELS
        pair = self._chosen(scaled, (record.width, record.height), ctx.rng(record.image_id, "pair"))
        if pair is None:
            return Outcome(evidence={"left_out": NO_PAIR})
        model = self.estimated_by()
        original = {ESTIMATED_BY: model, "difference": round(pair.difference, 4)}
        truth = DepthComparison(first=pair.closer, second=pair.farther, closer="first", original=original)
        name = f"{model.partition(' ')[0]}:{record.image_id[:16]}"
        return Outcome(
            values={
                RECORDS: write_records([RecordPlace(name, 0)]),
                DepthComparison.kind: write_truths([RecordTruth(name, (record.image_id,), truth)]),
            },
            evidence=original,
        )

    def _chosen(self, nearness: Map, size_wh: tuple[int, int], rng: np.random.Generator) -> _Pair | None:
        """Return a pair of points; None where the picture's own draws have none.

        In `hardened` mode both lie at one height. In `paper` mode the closer one is the lower or the upper one with
        equal chance, and there is no pair without both kinds.

        Args:
            nearness: Map, rows by columns, 0 for the farthest and 1 for the nearest point.
            size_wh: Size of the picture, in pixels.
            rng: Generator of the picture.
        """
        rows, columns = nearness.shape
        across, down = size_wh[0] / columns, size_wh[1] / rows
        side = min(size_wh)
        radius = (max(1, round(self.flat_radius * side / down)), max(1, round(self.flat_radius * side / across)))
        edge = (
            max(radius[0], int(np.ceil(self.border * side / down))),
            max(radius[1], int(np.ceil(self.border * side / across))),
        )
        if rows <= 2 * edge[0] or columns <= 2 * edge[1]:
            return None

        def flat_at(y: int, x: int) -> _Flat | None:
            around = nearness[y - radius[0] : y + radius[0] + 1, x - radius[1] : x + radius[1] + 1]
            if around.max() - around.min() > self.flatness:
                return None
            return _Flat((round((x + 0.5) * across, 2), round((y + 0.5) * down, 2)), float(nearness[y, x]))

        def pair_of(first: _Flat, second: _Flat) -> _Pair | None:
            difference = abs(first.nearness - second.nearness)
            if difference < self.margin or dist(first.point, second.point) < self.min_distance * side:
                return None
            closer, farther = (first, second) if first.nearness > second.nearness else (second, first)
            return _Pair(closer.point, farther.point, difference)

        if self.mode == "hardened":
            for y in rng.integers(edge[0], rows - edge[0], _DRAWN).tolist():
                low, high = sorted(rng.integers(edge[1], columns - edge[1], 2).tolist())
                if not _OFF_MIDDLE <= (low + high + 1) / 2 / columns <= 1 - _OFF_MIDDLE:
                    continue
                ends = [flat_at(y, x) for x in (low, high)]
                if ends[0] and ends[1] and (level := pair_of(ends[0], ends[1])) is not None:
                    return level
            return None
        wants_lower = bool(rng.integers(2))
        ys = rng.integers(edge[0], rows - edge[0], _DRAWN)
        xs = rng.integers(edge[1], columns - edge[1], _DRAWN)
        drawn = (flat_at(y, x) for y, x in zip(ys.tolist(), xs.tolist(), strict=True))
        flat = [point for point in drawn if point is not None]
        pairs: dict[bool, _Pair] = {}
        for place, first in enumerate(flat):
            for second in flat[:place]:
                pair = pair_of(first, second)
                if pair is not None and pair.closer[1] != pair.farther[1]:
                    pairs.setdefault(pair.closer[1] > pair.farther[1], pair)
            if len(pairs) == 2:
                return pairs[wants_lower]
        return None


def _read_map(path: Path) -> Map:
    """Return the numbers of a depth map.

    Raises:
        _BadMap: It cannot be read, or holds something else than one finite number a place.
    """
    from PIL import Image

    try:
        if path.suffix == ".npy":
            numbers = np.load(path, allow_pickle=False)
        else:
            with Image.open(path) as picture:
                if not picture.mode.startswith("I"):
                    raise _BadMap(f"a PNG of mode {picture.mode}, not of 16 bits and one channel")
                numbers = np.asarray(picture)
    except (OSError, ValueError, EOFError) as error:
        raise _BadMap(f"it cannot be read ({type(error).__name__})") from error
    if numbers.ndim != 2 or numbers.size == 0 or numbers.dtype.kind not in "uif":
        raise _BadMap(f"numbers of type {numbers.dtype} and shape {numbers.shape}, not rows by columns")
    depth: Map = numbers.astype(np.float64)
    if not np.isfinite(depth).all():
        raise _BadMap("not all of its numbers are finite")
    return depth


def _load(folder: Path, device: str | None) -> Any:
    """Return the function that estimates relative inverse depth of pictures of one size.

    Raises:
        PrerequisiteError: Packages are missing, or the folder holds no Depth Anything model.
    """
    opened = open_model(
        folder,
        "DepthAnythingForDepthEstimation",
        model_type="depth_anything",
        device=device,
        processor="AutoImageProcessor",
    )

    import torch

    def depths(pictures: Sequence[NDArray[np.uint8]]) -> list[Map]:
        ready = opened.processor(images=[np.array(picture) for picture in pictures], return_tensors="pt")
        with torch.inference_mode():
            predicted = opened.model(**ready.to(opened.place)).predicted_depth
        return list(predicted.float().cpu().numpy().astype(np.float64))

    return depths
