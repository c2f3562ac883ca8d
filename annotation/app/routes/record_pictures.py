"""Routes of the pictures of all images and items, with or without tasks, for curators only."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import OrderedDict

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from benchwright.canonical import digest
from benchwright.drawing import PromptError
from benchwright.drawing.previews import Preview, kept_preview, preview
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import ItemImage
from benchwright.workspace.item_cache import cache_of
from benchwright.workspace.workspace import Workspace

from ...store.accounts.accounts import Account
from ...workflow.image_files import ImageFiles
from ..auth.middleware import ACCOUNT
from ..base.shown_pictures import etag
from ..base.state import AppState
from .picture_response import picture_response

_SMALL_PX = 320
"""Maximum side length of a picture in the list, equal to that on the funnel page, which shares the thumbnail cache."""
_MOST_KEPT_BYTES = 64 << 20
_FORMS = ("small", "full", "marks")


def record_picture_url(record_id: str, place: int = 0, *, form: str = "small") -> str:
    """Return the path of a picture of an image or item.

    Args:
        record_id: Id of the image or item.
        place: Index of the picture in the record, from 0.
        form: `small` with marks drawn in, `full` without marks, or `marks` alone.
    """
    return f"/curator/pictures/{record_id}/{place}/{form}"


def record_picture_routes(state: AppState) -> list[Route]:
    """Return the route for the pictures; the session middleware has already identified the account."""
    routes = _RecordPictures(state)
    return [Route("/curator/pictures/{record:str}/{place:number}/{form:str}", routes.picture)]


class _RecordPictures:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._files = ImageFiles(state.workspace) if (state.workspace / "workspace.json").exists() else None
        self._small: OrderedDict[str, Preview] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        # Two at a time, as for annotators; more would only take memory.
        self._decoding = threading.BoundedSemaphore(2)

    async def picture(self, request: Request) -> Response:
        """Return one picture of a record to a curator; other accounts get the same answer as for a missing picture."""
        return await run_in_threadpool(self._response, request)

    def _response(self, request: Request) -> Response:
        account = request.scope[ACCOUNT]
        assert isinstance(account, Account)  # the session middleware requires an account
        form = request.path_params["form"]
        image = None
        if account.role == "curator" and form in _FORMS:
            image = self._image(request.path_params["record"], request.path_params["place"])
        if image is None or (form == "marks" and not image.prompts):
            return PlainTextResponse("there is no such picture for you\n", 404)
        tag = _small_tag(image) if form == "small" else etag(image, "marks" if form == "marks" else "picture")
        return picture_response(request, tag, lambda: self._shown(image, form, tag), tells_why=True)

    def _image(self, record_id: str, place: int) -> ItemImage | None:
        def read(connection: sqlite3.Connection) -> ItemImage | None:
            query = "SELECT image_id, marks FROM pictures JOIN records USING (number) WHERE record_id = ? AND place = ?"
            row = connection.execute(query, (record_id, place)).fetchone()
            if row is None:
                return None
            document = {"image_id": row[0], "role": "image", "prompts": json.loads(row[1] or "[]")}
            return ItemImage.model_validate_json(json.dumps(document))

        try:
            return self._state.items.reading(read)
        except BenchwrightError:
            return None

    def _shown(self, image: ItemImage, form: str, tag: str) -> Preview:
        if form == "full":
            return self._state.pictures.picture(image)
        if form == "marks":
            return self._state.pictures.marks(image)
        with self._lock:
            if tag in self._small:
                self._small.move_to_end(tag)
                return self._small[tag]
        with self._decoding:
            small = self._thumbnail(image)
        with self._lock:
            if tag not in self._small:
                self._small[tag] = small
                self._bytes += len(small.data)
            while self._bytes > _MOST_KEPT_BYTES and len(self._small) > 1:
                self._bytes -= len(self._small.popitem(last=False)[1].data)
        return small

    def _thumbnail(self, image: ItemImage) -> Preview:
        if self._files is None:
            raise DataError("nothing has run here")
        files, image_id = self._files, image.image_id
        if image.prompts:
            try:
                return preview(files.data(image_id), max_side_px=_SMALL_PX, prompts=image.prompts)
            except PromptError:
                pass  # the item's page reports their faults
        with cache_of(Workspace(self._state.workspace).cache) as cache:
            return kept_preview(cache, image_id, lambda: files.data(image_id), max_side_px=_SMALL_PX)


def _small_tag(image: ItemImage) -> str:
    return digest([_SMALL_PX, image.image_id, [prompt.model_dump(mode="json") for prompt in image.prompts]])
