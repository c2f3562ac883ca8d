"""Fields of a chat request besides its messages: those that users add or omit, and those that a model refuses.

Models accept different fields: OpenAI's reasoning models refuse `max_tokens` (they require `max_completion_tokens`) and
every `temperature` but their own. A refusal names the field. If the user did not set the field, it is renamed or
omitted for the rest of the run. If the user gave it a value, the run ends, since a request without it is not the one
the user requested.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, JsonValue, model_validator

from benchwright.errors import BenchwrightError, PrerequisiteError

from .event_streams import STREAM_FIELDS, wants_stream

logger = logging.getLogger(__name__)

_OURS = ("messages", "model", "n", "stream_options", "input", "contents")
"""Fields that users cannot set because requests and replies depend on them."""
_STREAM = "stream"
"""Field for the transfer of a reply rather than its content: it affects neither results nor keys of requests."""

_LENGTH, _NEW_LENGTH = "max_tokens", "max_completion_tokens"

_CAPITAL = re.compile(r"[A-Z]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
_WORD = re.compile(r"(?!(?:true|false|null|NaN|Infinity)\Z)[A-Za-z][A-Za-z0-9_-]*")
_REFUSING_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_REFUSING = re.compile(
    "|".join(
        (
            r"unsupported (?:parameter|value|argument|field)",  # OpenAI, Azure
            r"(?:is|are) (?:unsupported|deprecated|not permitted|not allowed)",  # Groq, Anthropic, Azure AI
            r"not supported",  # OpenAI, xAI
            r"(?:does not|do not|doesn't|don't) support (?!more|up to)",  # LiteLLM, xAI, OpenRouter
            r"unrecognized|unknown (?:name|parameter|field|argument)",  # Azure, Gemini, OpenAI, TGI
            r"extra inputs|extra_forbidden",  # Mistral, vLLM, Anthropic, Perplexity
            r"unexpected keyword",  # users' own servers in Python
            r"may only be set to|only \S{1,20} is (?:allowed|supported)",  # Anthropic, Moonshot
            r"cannot both be specified",  # Anthropic, Bedrock
        )
    ),
    re.I,
)
"""Phrases with which servers refuse a field, with the servers that use them."""
_EITHER = re.compile(r"cannot both be specified", re.I)
"""Phrases that leave the choice among the named fields to the user."""
_BEFORE_A_NAME = r"(?::|->|\bparameters?|\barguments?|\bfields?|\binvalid|\bsupport)\s"
"""Text that precedes an unquoted field name."""


class RequestFields(BaseModel):
    """Settings of a model at an endpoint for the content of requests besides messages and the usual settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    fields: dict[str, JsonValue] = {}
    """Further fields to send, such as `reasoning_effort: low`; a field named like a setting replaces it."""
    omit: tuple[str, ...] = ()
    """Fields to omit, such as `temperature`."""

    @model_validator(mode="after")
    def _sendable(self) -> Self:
        if wrong := wrong_fields(self.fields, self.omit):
            raise ValueError(wrong)
        if stated := sorted(set(self.omit) & self.model_fields_set):
            raise ValueError(f"{stated[0]} has a value but is also left out; remove one of the two")
        return self


def wrong_fields(fields: Mapping[str, Any], omit: Sequence[str]) -> str | None:
    """Return a message about invalid fields to add or omit; None if all are valid."""
    for name in (*fields, *omit):
        if _NAME.fullmatch(name) is None:
            return f"{name!r} is not a name of a request field; give one such as reasoning_effort"
        if name == "n":
            return (
                "the field 'n' requests several replies at once, of which only one would be read: --samples K (in a "
                "recipe samples: K) draws K replies to each question, each with a separate request"
            )
        if name == _STREAM and (name in omit or type(fields[name]) is not bool):
            return "the field 'stream' is true or false; replies come in one piece without it"
        if name in _OURS:
            return (
                f"the field {name!r} can be neither set nor left out, since requests and replies depend on it, as on "
                f"{', '.join(_OURS)}"
            )
    both = sorted(set(fields) & set(omit))
    return f"the field {both[0]!r} is both added and left out; remove one of the two" if both else None


def parse_field(text: str) -> tuple[str, Any]:
    """Return the name and value of a field given on the command line as `NAME=JSON`; a plain word is a string.

    Raises:
        BenchwrightError: The name is missing, or the value is not JSON.

    Example:
        >>> parse_field("reasoning_effort=low"), parse_field("stop=[3]")
        (('reasoning_effort', 'low'), ('stop', [3]))
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BenchwrightError(f"write a field as NAME=JSON, such as reasoning_effort=low; found {text!r}")
    if _WORD.fullmatch(value):
        return name, value
    try:
        return name, json.loads(value, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BenchwrightError(
            f"the value of the field {name!r} is not JSON: {value!r} ({error}); write words with spaces in quotes, "
            "such "
            f"as '{name}=\"two words\"'"
        ) from error


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


class RequestParameters:
    """The fields sent to one model besides messages, adapted to the model's refusals. Several threads may use it at
    once.

    Args:
        model: Name of the model at the endpoint.
        where: Name of the endpoint, for messages.
        own: Benchwright's own settings, as fields of a request.
        stated: Names of the settings for which the user gave a value.
        fields: Further fields, given by the user.
        omit: Names of fields to omit.
    """

    def __init__(
        self,
        model: str,
        where: str,
        own: Mapping[str, Any],
        *,
        stated: Collection[str] = (),
        fields: Mapping[str, Any] | None = None,
        omit: Collection[str] = (),
    ) -> None:
        added = dict(fields or {})
        self._stream_fields: Mapping[str, Any] = STREAM_FIELDS if added.pop(_STREAM, False) else {}
        replaced = {*omit, *added, *([_LENGTH] if _NEW_LENGTH in added else [])}
        self.asked: dict[str, Any] = {name: value for name, value in own.items() if name not in replaced} | added
        """Fields as requested by the settings."""
        self._model, self._where = model, where
        self._stated = (frozenset(stated) - replaced) | added.keys()
        self._refused: dict[str, str | None] = {}
        self._lock = threading.Lock()
        self.is_settled = True
        """False from a refusal until the next reply, because the model may refuse more fields."""

    @property
    def sent(self) -> dict[str, Any]:
        """Return the fields currently sent, in order."""
        with self._lock:
            return self._sent()

    @property
    def refused(self) -> dict[str, str | None]:
        """Return the refused fields, each with its replacement, or with None if it has none."""
        with self._lock:
            return dict(self._refused)

    @property
    def stream_fields(self) -> Mapping[str, Any]:
        """Return the fields that request a streamed reply; empty if the reply is not streamed."""
        return self._stream_fields

    def adapt_stream(self, sent: Mapping[str, Any], status: int | None, words: str) -> bool:
        """Return whether a refused request may succeed with a streamed reply, or without the count of tokens.

        Args:
            sent: `stream_fields` of the refused request.
            status: HTTP status of the refusal.
            words: Text of the refusal.
        """
        if not sent and wants_stream(status, words):
            fields, change = STREAM_FIELDS, "only streams replies, and is now asked to do so"
        elif "stream_options" in sent and "stream_options" in words:
            fields, change = {_STREAM: True}, "refuses stream_options, so tokens of replies are not counted"
        else:
            return False
        with self._lock:
            if self._stream_fields == sent:
                self._stream_fields = fields
                logger.warning("%s at %s %s", self._model, self._where, change)
        return True

    def know(self, refused: Mapping[str, str | None]) -> None:
        """Apply the refusals of an earlier run, except for fields to which the user now gives a value."""
        news: dict[str, str | None] = {}
        with self._lock:
            for name, instead in sorted(refused.items(), key=lambda pair: pair[1] is None):  # renames precede removals
                if name in self._sent() and (instead is not None or self._origin(name) not in self._stated):
                    self._refused[name] = news[name] = instead
        if news:
            logger.warning("%s", _told(self._model, self._where, news, "refused before"))

    def adapt(self, sent: Mapping[str, Any], words: str, error: Any) -> bool:
        """Adapt the fields to a refusal; return whether the request may succeed with the new fields.

        Args:
            sent: Fields of the refused request.
            words: Text of the refusal, without keys.
            error: Error object of the response, if there is one.

        Raises:
            PrerequisiteError: The model refuses a value that the user gave.
        """
        name = refused_field(sent, words, error)
        if name is None:
            return False
        if _EITHER.search(words):
            name = next((each for each in _places(sent, words) if self._origin(each) not in self._stated), name)
        with self._lock:
            if name not in self._sent():
                return True  # another request's refusal has already changed it
            instead = self._instead(name, words, error)
            origin = self._origin(name)
            if instead is None and origin in self._stated:
                raise PrerequisiteError(
                    f"{self._model} at {self._where} refuses {name} {json.dumps(sent[name])}, which the settings "
                    f"request ({words}); give another value or none: fields outside the settings are dropped when a "
                    f"model refuses them. `--omit {origin}`, in a recipe `omit: [{origin}]`, leaves it out from the "
                    "start"
                )
            self._refused[name] = instead
            self.is_settled = False
        logger.warning("%s", _told(self._model, self._where, {name: instead}, "refuses"))
        return True

    def settle(self) -> None:
        """Record a reply, which shows that the model accepts the fields currently sent."""
        self.is_settled = True

    def _sent(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in self.asked.items():
            current: str | None = name
            while current in self._refused:
                current = self._refused[current]
            if current is not None:
                values[current] = value
        return values

    def _origin(self, name: str) -> str:
        """Return the field that a sent field replaces, or the field itself."""
        return next((old for old, new in self._refused.items() if new == name), name)

    def _instead(self, name: str, words: str, error: Any) -> str | None:
        if name != _LENGTH or _NEW_LENGTH in self.asked or _NEW_LENGTH in self._refused:
            return None
        code = error.get("code") if isinstance(error, dict) else None
        return _NEW_LENGTH if _NEW_LENGTH in words or code == "unsupported_parameter" else None


def refused_field(sent: Mapping[str, Any], words: str, error: Any) -> str | None:
    """Return the field of a request that the model refused; None if the refusal has another cause.

    Args:
        sent: Fields of the request.
        words: Text of the refusal.
        error: Error object of the response, if there is one: `param` and `code` give the field and the reason.

    Example:
        >>> refused_field({"seed": 1}, "", {"param": "seed", "code": "unsupported_parameter"})
        'seed'
    """
    code, named = (error.get("code"), error.get("param")) if isinstance(error, dict) else (None, None)
    if code in _REFUSING_CODES and named in sent:
        return str(named)
    if _REFUSING.search(words) is None:
        return None
    if named in sent:
        return str(named)
    return next(iter(_places(sent, words)), None)


def _places(sent: Collection[str], words: str) -> list[str]:
    """Return the sent fields that a refusal names, in quotes or where a name is expected, in order."""
    places = {}
    for name in sent:
        spelled = "|".join({re.escape(name), re.escape(_CAPITAL.sub(lambda match: f"_{match[0].lower()}", name))})
        named = rf"[\"'`](?:{spelled})[\"'`]|{_BEFORE_A_NAME}(?:{spelled})\b|\b(?:{spelled})="
        if name not in _OURS and (match := re.search(named, words)):
            places[name] = match.start()
    return sorted(places, key=lambda name: places[name])


def _told(model: str, where: str, refused: Mapping[str, str | None], verb: str) -> str:
    changes = [
        f"{name} ({f'sent as {instead}' if instead else 'left out'} from now on)" for name, instead in refused.items()
    ]
    return f"{model} at {where} {verb} {' and '.join(changes)}"
