"""The route of example pictures, which a curator shows next to the instructions of a region field."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from benchwright.records import ItemImage

from ...store.accounts.accounts import Account
from ...store.accounts.campaign_access import AccessControl
from ...store.database.records import Campaign
from ..auth.middleware import ACCOUNT
from ..base.shown_pictures import etag
from ..base.state import AppState
from .picture_response import picture_response

_ROLE = "example"


def field_examples_url(campaign: Campaign) -> str:
    """Return the path prefix for the example pictures of a campaign's fields; the field's name follows."""
    return f"/campaigns/{campaign.id}/examples"


def field_example_routes(state: AppState) -> list[Route]:
    """Return the route of example pictures, for the campaign's annotators, adjudicators and curators."""

    def send(request: Request) -> Response:
        image = _example(request, state)
        if image is None:
            return PlainTextResponse("there is no such picture for you\n", 404)
        return picture_response(request, etag(image), lambda: state.pictures.picture(image))

    async def example(request: Request) -> Response:
        return await run_in_threadpool(send, request)

    return [Route("/campaigns/{campaign:number}/examples/{field:str}", example)]


def _example(request: Request, state: AppState) -> ItemImage | None:
    """Return the example picture of a field; a request cannot name any other picture."""
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware requires an account
    campaign_id, name = request.path_params["campaign"], request.path_params["field"]
    campaign = next((campaign for campaign in state.store.campaigns() if campaign.id == campaign_id), None)
    if campaign is None:
        return None
    if account.role == "annotator" and not AccessControl(state.store).admits(campaign, account.name):
        return None
    examples = {field.name: field.example for field in campaign.form.region_fields}
    image_id = examples.get(name)
    return None if image_id is None else ItemImage(image_id=image_id, role=_ROLE)
