"""A picture as the answer to a browser that may have it already."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from benchwright.drawing.previews import Preview
from benchwright.errors import BenchwrightError


class PictureAsFiled(NamedTuple):
    """A picture that is sent as it is: bytes of the file, and its media type."""

    data: bytes
    media_type: str


def picture_response(
    request: Request, tag: str, show: Callable[[], Preview | PictureAsFiled], *, tells_why: bool = False
) -> Response:
    """Return a picture; 304 where the browser has it, 410 where it cannot be shown.

    The browser asks again each time, so that whoever may no longer see a picture does not.

    Args:
        request: What the browser asks.
        tag: What changes whenever the picture looks different.
        show: Function that returns the picture, called only where it is sent.
        tells_why: Whether to say why it cannot be shown, as curators are told.
    """
    headers = {"Cache-Control": "private, no-cache", "ETag": f'"{tag}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    try:
        shown = show()
    except (OSError, BenchwrightError) as error:
        is_told = tells_why and isinstance(error, BenchwrightError)
        return PlainTextResponse(f"{error}\n" if is_told else "cannot be shown\n", 410)
    return Response(shown.data, media_type=shown.media_type, headers=headers)
