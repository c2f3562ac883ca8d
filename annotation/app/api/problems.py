"""Errors of the HTTP API as problem details (RFC 9457): the fault, its place, and the remedy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import ValidationError
from starlette.responses import Response

from benchwright.texts.normalization import printable

MEDIA_TYPE = "application/problem+json"
_LONGEST_SHOWN = 120


class ProblemKind(NamedTuple):
    """One kind of problem.

    Args:
        status: Status of the answer.
        title: Description of the fault, which is the same for every occurrence.
        do: What a program should do about it.
    """

    status: int
    title: str
    do: str


KINDS: Mapping[str, ProblemKind] = {
    "unauthorized": ProblemKind(
        401, "No valid token", "Send `Authorization: Bearer TOKEN` with a token that is neither revoked nor expired."
    ),
    "wrong_scope": ProblemKind(403, "The token may not do this", "Use a token of the scope that the operation names."),
    "other_campaign": ProblemKind(
        403, "The token is for another campaign", "Use a token that was made for the campaign in the path."
    ),
    "not_found": ProblemKind(404, "Not found", "Compare the path and its ids with those in the lists."),
    "wrong_method": ProblemKind(405, "The path does not take this method", "Use a method that `Allow` names."),
    "refused": ProblemKind(409, "The store refuses this", "Read `detail`; the same request will be refused again."),
    "stale": ProblemKind(409, "A newer version exists", "Read the task again, and decide on its current version."),
    "in_progress": ProblemKind(409, "The same request is being carried out", "Send it again in a moment."),
    "too_large": ProblemKind(413, "The body is too large", "Send less at a time."),
    "wrong_type": ProblemKind(
        415, "The body has the wrong media type", "Send the media type that the operation names."
    ),
    "invalid": ProblemKind(422, "The request has mistakes", "Correct every entry of `errors`."),
    "key_reused": ProblemKind(
        422, "The idempotency key belongs to another request", "Use a new key for each new request."
    ),
    "too_many": ProblemKind(429, "Too many requests", "Wait for the number of seconds in `Retry-After`."),
    "failed": ProblemKind(
        500, "The server failed", "Send it again; if it fails again, tell the maintainer of the server."
    ),
}


class RequestMistake(NamedTuple):
    """A mistake in a request.

    Args:
        field: Path of the field, such as `body.reasons.0` or `query.limit`.
        value: The value, shortened.
        detail: The fault, and the accepted values.
    """

    field: str
    value: str
    detail: str


@dataclass
class ApiProblem(Exception):
    """A problem that is returned as the answer.

    Attributes:
        kind: Key of `KINDS`.
        detail: Description of this occurrence of the fault.
        errors: Mistakes in individual fields; empty if there are none.
        headers: Additional headers of the answer.
    """

    kind: str
    detail: str
    errors: Sequence[RequestMistake] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the body of the answer."""
        kind = KINDS[self.kind]
        body = {"type": f"/api/#problem-{self.kind}", "title": kind.title, "status": kind.status, "detail": self.detail}
        errors = [mistake._asdict() for mistake in self.errors]
        return {**body, "do": kind.do, **({"errors": errors} if errors else {})}

    def response(self) -> Response:
        """Return the answer."""
        headers = {"Cache-Control": "no-store", **self.headers}
        if self.kind == "unauthorized":
            headers["WWW-Authenticate"] = 'Bearer realm="benchwright"'
        body = json.dumps(self.to_json(), ensure_ascii=True)
        return Response(body, KINDS[self.kind].status, media_type=MEDIA_TYPE, headers=headers)


def mistakes_in(error: ValidationError, *, within: str, known: Iterable[str]) -> list[RequestMistake]:
    """Return the mistakes that a model found in one part of a request.

    Args:
        error: The error that the model raised.
        within: Name of the part, such as `body`.
        known: Fields of the model.
    """
    return [*_mistakes(error, within, [*known])]


def _mistakes(error: ValidationError, within: str, known: Sequence[str]) -> Iterator[RequestMistake]:
    for mistake in error.errors(include_url=False, include_context=False):
        place = ".".join([within, *map(str, mistake["loc"])])
        value = "" if mistake["type"] == "missing" else shown(mistake["input"])
        detail = mistake["msg"]
        if mistake["type"] == "extra_forbidden":
            near = get_close_matches(str(mistake["loc"][-1]), known, n=1)
            taken = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known)}"
            detail = f"there is no such field; {taken}"
        yield RequestMistake(place, value, detail)


def shown(value: object) -> str:
    """Return a value in the form in which problems show it: as JSON, printable and shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)
    text = printable(text)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
