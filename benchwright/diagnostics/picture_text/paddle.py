"""Text recognition by PaddleOCR: in this process if the package is installed here, otherwise in a separate one."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchwright.errors import PrerequisiteError

from .base import Pixels, TextProposal, TextReading
from .paddle_models import PaddleModels
from .paddle_process import PaddleProcess
from .paddle_worker import Paddle

_PYTHON_VARIABLE = "BENCHWRIGHT_PADDLE_PYTHON"
_MOST_BOXES, _MOST_CHARACTERS = 10_000, 10_000


class _PaddleBackend(Protocol):
    """PaddleOCR, running in this process or in another one."""

    version: str
    models: str

    def detect(self, picture: Pixels, /) -> Any: ...

    def read(self, lines: Sequence[Pixels], /) -> Any: ...


class PaddleText:
    """PaddleOCR's detector and reader.

    Replies of another process are checked like any external input: numbers must be finite and counts must fit.

    Raises:
        PrerequisiteError: paddleocr is not installed, or does not load these models.
    """

    def __init__(self, models: PaddleModels, *, confidence: float, python: Path | None) -> None:
        settings = {
            "confidence": confidence,
            "detector": models.detector.settings(),
            "reader": models.reader.settings(),
        }
        self._answers = _connected(settings, python)

    @property
    def name(self) -> str:
        """Return the engine's name with the package's version, which the run's log does not contain."""
        return f"paddleocr {self._answers.version}, {self._answers.models}"

    def detect(self, shown: Pixels) -> list[TextProposal]:
        """Return the proposals for a BGR picture whose sides are multiples of 32."""
        boxes = self._answers.detect(np.ascontiguousarray(shown))
        if not isinstance(boxes, list) or len(boxes) > _MOST_BOXES:
            raise ValueError("paddleocr returned something other than boxes")
        return [TextProposal(_corners(box), _share(box, "confidence")) for box in boxes]

    def read(self, lines: Sequence[Pixels]) -> list[TextReading]:
        """Return one reading for each BGR picture of a line of text, in order."""
        if not lines:
            return []
        readings = self._answers.read([np.ascontiguousarray(line) for line in lines])
        if not isinstance(readings, list) or len(readings) != len(lines):
            raise ValueError("paddleocr returned something other than one reading per line")
        return [
            TextReading(str(reading["text"])[:_MOST_CHARACTERS], _share(reading, "legibility")) for reading in readings
        ]


def paddle_python(setting: str | None, *, beside: Path) -> Path | None:
    """Return the interpreter whose environment has paddleocr; None for this one.

    Args:
        setting: Path from a recipe; None for the path in the environment variable.
        beside: Base folder of a relative path.

    Raises:
        PrerequisiteError: No interpreter is named and paddleocr is not installed here, or the file is missing.
    """
    named = setting or os.environ.get(_PYTHON_VARIABLE)
    if not named:
        if find_spec("paddleocr") is None:
            raise PrerequisiteError(
                f"`backend: paddleocr` needs an environment with paddleocr, which `make paddle` builds; name its "
                f"interpreter in the setting `python` or in {_PYTHON_VARIABLE}"
            )
        return None
    python = (beside if setting else Path()) / Path(named).expanduser()
    if not python.is_file():
        where = "setting `python`" if setting else _PYTHON_VARIABLE
        raise PrerequisiteError(
            f"{where}: {named} is not a file; name the interpreter of an environment with paddleocr"
        )
    return python.absolute()  # never resolved: an environment's interpreter is a link out of it


def _connected(settings: Mapping[str, Any], python: Path | None) -> _PaddleBackend:
    if python is not None:
        return PaddleProcess(python, settings)
    os.environ.setdefault("PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK", "True")
    return Paddle(settings)


def _corners(box: Any) -> Any:
    corners = np.asarray(box["corners"], np.float32)
    if corners.ndim != 2 or corners.shape[0] < 3 or corners.shape[1] != 2 or not np.isfinite(corners).all():
        raise ValueError("paddleocr returned a box without corners")
    return corners


def _share(reply: Any, name: str) -> float:
    value = float(reply[name])
    if not math.isfinite(value):
        raise ValueError(f"paddleocr returned a {name} that is not a number")
    return min(1.0, max(0.0, value))
