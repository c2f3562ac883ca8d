"""A server that edits pictures as OpenAI's `POST /v1/images/edits` is documented, with real pixels.

It checks a request by the documented rules and answers 400 like the vendor on a violation. Like the vendor's models, it
draws the whole picture anew, whatever the mask says: slightly moved and scaled, in slightly different tones, without
the grain. It paints a disc or a wall of the color in the prompt, or a night over the whole picture.
"""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable, Iterator
from email import policy
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest
from chat_server import KEYS
from PIL import Image

SIZES = ("1024x1024", "1536x1024", "1024x1536", "256x256", "384x256", "256x384")
COLORS = {"red": (200, 30, 40), "blue": (40, 60, 200), "green": (30, 150, 60), "straw": (220, 190, 90)}
USAGE = {"input_tokens": 300, "output_tokens": 1000, "total_tokens": 1300}


class EditAsked(NamedTuple):
    """A request as the server read it."""

    prompt: str
    size: str
    image: np.ndarray
    mask: np.ndarray | None
    fields: dict[str, str]


class EditServer:
    """A real HTTP server on the loopback.

    Attributes:
        drift: Affine map that moves its drawings, in pixels.
        refuses: Returns the error object for a request's words, as the vendor words it; None to edit.
        scene: Returns the picture that it draws from; by default the one in the request.
    """

    def __init__(self) -> None:
        self.asked: list[EditAsked] = []
        self.drift = np.array([[1.004, 0, 2.0], [0, 1.004, -1.5]], np.float32)
        self.refuses: Callable[[str], tuple[int, dict[str, Any]] | None] = lambda prompt: None
        self.scene: Callable[[np.ndarray], np.ndarray] = lambda picture: picture
        self.answer: Callable[[dict[str, Any]], dict[str, Any]] = lambda document: document
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server._post(self)

            def log_message(self, *arguments: Any) -> None:
                """Stay silent."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["content-length"]))
        asked = read_edit(handler.headers["content-type"], body)
        if isinstance(asked, str):
            return _say(handler, 400, {"error": {"message": asked, "type": "invalid_request_error", "code": None}})
        self.asked.append(asked)
        if (refusal := self.refuses(asked.prompt)) is not None:
            return _say(handler, refusal[0], {"error": refusal[1]})
        picture = base64.b64encode(_png(self._drawn(asked))).decode()
        return _say(handler, 200, self.answer({"created": 1, "data": [{"b64_json": picture}], "usage": USAGE}))

    def _drawn(self, asked: EditAsked) -> np.ndarray:
        """Draw the picture anew: moved, toned, smoothed, and changed as the words ask."""
        height, width = asked.image.shape[:2]
        drawn = self.scene(asked.image)[..., :3].astype(np.float32)
        drawn = cv2.GaussianBlur(drawn, (0, 0), 0.7) * 0.95 + 8
        if "night" in asked.prompt:
            drawn *= (0.35, 0.4, 0.6)
        else:
            color = next((rgb for name, rgb in COLORS.items() if name in asked.prompt), (128, 128, 128))
            if asked.mask is not None and "wall" in asked.prompt:
                drawn[asked.mask] = color
                middle, radius = (0, 0), 1
            elif asked.mask is None:  # a model without masks finds the place by itself
                middle, radius = (width // 2, height // 2), width // 10
            else:
                rows, columns = np.nonzero(asked.mask)
                middle, radius = (int(columns.mean()), int(rows.mean())), int(max(6, np.sqrt(len(rows) / 4)))
            cv2.circle(drawn, middle, radius, color, -1)
        moved = cv2.warpAffine(drawn, self.drift, (width, height), borderMode=cv2.BORDER_REPLICATE)
        wanted = tuple(int(side) for side in asked.size.split("x"))
        resized = cv2.resize(moved, wanted, interpolation=cv2.INTER_CUBIC)
        return np.clip(resized, 0, 255).astype(np.uint8)


def read_edit(content_type: str, body: bytes) -> EditAsked | str:
    """Return a request, or the vendor's words of refusal."""
    message = BytesParser(policy=policy.HTTP).parsebytes(f"content-type: {content_type}\r\n\r\n".encode() + body)
    if not message.is_multipart():
        return "Invalid body: expected multipart/form-data"
    parts = {
        str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True)
        for part in message.iter_parts()
    }
    texts = {name: data.decode() for name, data in parts.items() if name not in {"image", "image[]", "mask"}}
    image, mask = parts.get("image") or parts.get("image[]"), parts.get("mask")
    if image is None or not texts.get("prompt") or not texts.get("model"):
        return "Missing required parameter: 'image', 'prompt' or 'model'"
    if texts.get("size", "auto") not in SIZES:
        return f"Invalid value: '{texts.get('size')}'. Supported values are: {', '.join(SIZES)}"
    picture = np.asarray(Image.open(io.BytesIO(image)).convert("RGB"))
    where = None
    if mask is not None:
        opened = Image.open(io.BytesIO(mask))
        if opened.format != "PNG" or opened.mode != "RGBA":
            return "Invalid mask image format - mask must be a PNG with an alpha channel"
        where = np.asarray(opened)[..., 3] == 0
        if where.shape != picture.shape[:2]:
            return "Invalid mask image format - mask size does not match image size"
    return EditAsked(texts["prompt"], texts["size"], picture, where, texts)


def _png(pixels: np.ndarray) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, "PNG")
    return handle.getvalue()


def _say(handler: BaseHTTPRequestHandler, status: int, document: Any) -> None:
    data = json.dumps(document).encode()
    handler.send_response(status)
    for name, value in {"content-type": "application/json", "content-length": str(len(data))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


@pytest.fixture
def edit_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EditServer]:
    """The server, without keys of real services in the environment."""
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    server = EditServer()
    yield server
    server.close()
