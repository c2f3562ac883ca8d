"""Downloads for curators: frozen releases and exports as ZIP files, and funnel pages."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from ...jobs.commands import EXPORT_FOLDER, FUNNEL_PAGE
from ...store.accounts.accounts import Account
from ..auth.middleware import ACCOUNT
from ..base.state import AppState

RELEASE, EXPORT, _FUNNEL = "release", "export", "funnel"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,120}")


class Download(NamedTuple):
    """A download for curators: its kind, name, path, and time of creation, if known."""

    kind: str
    name: str
    path: Path
    made_at: datetime | None = None

    @property
    def url(self) -> str:
        """Return the path of the download."""
        return f"/curator/downloads/{self.kind}/{self.name}"


def downloads(state: AppState) -> list[Download]:
    """Return the downloads: releases by name, then exports and funnel pages, newest first."""
    releases = state.workspace / "releases"
    found = [
        Download(RELEASE, path.name, path)
        for path in (sorted(releases.iterdir()) if releases.is_dir() else ())
        if _NAME.fullmatch(path.name) and (path / "manifest.json").is_file() and not path.is_symlink()
    ]
    for record in state.jobs.jobs():
        folder = state.jobs.folder.of(record.id)
        if record.state != "done":
            continue
        if record.kind == "export" and (folder / EXPORT_FOLDER).is_dir():
            found.append(Download(EXPORT, record.id, folder / EXPORT_FOLDER, record.started_at))
        if record.kind == "funnel" and (folder / FUNNEL_PAGE).is_file():
            found.append(Download(_FUNNEL, record.id, folder / FUNNEL_PAGE, record.started_at))
    return found


def download_routes(state: AppState) -> list[Route]:
    """Return the route for downloads; the session middleware has already identified the account."""

    async def download(request: Request) -> Response:
        return await run_in_threadpool(_response, state, request)

    return [Route("/curator/downloads/{kind:str}/{name:str}", download)]


def _response(state: AppState, request: Request) -> Response:
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware requires an account
    kind, name = request.path_params["kind"], request.path_params["name"]
    response = download_response(state, kind, name) if account.role == "curator" else None
    return response or PlainTextResponse("there is no such download for you\n", 404)


def download_response(state: AppState, kind: str, name: str) -> FileResponse | None:
    """Return a download for a curator; None if there is none with this kind and name."""
    # Only listed downloads are served, so that no path comes from the request.
    listed = {(found.kind, found.name): found for found in downloads(state)}
    if (kind, name) not in listed:
        return None
    found = listed[kind, name]
    headers = {"Cache-Control": "private, no-store"}
    if found.path.is_file():
        file_name = f"funnel-{found.name}.html"
        return FileResponse(found.path, media_type="application/octet-stream", filename=file_name, headers=headers)
    archive = _zipped(found)
    return FileResponse(
        archive,
        media_type="application/zip",
        filename=f"{found.name}.zip",
        headers=headers,
        background=BackgroundTask(archive.unlink, missing_ok=True),
    )


def _zipped(found: Download) -> Path:
    """Return a new ZIP file with a folder's files, which are already compressed."""
    handle, path = tempfile.mkstemp(suffix=".zip")
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for member in _files(found.path):
            archive.write(member, Path(found.name) / member.relative_to(found.path))
    return Path(path)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the regular files in a folder, by name; links are not followed."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            path = Path(place) / name
            if path.is_file() and not path.is_symlink():
                yield path
