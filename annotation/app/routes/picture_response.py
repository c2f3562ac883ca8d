"""A picture in answer to a browser that may already have the picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from benchwright.drawing.previews import Preview
from benchwright.errors import BenchwrightError


class PictureAsFiled(NamedTuple):
    """A picture to send unchanged: the file's bytes and media type."""

    data: bytes
    media_type: str


def picture_response(
    request: Request, tag: str, show: Callable[[], Preview | PictureAsFiled], *, tells_why: bool = False
) -> Response:
    """Return a picture, or status 304 if the browser has it, or 410 if it cannot be shown.

    The browser asks again each time, so that an account that loses access no longer sees the picture.

    Args:
        request: The browser's request.
        tag: Entity tag, which changes whenever the picture looks different.
        show: Function that returns the picture, called only to send it.
        tells_why: Whether to state why it cannot be shown, as for curators.
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
