"""The route for pictures of practice items, for the annotators who practice with them."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from benchwright.drawing.previews import Preview
from benchwright.errors import BenchwrightError
from benchwright.records import ItemImage

from ...practice.scenes import draw_scene, scene_of
from ...store.accounts.accounts import Account
from ...workflow.practising import PracticeQueue
from ...workflow.task_queue import is_id
from ..auth.middleware import ACCOUNT
from ..base.shown_pictures import etag
from ..base.state import AppState
from .picture_response import PictureAsFiled, picture_response


def practice_url(campaign_id: int, place: int, number: int, image: ItemImage, *, marks: bool = False) -> str:
    """Return the path of a practice item's picture, or of the picture's marks; `place` and `number` count from 0.

    The path also names the image, because another attempt has other items at the same positions.
    """
    path = f"/practice/{campaign_id}/{place}/{number}" + ("/marks" if marks else "")
    return f"{path}?v={image.image_id[:12]}"


def practice_routes(state: AppState) -> list[Route]:
    """Return the routes for practice pictures; an account receives the pictures of its current attempt."""

    def send(request: Request, *, marks: bool) -> Response:
        image = _image(state, request)
        if image is None or (marks and not image.prompts):
            return PlainTextResponse("there is no such picture for you\n", 404)

        def show() -> Preview | PictureAsFiled:
            if (scene := scene_of(image.image_id)) is not None:
                return PictureAsFiled(draw_scene(scene), "image/jpeg")
            return state.pictures.marks(image) if marks else state.pictures.picture(image)

        return picture_response(request, etag(image, "marks" if marks else "picture"), show)

    async def picture(request: Request) -> Response:
        return await run_in_threadpool(send, request, marks=False)

    async def marked(request: Request) -> Response:
        return await run_in_threadpool(send, request, marks=True)

    path = "/practice/{campaign:number}/{place:number}/{picture:number}"
    return [Route(path, picture), Route(f"{path}/marks", marked)]


def _image(state: AppState, request: Request) -> ItemImage | None:
    """Return the requested picture of the account's current attempt, or None if there is none."""
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware requires an account
    number, place, picture = (request.path_params[name] for name in ("campaign", "place", "picture"))
    campaign = next((campaign for campaign in state.store.campaigns() if campaign.id == number), None)
    if campaign is None or not is_id(number):
        return None
    try:
        item, _ = PracticeQueue(state.store, campaign, account.name).item_at(place)
    except BenchwrightError:
        return None
    return item.content.images[picture] if 0 <= picture < len(item.content.images) else None
