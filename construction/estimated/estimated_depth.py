"""Relative depth in your own photographs: pairs of points from Depth Anything V2 or from existing depth maps.

Relative depth as in BLINK (section 3.2) asks only which of two points is closer. A pair is accepted if the estimated
depths differ by a given fraction of the map's whole range. In photographs, lower points are usually closer. In
`hardened` mode, both points are therefore level, as `relative_depth` requires. In `paper` mode, the picture must offer
a pair whose closer point is the lower one and a pair whose closer point is the upper one, and the seed chooses one of
them with equal probability.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, model_validator

from benchwright.canonical import digest, file_digest
from benchwright.images.identify import path_for
from benchwright.models.device_pixels import SUFFICIENT_RATIO, DevicePixels
from benchwright.models.devices import in_bfloat16
from benchwright.models.picture_batches import PictureBatches, PictureModel, Pixels
from benchwright.records import ImageRecord
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.source_files.rows import BadRow
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Resources, Step, Stream

from ..ground_truth.truths import DepthComparison
from ..ground_truth.values import RECORDS, RecordPlace, RecordTruth, write_records, write_truths
from ..item_parts.marks.depth_pairs import Arrangement, PairLimits, depth_pairs
from ..item_parts.options.modes import Mode
from ..measured.depth_maps import read_depth_map
from ..measured.map_files import is_same_shape
from .model_step import BATCH_SIZE, BY_DIGEST, ModelStep, OpenedModel, open_model, stated_digest

_NO_PAIR = "no_pair"
_LEVELS = 4096
"""Number of levels of a map between its nearest and farthest points; rounding to them hides batch effects in the last
bits.
"""

_EITHER: dict[Mode, tuple[Arrangement, Arrangement]] = {"hardened": ("left", "right"), "paper": ("lower", "upper")}
"""The two arrangements of points; a picture must have a pair in each, and the seed chooses one of them."""

Map = NDArray[np.float64]
_NetworkMap = NDArray[np.float32]


class EstimatedDepth(ModelStep, MapStep):
    """Use a depth model or depth maps to give images a pair of points, one of them clearly closer; drops nothing.

    `relative_depth` makes items from it if `dataset` names this entry. The items carry `estimated_by`, and `freeze`
    accepts them only after a campaign in which people decide on them. The evidence states `no_pair` if the points that
    the seed draws in an image include no suitable pair: no level pair or, in `paper` mode, not a pair in each vertical
    order.

    Args:
        mode: `hardened` for level points whose midpoint is close to the picture's center, `paper` for points anywhere.
            Give `relative_depth` the same mode.
        weights: Folder of a Depth Anything model in the layout of transformers, relative to the recipe's folder; null
            for Depth Anything V2 Small if this machine has it. A run writes the digest of its files instead.
        maps: Folder of depth maps, relative to the recipe's folder, in place of a model: `NAME.npy`, or `NAME.png`
                of
            16 bits, for a picture `NAME.jpg`, in the same folders. A run writes the digest of the maps instead.
        larger_is_nearer: Whether larger numbers of the maps are nearer, as in relative inverse depth.
        margin: Smallest difference between the two depths, as a fraction of the map's range.
        flatness: Largest difference of depths around a point, as a fraction of the map's range.
        flat_radius: Half the side of the square around a point for `flatness`, as a fraction of the shorter side.
        min_distance: Smallest distance between the two points, as a fraction of the shorter side.

    Reasons:
        no_map (ask): There is no depth map with the picture's name.
        bad_map (ask): The depth map is unreadable, has another shape than the picture, or is constant; the evidence
            states which.
    """

    name: ClassVar[str] = "estimated_depth"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {RECORDS: "string", DepthComparison.kind: "string"}
    costly: ClassVar[bool] = True
    resources: ClassVar[Resources] = Resources(memory_mb=2048, gpu_memory_mb=5000)
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
    _of_maps: str | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _takes_one_of_both(self) -> EstimatedDepth:
        if self.weights is not None and self.maps is not None:
            raise ValueError("give `weights` of a model or a folder of `maps`, not both")
        if self.flatness >= self.margin:
            raise ValueError(f"flatness {self.flatness:g} must be below margin {self.margin:g}")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings, with digests in place of folders, and without the batch size and the device."""
        if self.maps is None:
            return super().parameters()
        settings = self.model_dump(mode="json", exclude={"batch_size", "device"})
        return {**settings, "maps": f"{BY_DIGEST}{self._maps_sha256()}"}

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return a message if the weights are missing and the recipe names neither weights nor maps, otherwise None."""
        return super().lacks(before) if self.maps is None else None

    def weights_hash(self) -> str | None:
        """Return the digest of the model's files; None if maps replace the model."""
        return super().weights_hash() if self.maps is None else None

    def needs(self) -> Resources:
        """Return what a worker needs: no GPU if maps replace the model."""
        return super().needs() if self.maps is None else self.resources._replace(gpu_memory_mb=0)

    def estimated_by(self) -> str:
        """Return the source of the depth: the model or the maps."""
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

    def shares_model(self) -> bool:
        """Return whether a model is used whose device the settings do not specify."""
        return self.maps is None and self.device is None

    def open(self, ctx: OpenContext) -> Any:
        """Load the model, unless maps replace it."""
        del ctx
        if self.maps is not None:
            return None
        estimator = _DepthEstimator.load(self.weights_folder(), self.device)
        return PictureBatches(
            estimator.depths, batch_size=self.batch_size or BATCH_SIZE, key=estimator.key, least_px=estimator.least_px
        )

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Choose the pair of one picture."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        """Estimate the depth of pictures in batches of one size, and choose the pair of each."""
        if self.maps is not None:
            return [self._of_map(record, ctx) for record in records]
        opened: PictureModel[_NetworkMap] = ctx.opened
        return [
            depth if isinstance(depth, Outcome) else self._outcome(record, ctx, depth.astype(np.float64))
            for record, depth in zip(records, opened.results(records, ctx), strict=True)
        ]

    def _of_map(self, record: ImageRecord, ctx: Context) -> Outcome:
        uri = record.source.uri if record.source is not None else None
        stem = None if uri is None or self.maps is None else self.folder_at(self.maps) / path_for(uri).with_suffix("")
        paths = [] if stem is None else [stem.with_name(stem.name + suffix) for suffix in (".npy", ".png")]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            return Outcome("ask", "no_map")
        try:
            depth = read_depth_map(path)
            if not np.isfinite(depth).all():
                raise BadRow("not all of its numbers are finite")
            height, width = depth.shape
            if not is_same_shape((width, height), (record.width, record.height)):
                raise BadRow(
                    f"it has {width} x {height} numbers, but the picture has {record.width} x {record.height} pixels"
                )
        except BadRow as error:
            return Outcome("ask", "bad_map", evidence={"detail": f"{path.name}: {error}"})
        return self._outcome(record, ctx, depth if self.larger_is_nearer else -depth)

    def _outcome(self, record: ImageRecord, ctx: Context, nearness: Map) -> Outcome:
        lowest, highest = float(nearness.min()), float(nearness.max())
        if not highest > lowest:
            return Outcome("ask", "bad_map", evidence={"detail": "depth is the same everywhere"})
        scaled = np.round((nearness - lowest) / (highest - lowest) * _LEVELS) / _LEVELS
        rng = ctx.rng(record.image_id, "pair")
        either = _EITHER[self.mode]
        wanted = either[rng.integers(2)]
        limits = PairLimits(self.margin, self.flatness, self.flat_radius, self.min_distance)
        pairs = depth_pairs(scaled, (record.width, record.height), limits, rng, wanted=frozenset(either))
        if len(pairs) < 2:
            return Outcome(evidence={"left_out": _NO_PAIR})
        pair = pairs[wanted]
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


class _DepthEstimator:
    """A loaded Depth Anything model.

    Args:
        opened: Model and processor, on a device.
        resizes: Whether the device resizes pictures, if the processor does nothing else.
    """

    def __init__(self, opened: OpenedModel, *, resizes: bool) -> None:
        self._opened = opened
        self._pixels = DevicePixels.of_processor(opened.processor) if resizes else None

    @classmethod
    def load(cls, folder: Path, device: str | None) -> _DepthEstimator:
        """Return the model of a folder.

        Raises:
            PrerequisiteError: Packages are missing, or the folder contains no Depth Anything model.
        """
        opened = open_model(
            folder,
            "DepthAnythingForDepthEstimation",
            model_type="depth_anything",
            device=device,
            processor="AutoImageProcessor",
        )
        return cls(opened, resizes=opened.place != "cpu")

    @property
    def least_px(self) -> int | None:
        """Return the shorter side, in pixels, that is sufficient for a reduced picture, or None if pictures must not be
        reduced.
        """
        return None if self._pixels is None else SUFFICIENT_RATIO * max(self._size.height, self._size.width)

    @property
    def _size(self) -> Any:
        return self._opened.processor.size

    def key(self, picture: Pixels) -> Hashable:
        """Return the key that the pictures of a batch share: the size of the network's input."""
        return picture.shape if self._pixels is None else self._seen_hw(picture)

    def _seen_hw(self, picture: Pixels) -> tuple[int, int]:
        from transformers.models.dpt.image_processing_pil_dpt import get_resize_output_image_size

        processor = self._opened.processor
        size = get_resize_output_image_size(
            picture.transpose(2, 0, 1),
            output_size=(self._size.height, self._size.width),
            keep_aspect_ratio=processor.keep_aspect_ratio,
            multiple=processor.ensure_multiple_of,
        )
        return size.height, size.width

    def depths(self, pictures: Sequence[Pixels]) -> list[_NetworkMap]:
        """Return the relative inverse depth of pictures with the same key, at the size of the network's input."""
        import torch

        place = self._opened.place
        with torch.inference_mode(), in_bfloat16(place):
            if self._pixels is None:
                images = [np.array(picture) for picture in pictures]
                ready = self._opened.processor(images=images, return_tensors="pt").to(place)["pixel_values"]
            else:
                ready = self._pixels.batch(pictures, self._seen_hw(pictures[0]), place)
            return list(self._opened.model(pixel_values=ready).predicted_depth.float().cpu().numpy())
