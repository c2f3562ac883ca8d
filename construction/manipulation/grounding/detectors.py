"""Models of transformers that find a phrase in a picture: Grounding DINO, OWLv2, Florence-2."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import PrerequisiteError
from benchwright.models.local_weights import weights_digest

from ...item_parts.idea import Box

INSTALL = "pip install 'benchwright[models]' -c constraints.txt"
_DECIDES = ("*.safetensors", "*.json", "*.txt", "*.model")
_GROUND = "<CAPTION_TO_PHRASE_GROUNDING>"
_MOST_NEW_TOKENS = 128


class DetectedPhrase(NamedTuple):
    """The location of a phrase's referent in a picture.

    Args:
        box: Box in pixels of the picture; it may reach beyond the picture.
        score: 0 to 1; None if the model gives none.
    """

    box: Box
    score: float | None


class Detector(Protocol):
    """A finder of phrases in pictures."""

    def find(self, pixels: NDArray[np.uint8], phrases: Sequence[str]) -> list[DetectedPhrase | None]:
        """Return the most likely box for each phrase, or None if none is found."""

    def find_all(self, pixels: NDArray[np.uint8], phrases: Sequence[str]) -> list[list[DetectedPhrase]]:
        """Return all boxes for each phrase, the most likely first."""


def weights_of(folder: Path) -> str:
    """Return the digest of the names and contents of all files that determine a model's results.

    Raises:
        PrerequisiteError: The folder contains no model.
    """
    weights = sorted(folder.glob("*.safetensors"))
    if not weights or not (folder / "config.json").is_file():
        raise PrerequisiteError(
            f"{folder} holds no model: it needs config.json and *.safetensors (pickled weights are not loaded); "
            "download one, as `hf download ORG/NAME --local-dir FOLDER` does"
        )
    return weights_digest(folder, {path for pattern in _DECIDES for path in folder.glob(pattern) if path.is_file()})


def load_detector(folder: Path, *, device: str, threshold: float) -> Detector:
    """Return the detector in a folder.

    Raises:
        PrerequisiteError: Packages are missing, or the folder does not hold a model that finds phrases.
    """
    try:
        import torch  # noqa: F401
        from transformers import (
            AutoProcessor,
            Florence2ForConditionalGeneration,
            GroundingDinoForObjectDetection,
            Owlv2ForObjectDetection,
        )
    except ImportError as error:
        raise PrerequisiteError(f"finding phrases needs torch and transformers: {INSTALL}") from error
    known: dict[str, tuple[Any, Callable[..., Detector]]] = {
        "grounding-dino": (GroundingDinoForObjectDetection, _GroundingDino),
        "owlv2": (Owlv2ForObjectDetection, _Owlv2),
        "florence2": (Florence2ForConditionalGeneration, _Florence2),
    }
    try:
        kind = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
        architecture, detector = known[kind]
        processor = AutoProcessor.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        model = architecture.from_pretrained(folder, use_safetensors=True, local_files_only=True).to(device).eval()
    except KeyError as error:
        raise PrerequisiteError(
            f"{folder.name} holds a model of type {error}, which finds no phrases; known: {', '.join(known)}"
        ) from error
    except (OSError, ValueError, RuntimeError, AttributeError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PrerequisiteError(f"{folder.name} cannot be loaded on {device}: {first[:200]}") from error
    return detector(model, processor, device, threshold)


class _Model:
    def __init__(self, model: Any, processor: Any, device: str, threshold: float) -> None:
        self.model, self.processor, self.device, self.threshold = model, processor, device, threshold

    def find(self, pixels: NDArray[np.uint8], phrases: Sequence[str]) -> list[DetectedPhrase | None]:
        """Return the first box of each phrase."""
        return [places[0] if places else None for places in self.find_all(pixels, phrases)]

    def find_all(self, pixels: NDArray[np.uint8], phrases: Sequence[str]) -> list[list[DetectedPhrase]]:
        """Return all boxes of each phrase."""
        raise NotImplementedError


class _GroundingDino(_Model):
    def find_all(self, pixels: NDArray[np.uint8], phrases: Sequence[str]) -> list[list[DetectedPhrase]]:
        """Ask for each phrase separately, in one batch: jointly, one phrase's words would name another's box."""
        import torch

        texts = [[phrase.replace(".", " ").lower()] for phrase in phrases]
        ready = self.processor(images=[np.array(pixels)], text=texts, padding=True, return_tensors="pt").to(self.device)
        for name in ("pixel_values", "pixel_mask"):  # scales and sends the picture once for all phrases
            ready[name] = ready[name].expand(len(phrases), *ready[name].shape[1:])
        with torch.inference_mode():
            output = self.model(**ready)
        detections = self.processor.post_process_grounded_object_detection(
            output, ready["input_ids"], threshold=self.threshold, target_sizes=[pixels.shape[:2]] * len(phrases)
        )
        return [_ranked(detection["boxes"], detection["scores"]) for detection in detections]


class _Owlv2(_Model):
    def find_all(self, pixels: NDArray[np.uint8], phrases: Sequence[str]) -> list[list[DetectedPhrase]]:
        """Ask for all phrases of the picture together; each box gets the phrase that fits it best."""
        import torch

        ready = self.processor(
            images=[np.array(pixels)], text=[list(phrases)], truncation=True, padding="max_length", return_tensors="pt"
        )
        with torch.inference_mode():
            output = self.model(**ready.to(self.device))
        [detections] = self.processor.post_process_grounded_object_detection(
            output, threshold=self.threshold, target_sizes=[pixels.shape[:2]]
        )
        of = [detections["labels"] == number for number in range(len(phrases))]
        return [_ranked(detections["boxes"][mine], detections["scores"][mine]) for mine in of]


class _Florence2(_Model):
    def find_all(self, pixels: NDArray[np.uint8], phrases: Sequence[str]) -> list[list[DetectedPhrase]]:
        """Ask for each phrase separately, in one batch; boxes keep the order of the reply and have no scores."""
        import torch

        texts = [_GROUND + phrase.replace("<", " ").replace(">", " ") for phrase in phrases]
        pictures = [np.array(pixels)] * len(phrases)
        ready = self.processor(images=pictures, text=texts, return_tensors="pt", padding=True).to(self.device)
        with torch.inference_mode():
            tokens = self.model.generate(**ready, max_new_tokens=_MOST_NEW_TOKENS, do_sample=False)
        replies = self.processor.batch_decode(tokens, skip_special_tokens=False)
        return [self._boxes(reply, pixels.shape) for reply in replies]

    def _boxes(self, reply: str, shape: tuple[int, ...]) -> list[DetectedPhrase]:
        read = self.processor.post_process_generation(reply, task=_GROUND, image_size=(shape[1], shape[0]))
        return [DetectedPhrase(_box(box), None) for box in read[_GROUND]["bboxes"]]


def _ranked(boxes: Any, scores: Any) -> list[DetectedPhrase]:
    """Return boxes by descending score; equal scores keep their order."""
    # Lists first: reading a tensor number by number would fetch each one from the GPU separately.
    numbers = sorted(zip(scores.tolist(), boxes.tolist(), strict=True), key=lambda scored: -scored[0])
    return [DetectedPhrase(_box(box), round(score, 6)) for score, box in numbers]


def _box(numbers: Sequence[float]) -> Box:
    x0, y0, x1, y1 = (round(float(number), 2) for number in numbers)
    return x0, y0, x1, y1
