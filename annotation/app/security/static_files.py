"""Streamlit's own files, optimized for slow lines: compressed once, cached by browsers, and sent before the sign-in.

The files are the same for all users and contain no data of the app, so they alone need no session. A page of the app
needs a hundred of them, 2.6 MB uncompressed and 0.8 MB compressed, which arrive while the user types a password.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

from starlette.requests import HTTPConnection
from starlette.responses import FileResponse, Response

_STATIC = "/static/"
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
"""Browsers may cache the files, because each name contains a hash of the content."""
_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
_COMPRESSED = frozenset({".js", ".css"})
LATER = (
    "recordbatch", "serialization", "useSyncComboBoxEnterTargetFocus", "useMenuTrigger", "purify.es", "BidiComponent",
    "Selectbox", "Html", "MaterialSymbols-Rounded",
)  # fmt: skip
"""Beginnings of the names of the largest files that the review page requests next, if Streamlit keeps these names."""
_NEEDED = re.compile(r'(?:href|src)="\./(static/[\w./-]+\.(?:js|css|woff2))"')


@cache
def static_files() -> dict[str, Path]:
    """Return Streamlit's own scripts, styles and fonts by path on the server."""
    folder = _folder()
    files = (path for path in folder.rglob("*") if path.suffix in _MEDIA_TYPES and path.is_file())
    return {_STATIC + path.relative_to(folder).as_posix(): path for path in files}


@cache
def needed_files() -> tuple[str, ...]:
    """Return the paths of the files that the review page needs, in the order in which it requests them."""
    page = (_folder().parent / "index.html").read_text(encoding="utf-8")
    first = [f"/{name}" for name in _NEEDED.findall(page)]
    later = [path for name in LATER for path in static_files() if path.rsplit("/", 1)[1].startswith(f"{name}.")]
    return tuple(path for path in dict.fromkeys(first + later) if path in static_files())


def static_file(request: HTTPConnection) -> Response | None:
    """Return the response to a request for one of Streamlit's own files, or None for other requests."""
    path = static_files().get(request.url.path)
    if path is None or request.scope.get("method") not in {"GET", "HEAD"}:
        return None
    media_type = _MEDIA_TYPES[path.suffix]
    if path.suffix in _COMPRESSED and "gzip" in request.headers.get("accept-encoding", ""):
        headers = {**_HEADERS, "Content-Encoding": "gzip"}
        return Response(_compressed(path), media_type=media_type, headers=headers)
    return FileResponse(path, media_type=media_type, headers=_HEADERS)


@cache
def _compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


def _folder() -> Path:
    import streamlit

    return Path(streamlit.__file__).parent / "static" / "static"
