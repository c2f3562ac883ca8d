"""An image-classification model in a folder: finding, hashing, and loading it through transformers.

No file of the folder is unpickled, and none of its code runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.models.device_pixels import SUFFICIENT_RATIO, DevicePixels
from benchwright.models.devices import find_device
from benchwright.models.local_weights import weights_digest

INSTALL = "pip install 'benchwright[models]' -c constraints.txt"
_NEEDED = ("config.json", "preprocessor_config.json")
_DECIDES = ("*.safetensors", "*.json")


def classifier_hash(folder: Path) -> str:
    """Return the digest of the names and contents of all files that determine a model's output.

    Raises:
        PrerequisiteError: The folder is missing, or contains no such model.
    """
    return weights_digest(folder, _deciding_files(folder))


def _deciding_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise PrerequisiteError(
            f"model folder {folder} does not exist; download an image-classification model into it, for example with "
            "`hf download ORG/NAME --local-dir FOLDER`"
        )
    files = sorted({path for pattern in _DECIDES for path in folder.glob(pattern) if path.is_file()})
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if not any(path.suffix == ".safetensors" for path in files):
        missing.append("*.safetensors")
    if missing:
        raise PrerequisiteError(
            f"{folder} contains no image-classification model: {', '.join(missing)} is missing (pickled weights are "
            "not loaded); download the whole model"
        )
    return files


class Classifier(NamedTuple):
    """A loaded model.

    Args:
        model: The transformers model, on its device.
        processor: Image processor, which brings pictures to the model's size and range.
        labels: Labels in the order of the model's outputs.
        alone: Whether labels exclude each other; if not, each label has a separate probability.
        pixels: The processor's operations, for a GPU; None if the processor does more than resize and normalize.
    """

    model: Any
    processor: Any
    labels: tuple[str, ...]
    alone: bool
    pixels: DevicePixels | None = None

    @property
    def least_px(self) -> int | None:
        """Return the shorter side, in pixels, to which pictures may be reduced beforehand; None if reduction is not
        allowed.
        """
        return None if self.pixels is None else SUFFICIENT_RATIO * max(self._size_hw)

    @property
    def _size_hw(self) -> tuple[int, int]:
        return self.processor.size["height"], self.processor.size["width"]

    def probabilities(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float64]:
        """Return the probability of each label, (pictures, labels), for RGB pictures of shape (height, width, 3)."""
        import torch

        place = self.model.device
        with torch.inference_mode():
            if place.type == "cpu" or self.pixels is None:
                inputs = self.processor(images=[np.array(picture) for picture in pictures], return_tensors="pt")
                scores = self.model(**inputs.to(place)).logits.float()
            else:
                scores = self.model(pixel_values=self.pixels.batch(pictures, self._size_hw, str(place))).logits.float()
            probabilities = scores.softmax(dim=-1) if self.alone else scores.sigmoid()
        return np.asarray(probabilities.cpu().numpy(), np.float64)


def load_classifier(folder: Path, *, labels: Sequence[str], device: str | None) -> Classifier:
    """Load a model from its folder, offline.

    Args:
        folder: Folder of the model, as for `classifier_hash`.
        labels: Labels that the model must have.
        device: Device, such as `cuda:0`; None for the first GPU, or for the CPU if there is no GPU.

    Raises:
        PrerequisiteError: transformers is not installed, or the folder contains no such model.
        BenchwrightError: The model lacks a label.
    """
    _deciding_files(folder)
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise PrerequisiteError(f"classifying images needs torch and transformers, which are not installed: {INSTALL}")
    import torch
    from safetensors import SafetensorError
    from transformers import AutoImageProcessor, AutoModelForImageClassification

    where = find_device(device).place
    torch.set_num_threads(1)
    try:
        processor = AutoImageProcessor.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        model, loaded = AutoModelForImageClassification.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, local_files_only=True, output_loading_info=True
        )
    except (OSError, ValueError, ImportError, SafetensorError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PrerequisiteError(f"{folder} cannot be loaded as an image-classification model: {first}") from error
    except RuntimeError as error:  # transformers raises it for weights of other sizes
        raise PrerequisiteError(
            f"the weights in {folder} do not fit its config.json; download the whole model"
        ) from error
    if lost := sorted(loaded["missing_keys"]):  # transformers would initialize them at random
        raise PrerequisiteError(
            f"the weights in {folder} lack {len(lost)} that its config.json requires, such as {lost[0]}; download "
            "the whole model"
        )
    known = tuple(str(model.config.id2label[number]) for number in range(model.config.num_labels))
    if unknown := [label for label in labels if label not in known]:
        listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
        raise BenchwrightError(f"the model in {folder} has no label {unknown[0]!r}; it has: {listed}")
    alone = model.config.problem_type != "multi_label_classification"
    return Classifier(model.to(where).eval(), processor, known, alone, DevicePixels.of_processor(processor))
