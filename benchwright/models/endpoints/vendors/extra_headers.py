"""Headers that users add to requests. Their values go only to the endpoint."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from benchwright.errors import BenchwrightError, PrerequisiteError

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FROM_ENVIRONMENT = "ENV:"
_LONGEST_VALUE = 8_000
_OURS = frozenset(
    {"accept-encoding", "connection", "content-encoding", "content-length", "content-type", "host", "transfer-encoding"}
)
"""Headers that users cannot set because they depend on the body and the connection."""


def wrong_headers(headers: Mapping[str, str]) -> str | None:
    """Return a message about invalid headers, without their values; None if all are valid."""
    for name, value in headers.items():
        if _NAME.fullmatch(name) is None:
            return f"{name!r} is not a header name; give one such as X-Organization"
        if name.lower() in _OURS:
            return f"the header {name!r} cannot be set: the body of requests and the connection depend on it"
        if value.startswith(_FROM_ENVIRONMENT):
            if _VARIABLE.fullmatch(value.removeprefix(_FROM_ENVIRONMENT)) is None:
                return f"the header {name!r} names no environment variable; write it as {name}=ENV:VARIABLE"
        elif not _is_sendable(value):
            return f"the value of the header {name!r} contains characters not allowed in a header, or is too long"
    twice = len({name.lower() for name in headers}) < len(headers)
    return "a header is given twice, in upper and lower case; give it once" if twice else None


def parse_headers(texts: Sequence[str]) -> dict[str, str]:
    """Return the headers given by a repeated option, each as `NAME=value` or `NAME=ENV:VARIABLE`.

    Raises:
        BenchwrightError: A text is not a header, or a header is repeated.

    Example:
        >>> parse_headers(["X-Team=vision", "X-Token=ENV:TEAM_TOKEN"])
        {'X-Team': 'vision', 'X-Token': 'ENV:TEAM_TOKEN'}
    """
    headers: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BenchwrightError("write a header as NAME=ENV:VARIABLE or NAME=value, such as X-Team=vision")
        if name in headers:
            raise BenchwrightError(f"the header {name!r} is given twice; give it once")
        headers[name] = value
    return headers


def sent_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with values read from the environment.

    Raises:
        PrerequisiteError: A variable is not set, or contains characters that are not allowed in a header.
    """
    sent = {}
    for name, given in headers.items():
        value = given
        if given.startswith(_FROM_ENVIRONMENT):
            variable = given.removeprefix(_FROM_ENVIRONMENT)
            value = os.environ.get(variable, "").strip()
            if not value or not _is_sendable(value):
                raise PrerequisiteError(
                    f"the header {name!r} takes its value from the environment variable {variable}, which "
                    + ("contains characters not allowed in a header" if value else "is not set; set it")
                )
        sent[name] = value
    return sent


def secrets_in(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of headers that come from the environment, which no message may show."""
    return tuple(value for name, value in sent_headers(headers).items() if headers[name].startswith(_FROM_ENVIRONMENT))


def _is_sendable(value: str) -> bool:
    return value.isascii() and (not value or value.isprintable()) and len(value) <= _LONGEST_VALUE
