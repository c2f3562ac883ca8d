"""Operations for curators on webhooks: create, list and remove webhooks, and list their deliveries."""

from __future__ import annotations

from ...store.integrations.webhooks import Webhooks
from ...webhooks.addresses import resolved, target_of
from .models import ListReply, NewWebhookReply, PagedReply, PageQuery, WebhookBody
from .operation import CURATORS, ApiCall, ApiOperation
from .pages import page_of
from .problems import ApiProblem

_WEBHOOKS = "/campaigns/{campaign}/webhooks"
_WEBHOOK = f"{_WEBHOOKS}/{{webhook:number}}"


def _webhooks(call: ApiCall) -> ListReply:
    return ListReply(items=[webhook.to_json() for webhook in Webhooks(call.store).of_campaign(call.campaign.name)])


def _look_up(call: ApiCall) -> None:
    """Check the address of a webhook before a transaction begins, because looking up a host name may take long."""
    body: WebhookBody = call.body
    allow_private = call.state.private_webhooks
    resolved(target_of(body.url, allow_private=allow_private), allow_private=allow_private)


def _make(call: ApiCall) -> NewWebhookReply:
    body: WebhookBody = call.body
    webhook, secret = Webhooks(call.store).make(
        call.campaign.name, body.url, body.events, by=call.account.name, now=call.now
    )
    return NewWebhookReply(id=webhook.id, secret=secret, events=list(webhook.events))


def _own_webhook(call: ApiCall) -> int:
    own = {webhook.id for webhook in Webhooks(call.store).of_campaign(call.campaign.name, also_ended=True)}
    number = int(call.path["webhook"])
    if number not in own:
        raise ApiProblem("not_found", f"this campaign has no webhook {number}")
    return number


def _end(call: ApiCall) -> None:
    Webhooks(call.store).end(_own_webhook(call), by=call.account.name, now=call.now, campaign=call.campaign.name)


def _deliveries(call: ApiCall) -> PagedReply:
    number = _own_webhook(call)

    def rows(after: int, most: int) -> list[tuple[int, dict[str, object]]]:
        found = Webhooks(call.store).deliveries(number, after=after, most=most)
        return [(delivery.id, delivery.to_json()) for delivery in found]

    items, cursor = page_of(rows, call.query, lambda entry: entry)
    return PagedReply(items=items, next=cursor)


def _send_again(call: ApiCall) -> None:
    number, delivery = _own_webhook(call), int(call.path["delivery"])
    Webhooks(call.store).send_again(number, delivery, by=call.account.name, now=call.now)


WEBHOOK_OPERATIONS = (
    ApiOperation("GET", _WEBHOOKS, "listWebhooks", "List the campaign's webhooks.", CURATORS, _webhooks, ListReply),
    ApiOperation(
        "POST",
        _WEBHOOKS,
        "makeWebhook",
        "Add an address that receives events.",
        CURATORS,
        _make,
        NewWebhookReply,
        body=WebhookBody,
        status=201,
        shows_secret=True,
        before=_look_up,
        about="Events are `decision.saved`, `item.settled`, `campaign.finished`, `person.paused`, `person.resumed`. "
        "Deliveries are signed as Standard Webhooks specifies, and retried for three days.",
    ),
    ApiOperation("DELETE", _WEBHOOK, "endWebhook", "Remove a webhook.", CURATORS, _end, status=204),
    ApiOperation(
        "GET",
        f"{_WEBHOOK}/deliveries",
        "listDeliveries",
        "List the deliveries of a webhook.",
        CURATORS,
        _deliveries,
        PagedReply,
        query=PageQuery,
    ),
    ApiOperation(
        "POST",
        f"{_WEBHOOK}/deliveries/{{delivery:number}}/send",
        "sendAgain",
        "Send a delivery again.",
        CURATORS,
        _send_again,
        status=204,
    ),
)
