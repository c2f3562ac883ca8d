"""PaddleOCR's side of a pair of pipes, and the frames sent over them.

As a script this runs under the interpreter of an environment with `paddleocr`, which need not have Benchwright: it
imports only the standard library, NumPy and PaddleOCR. Benchwright imports the frames from here, and also `Paddle` if
paddleocr is installed in its environment.

A frame consists of eight bytes (two unsigned big-endian lengths), then that many bytes of JSON and that many bytes of
pixels. Nothing is pickled or executed: whatever one side sends, the other receives only numbers and strings.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
_MOST_JSON, _MOST_PIXELS = 1 << 24, 1 << 28
"""Largest number of bytes of either part of a frame; larger parts are refused without being read."""
_LINES_AT_ONCE = 6
_LENGTHS = struct.Struct(">II")


class Reads(Protocol):
    """The reading end of a pipe."""

    def read(self, size: int, /) -> bytes:
        """Return `size` bytes; fewer only at the end of the pipe."""


class Writes(Protocol):
    """The writing end of a pipe."""

    def write(self, data: bytes, /) -> Any:
        """Write all of the data."""

    def flush(self) -> None:
        """Flush the pipe."""


class FrameError(Exception):
    """The bytes from the pipe are not a valid frame."""


def write_frame(pipe: Writes, document: Any, pixels: bytes = b"") -> None:
    """Write one frame and flush the pipe."""
    text = json.dumps(document, allow_nan=False).encode("utf-8")
    pipe.write(_LENGTHS.pack(len(text), len(pixels)) + text)
    pipe.write(pixels)
    pipe.flush()


def read_frame(pipe: Reads) -> tuple[Any, bytes] | None:
    """Return the next frame; None if the other side has closed the pipe.

    Raises:
        FrameError: The frame is truncated, too long, or not JSON.
    """
    head = pipe.read(_LENGTHS.size)
    if not head:
        return None
    if len(head) < _LENGTHS.size:
        raise FrameError("a frame's head is cut short")
    json_bytes, pixel_bytes = _LENGTHS.unpack(head)
    if json_bytes > _MOST_JSON or pixel_bytes > _MOST_PIXELS:
        raise FrameError(f"a frame of {json_bytes} and {pixel_bytes} bytes exceeds the limit")
    text, pixels = pipe.read(json_bytes), pipe.read(pixel_bytes)
    if len(text) < json_bytes or len(pixels) < pixel_bytes:
        raise FrameError("a frame is cut short")
    try:
        return json.loads(text), pixels
    except (ValueError, RecursionError) as error:
        raise FrameError("a frame is not JSON") from error


class Paddle:
    """PaddleOCR's detector and reader, on one thread.

    Args:
        settings: `confidence` (0-1), and for `detector` and `reader` each `name` and `folder` (None for the model with
            that name that paddleocr fetches).
    """

    def __init__(self, settings: Any) -> None:
        from importlib.metadata import version

        import cv2
        from paddleocr import TextDetection, TextRecognition

        cv2.setNumThreads(1)
        detector, reader = settings["detector"], settings["reader"]
        # Pictures arrive in the right size; paddleocr would resize them. Its own limit stays at 4,000 pixels.
        self._detect = TextDetection(
            **_model(detector), limit_type="max", limit_side_len=1 << 20, box_thresh=settings["confidence"]
        )
        self._read = TextRecognition(**_model(reader))
        self.models = f"{detector['name']}, {reader['name']}"
        self.version = version("paddleocr")

    def detect(self, picture: NDArray[np.uint8]) -> list[dict[str, Any]]:
        """Return the boxes of a BGR picture, each with `corners` and `confidence`."""
        prediction = self._detect.predict(picture, batch_size=1)[0]
        return [
            {"corners": [[float(x), float(y)] for x, y in corners], "confidence": float(score)}
            for corners, score in zip(prediction["dt_polys"], prediction["dt_scores"], strict=True)
        ]

    def read(self, lines: Sequence[NDArray[np.uint8]]) -> list[dict[str, Any]]:
        """Return, for each BGR picture of a line, its `text` and `legibility`."""
        read = self._read.predict(list(lines), batch_size=_LINES_AT_ONCE) if lines else []
        return [{"text": str(line["rec_text"]), "legibility": float(line["rec_score"])} for line in read]


def _model(model: Any) -> dict[str, Any]:
    folder = model["folder"]
    onnx = folder is None or os.path.isfile(os.path.join(folder, "inference.onnx"))
    engine = {"engine": "onnxruntime", "engine_config": {"intra_op_num_threads": 1, "inter_op_num_threads": 1}}
    return {
        "model_name": model["name"],
        "model_dir": folder,
        "device": "cpu",
        **(engine if onnx else {"cpu_threads": 1}),
    }


def _answer(paddle: Paddle, request: Any, pixels: bytes) -> Any:
    import numpy as np

    pictures, start = [], 0
    for height, width in request["sizes"]:
        flat = np.frombuffer(pixels, np.uint8, count=height * width * 3, offset=start)
        pictures.append(flat.reshape(height, width, 3))
        start += flat.size
    return paddle.detect(pictures[0]) if request["do"] == "detect" else paddle.read(pictures)


def serve(questions: Reads, answers: Writes) -> None:
    """Load the models named in the first frame, confirm, and answer until the other side closes the pipe."""
    first = read_frame(questions)
    if first is None:
        return
    try:
        paddle = Paddle(first[0])
        reply: Any = {"format": FORMAT, "version": paddle.version, "models": paddle.models}
    except Exception as error:  # noqa: BLE001 - whatever it is, the other side tells the user
        write_frame(answers, {"format": FORMAT, "error": f"{type(error).__name__}: {error}"})
        return
    write_frame(answers, reply)
    while (frame := read_frame(questions)) is not None:
        try:
            reply = {"answer": _answer(paddle, *frame)}
        except Exception as error:  # noqa: BLE001 - one picture's failure is that picture's
            reply = {"error": f"{type(error).__name__}: {error}"}
        write_frame(answers, reply)


def main() -> None:
    """Answer requests over standard input and output; the output of libraries goes to standard error instead."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
