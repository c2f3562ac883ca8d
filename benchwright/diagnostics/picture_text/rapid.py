"""Text recognition by rapidocr with the models that ship in its wheel: offline, on one thread.

This uses only the two networks of rapidocr's pipeline and their immediate pre- and postprocessing. Pictures arrive at
the required size, so nothing is resized twice. Corners are requested in sixteenths of a pixel, since rounding the box
of a line 12 pixels high to whole pixels changes its area by several percent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchwright.canonical import digest, file_digest
from benchwright.errors import PrerequisiteError

from .base import Pixels, TextProposal, TextReading

_DETECTOR, _READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
_INSTALL = "pip install 'benchwright[filters]'"
_PARTS_OF_A_PIXEL = 16
_LINES_AT_ONCE = 6


class RapidText:
    """One detector and one reader.

    Args:
        confidence: Smallest confidence of the detector, 0-1, for a proposed box.
    """

    def __init__(self, *, confidence: float) -> None:
        detector, reader = model_files()
        from rapidocr import RapidOCR
        from rapidocr.ch_ppocr_det import TextDetector
        from rapidocr.ch_ppocr_rec import TextRecognizer

        threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
        settings = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Det.model_path": str(detector),
                "Det.box_thresh": confidence,
                "Rec.model_path": str(reader),
                "Rec.rec_batch_num": _LINES_AT_ONCE,
                **threads,
            }
        ).cfg
        settings.Det.engine_cfg = settings.Rec.engine_cfg = settings.EngineConfig.onnxruntime
        settings.Rec.font_path = None
        self._detector = TextDetector(settings.Det)
        self._reader = TextRecognizer(settings.Rec)

    @property
    def name(self) -> str:
        """Return the engine's name; the run's log has its version, and the step's settings have the models' hash."""
        return "rapidocr, PP-OCRv6 small"

    def detect(self, shown: Pixels) -> list[TextProposal]:
        """Return the proposals for a BGR picture whose sides are multiples of 32."""
        height, width = shown.shape[:2]
        # The models need -1 to 1, channels first, in single precision; rapidocr itself uses double in between.
        batch = np.ascontiguousarray((shown.astype(np.float32) * np.float32(2 / 255) - 1).transpose(2, 0, 1)[None])
        finer = (height * _PARTS_OF_A_PIXEL, width * _PARTS_OF_A_PIXEL)
        boxes, scores = self._detector.postprocess_op(self._detector.session(batch), finer)
        return [
            TextProposal(np.asarray(box, np.float32) / np.float32(_PARTS_OF_A_PIXEL), float(score))
            for box, score in zip(boxes, scores, strict=True)
        ]

    def read(self, lines: Sequence[Pixels]) -> list[TextReading]:
        """Return one reading for each BGR picture of a line of text, in order."""
        if not lines:
            return []
        from rapidocr.ch_ppocr_rec import TextRecInput

        read: Any = self._reader(TextRecInput(img=list(lines), return_word_box=False))
        return [TextReading(str(text), float(score)) for text, score in zip(read.txts, read.scores, strict=True)]


@cache
def model_files() -> tuple[Path, Path]:
    """Return the files of detector and reader.

    Raises:
        PrerequisiteError: A package is not installed, or its wheel lacks the models.
    """
    for package in ("rapidocr", "onnxruntime"):
        if find_spec(package) is None:
            raise PrerequisiteError(f"finding text in images needs {package}, which is not installed: {_INSTALL}")
    spec = find_spec("rapidocr")
    folder = Path(str(spec.origin)).parent / "models" if spec else Path()
    for name in (_DETECTOR, _READER):
        if not (folder / name).is_file():
            raise PrerequisiteError(f"rapidocr is installed without its model {name}: {_INSTALL} --force-reinstall")
    return folder / _DETECTOR, folder / _READER


@cache
def models_hash() -> str:
    """Return the digest of both models' files.

    Raises:
        PrerequisiteError: As for `model_files`.
    """
    return digest([file_digest(path) for path in model_files()])
