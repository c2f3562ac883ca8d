"""SAM for annotators who draw with clicks and boxes: each picture is embedded once, and each click runs only the small
decoder.

It uses the package `segment_anything` or the SAM of transformers, with the user's own weights, which are never
unpickled.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from benchwright.canonical import digest
from benchwright.errors import PrerequisiteError
from benchwright.models.devices import Device, find_device
from benchwright.regions import (
    HelperPicture,
    Prepared,
    PreparingHelper,
    Proposed,
    RegionError,
    RegionHints,
    WeightedHelper,
)
from benchwright.regions.helper import HelperInput
from benchwright.regions.region import RegionShape, SizeWH

from ..item_parts.cutting_out import Mask
from ..manipulation.models.weights import Weights, find_weights
from .proposing import ProposedBy, region_of_mask

_INSTALL = "pip install 'benchwright[models]' -c constraints.txt"
_MAX_CLICKS = 64
"""Largest number of clicks that the decoder receives; longer strokes are sampled at even distances."""
_FETCH_CHECKPOINT = "curl -O https://dl.fbaipublicfiles.com/segment_anything/sam_vit_b_01ec64.pth"
_FETCH_FOLDER = "hf download facebook/sam-vit-base --local-dir FOLDER"


class _AnySam(WeightedHelper):
    takes: ClassVar[tuple[HelperInput, ...]] = ("box", "points")
    gives: ClassVar[tuple[RegionShape, ...]] = ("mask", "polygon", "box")
    needs: ClassVar[str]

    def missing(self) -> str | None:
        """Return which package or weights are missing, and how to get them; None if nothing is missing."""
        if absent := [package for package in self.packages if find_spec(package) is None]:
            return f"it needs the package {absent[0].replace('_', '-')}: {_INSTALL}"
        if not self.path.exists():
            return f"no weights at {self.path}; fetch them with `{self.fetch}`"
        return None

    def found(self) -> Weights:
        """Return the weights.

        Raises:
            PrerequisiteError: A package is not installed, or the weights are missing.
        """
        if (why := self.missing()) is not None:
            raise PrerequisiteError(f"{self.title}: {why}")
        return find_weights(self.path, purpose=f"the helper {self.title!r}", fetch=self.fetch, needs=self.needs)


class SamSettings(_AnySam):
    """SAM from the package `segment_anything`.

    Attributes:
        weights: Checkpoint, relative to the recipe.
    """

    title: ClassVar[str] = "Segment Anything"
    packages: ClassVar[tuple[str, ...]] = ("torch", "segment_anything")
    fetch: ClassVar[str] = _FETCH_CHECKPOINT
    needs: ClassVar[str] = "sam_vit_b_01ec64.pth"

    def open(self) -> SamHelper:
        """Return the loaded model."""
        return SamHelper(self.found(), find_device(self.device))


class SamTransformersSettings(_AnySam):
    """SAM from transformers.

    Attributes:
        weights: Folder in the layout of transformers, relative to the recipe.
    """

    title: ClassVar[str] = "Segment Anything (transformers)"
    packages: ClassVar[tuple[str, ...]] = ("torch", "transformers")
    fetch: ClassVar[str] = _FETCH_FOLDER
    needs: ClassVar[str] = "config.json"

    def open(self) -> SamTransformersHelper:
        """Return the loaded model."""
        return SamTransformersHelper(self.found(), find_device(self.device))


class _Clicks:
    """The input of SAM's decoder, in pixels of the picture."""

    def __init__(self, hints: RegionHints) -> None:
        inside, outside = (_thinned(strokes) for strokes in (hints.inside, hints.outside))
        self.points = np.array([*inside, *outside], np.float64).reshape(-1, 2)
        self.labels = np.array([1] * len(inside) + [0] * len(outside), np.int64)
        self.box = None if hints.box is None else np.array(hints.box, np.float64)

    @property
    def is_ambiguous(self) -> bool:
        """Return whether the hints are a single click without a box, which may refer to a part or to the whole
        object.
        """
        return self.box is None and len(self.points) == 1


def _thinned(strokes: tuple[tuple[tuple[float, float], ...], ...]) -> list[tuple[float, float]]:
    points = [point for stroke in strokes for point in stroke]
    if len(points) <= _MAX_CLICKS:
        return points
    return [points[place] for place in np.linspace(0, len(points) - 1, _MAX_CLICKS).round().astype(int)]


class _SamHelper(PreparingHelper):
    """The part common to both SAM helpers: an embedding stored by weights and package, and a mask as a region."""

    by: str

    def __init__(self, weights: Weights, device: Device, package: str) -> None:
        self._device, self._version = device, version(package)
        self._weights = weights.sha256
        self._prepared_as = digest([self.by, weights.sha256, device.dtype])

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return the settings and versions that determine the proposals."""
        return {"by": self.by, "version": self._version, "weights": self._weights, "dtype": self._device.dtype}

    @property
    def prepared_as(self) -> str:
        """Return a digest of the weights, the precision and the kind of SAM."""
        return self._prepared_as

    def propose_from(self, prepared: Prepared, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return the region that the box and the clicks denote."""
        clicks = _Clicks(hints)
        if clicks.box is None and not len(clicks.points):
            raise RegionError("click on the subject, or draw a box around it")
        by = ProposedBy(self.by, self._version, weights=self._weights)
        return Proposed(region_of_mask(self._mask(picture.size_wh, clicks, prepared), hints, by))

    @abstractmethod
    def _mask(self, size_wh: SizeWH, clicks: _Clicks, prepared: Prepared) -> Mask:
        """Return the mask that the decoder finds."""


class SamHelper(_SamHelper):
    """SAM from the package `segment_anything`, prompted with clicks and boxes."""

    by = "sam"

    def __init__(self, weights: Weights, device: Device) -> None:
        from ..manipulation.masks.sam_architecture import load_sam
        from ..manipulation.masks.sam_import import segment_anything

        super().__init__(weights, device, "segment-anything")
        model = load_sam(weights.path).to(device.place)
        self._predictor = segment_anything().SamPredictor(model)

    def prepare(self, picture: HelperPicture) -> Prepared:
        """Return the picture's embedding."""
        import torch

        with torch.inference_mode():
            self._predictor.set_image(np.array(picture.pixels))
            features = self._predictor.features.float().cpu().numpy()
            input_hw = np.array(self._predictor.input_size, np.int64)
            self._predictor.reset_image()
        return {"features": features, "input_hw": input_hw}

    def _mask(self, size_wh: SizeWH, clicks: _Clicks, prepared: Prepared) -> Mask:
        import torch

        from ..manipulation.masks.sam_package import set_features

        features = torch.from_numpy(np.array(prepared["features"])).to(self._device.place)
        set_features(self._predictor, (size_wh[1], size_wh[0]), features)
        has_points = len(clicks.points) > 0
        with torch.inference_mode():
            masks, scores, _ = self._predictor.predict(
                point_coords=clicks.points if has_points else None,
                point_labels=clicks.labels if has_points else None,
                box=clicks.box,
                multimask_output=clicks.is_ambiguous,
            )
        self._predictor.reset_image()
        return np.asarray(masks[int(np.argmax(scores))], np.bool_)


class SamTransformersHelper(_SamHelper):
    """SAM from transformers (`SamModel`), prompted with clicks and boxes."""

    by = "sam_transformers"

    def __init__(self, weights: Weights, device: Device) -> None:
        from ..manipulation.masks.sam_transformers import load_sam_folder

        super().__init__(weights, device, "transformers")
        self._processor, model = load_sam_folder(weights.path, device.dtype)
        self._model = model.to(device.place)

    def prepare(self, picture: HelperPicture) -> Prepared:
        """Return the picture's embedding."""
        import torch

        ready = self._processor(images=np.array(picture.pixels), return_tensors="pt")
        with torch.inference_mode():
            seen = self._model.get_image_embeddings(ready["pixel_values"].to(self._device.place))
        return {
            "features": seen.float().cpu().numpy(),
            "input_hw": np.array(ready["reshaped_input_sizes"][0].tolist(), np.int64),
        }

    def _mask(self, size_wh: SizeWH, clicks: _Clicks, prepared: Prepared) -> Mask:
        import torch

        place = self._device.place
        input_hw = [int(side) for side in prepared["input_hw"]]
        scale = np.array([input_hw[1] / size_wh[0], input_hw[0] / size_wh[1]])
        inputs: dict[str, Any] = {}
        if len(clicks.points):
            points = torch.from_numpy((clicks.points * scale).astype(np.float32))
            inputs["input_points"] = points[None, None].to(place)
            inputs["input_labels"] = torch.from_numpy(clicks.labels)[None, None].to(place)
        if clicks.box is not None:
            corners = (clicks.box.reshape(2, 2) * scale).astype(np.float32).reshape(4)
            inputs["input_boxes"] = torch.from_numpy(corners)[None, None].to(place)
        with torch.inference_mode():
            output = self._model(
                image_embeddings=torch.from_numpy(np.array(prepared["features"])).to(place),
                multimask_output=clicks.is_ambiguous,
                **inputs,
            )
        [masks] = self._processor.post_process_masks(
            output.pred_masks.float().cpu(), torch.tensor([[size_wh[1], size_wh[0]]]), torch.tensor([input_hw])
        )
        best = int(output.iou_scores[0, 0].argmax())
        return np.asarray(masks[0, best].numpy(), np.bool_)
