"""Operations for curators on people and programs: invitations, quality and pauses, tokens."""

from __future__ import annotations

from decimal import Decimal

from ...exchange.invitations import Invitee, invite_people
from ...pay.invoice import PayTerms, pay_rows
from ...progress.overview import Overview
from ...store.integrations.api_tokens import ApiTokens
from ...workflow.set_asides import set_votes_aside, take_votes_back
from ..wording.account_words import invitation_path
from .models import (
    InvitationsBody,
    ListReply,
    NewTokenReply,
    PayQuery,
    PeopleReply,
    PersonReply,
    TokenBody,
    VotesReply,
    WhyBody,
)
from .operation import CURATORS, ApiCall, ApiOperation

_CAMPAIGN = "/campaigns/{campaign}"


def _people(call: ApiCall) -> PeopleReply:
    overview = Overview(call.store, call.campaign)
    decided = {name: sum(counts.values()) for name, counts in overview.decisions_by_annotator().items()}
    cares = {care.rater: care for care in overview.cares()}
    aside = {each.annotator: each for each in overview.set_aside() if each.is_in_force}
    return PeopleReply(
        items=[
            PersonReply(
                name=name,
                decided=decided.get(name, 0),
                care=cares[name].to_json() if name in cares else None,
                is_paused=name in aside,
                paused_by=aside[name].by if name in aside else None,
                paused_why=aside[name].why if name in aside else None,
            )
            for name in sorted({*decided, *cares, *aside})
        ]
    )


def _invite(call: ApiCall) -> ListReply:
    body: InvitationsBody = call.body
    invitees = [Invitee(person.name, person.role, (call.campaign.name,)) for person in body.people]
    invited = invite_people(call.store, invitees, by=call.account.name, now=call.now)
    return ListReply(items=[person.to_row(lambda token: call.base_url + invitation_path(token)) for person in invited])


def _pause(call: ApiCall) -> VotesReply:
    body: WhyBody = call.body
    name = str(call.path["person"])
    votes = set_votes_aside(call.store, call.campaign.name, name, by=call.account.name, why=body.why, now=call.now)
    return VotesReply(votes=votes)


def _resume(call: ApiCall) -> VotesReply:
    name = str(call.path["person"])
    taken = take_votes_back(call.store, call.campaign.name, name, by=call.account.name, now=call.now)
    return VotesReply(**taken._asdict())


def _pay(call: ApiCall) -> ListReply:
    query: PayQuery = call.query
    terms = PayTerms(Decimal(query.rate).quantize(Decimal("0.01")), query.currency)
    return ListReply(items=[row.to_json() for row in pay_rows(call.store, call.campaign.name, terms)])


def _tokens(call: ApiCall) -> ListReply:
    tokens = ApiTokens(call.store).of_campaign(call.campaign.name)
    return ListReply(items=[token.to_json(now=call.now) for token in tokens])


def _make_token(call: ApiCall) -> NewTokenReply:
    body: TokenBody = call.body
    token, text = ApiTokens(call.store).make(
        call.campaign.name,
        "annotator",
        body.person,
        label=body.label,
        by=call.account.name,
        now=call.now,
        days=body.days,
    )
    return NewTokenReply(id=token.id, token=text)


def _revoke_token(call: ApiCall) -> None:
    ApiTokens(call.store).revoke(
        int(call.path["token"]), by=call.account.name, now=call.now, campaign=call.campaign.name
    )


PEOPLE_OPERATIONS = (
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/people",
        "listPeople",
        "List people, and the care with which they decide.",
        CURATORS,
        _people,
        PeopleReply,
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/invitations",
        "invite",
        "Create accounts, with links for choosing passwords.",
        CURATORS,
        _invite,
        ListReply,
        body=InvitationsBody,
        shows_secret=True,
        about="Existing accounts stay unchanged. A link works once, for a week. This operation cannot make curators.",
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/people/{{person}}/pause",
        "pausePerson",
        "Set a person's votes aside.",
        CURATORS,
        _pause,
        VotesReply,
        body=WhyBody,
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/people/{{person}}/resume",
        "resumePerson",
        "Let a person's votes count again.",
        CURATORS,
        _resume,
        VotesReply,
    ),
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/pay",
        "readPay",
        "Report people's hours of work and their pay.",
        CURATORS,
        _pay,
        ListReply,
        query=PayQuery,
    ),
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/tokens",
        "listTokens",
        "List the campaign's tokens, without their secrets.",
        CURATORS,
        _tokens,
        ListReply,
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/tokens",
        "makeToken",
        "Make a token of the scope `annotator`.",
        CURATORS,
        _make_token,
        NewTokenReply,
        body=TokenBody,
        status=201,
        shows_secret=True,
        about="The token is shown once. Tokens of the scope `curator` are made in the app or with `review tokens`.",
    ),
    ApiOperation(
        "DELETE",
        f"{_CAMPAIGN}/tokens/{{token:number}}",
        "revokeToken",
        "Revoke a token.",
        CURATORS,
        _revoke_token,
        status=204,
    ),
)
