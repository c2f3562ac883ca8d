"""Fields of a chat request beside its messages: what users add and leave out, and what a model turns out to refuse.

Models take different fields: OpenAI's reasoning models refuse `max_tokens` (they want `max_completion_tokens`) and
every `temperature` but their own. A refusal names the field. A field that only we would have sent is then renamed or
left out for the rest of the run; one that the user gave a value ends the run, since a request without it is another
request than was asked for.
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

logger = logging.getLogger(__name__)

OURS = ("messages", "model", "n", "stream", "stream_options")
"""Fields that a request cannot be read, or not be told from others, without."""

LENGTH, NEW_LENGTH = "max_tokens", "max_completion_tokens"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
_WORD = re.compile(r"(?!(?:true|false|null|NaN|Infinity)\Z)[A-Za-z][A-Za-z0-9_-]*")
_REFUSING_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_REFUSING = re.compile(
    r"unsupported (?:parameter|value|argument|field)|(?:is|are) (?:not supported|unsupported|deprecated|not permitted)|"
    r"(?:does not|doesn't) support (?!more|up to)|unrecognized|unknown (?:name|parameter|field|argument)|extra inputs|"
    r"unexpected keyword",
    re.I,
)


class RequestFields(BaseModel):
    """Settings of a model behind an endpoint that say what its requests hold beside messages and usual settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    fields: dict[str, JsonValue] = {}
    """Fields to be sent along, such as `reasoning_effort: low`; one of the same name as a setting stands in for it."""
    omit: tuple[str, ...] = ()
    """Fields to be left out, such as `temperature`."""

    @model_validator(mode="after")
    def _sendable(self) -> Self:
        if wrong := wrong_fields(self.fields, self.omit):
            raise ValueError(wrong)
        if stated := sorted(set(self.omit) & self.model_fields_set):
            raise ValueError(f"{stated[0]} is given a value and left out as well; remove one of the two")
        return self


def wrong_fields(fields: Mapping[str, Any], omit: Sequence[str]) -> str | None:
    """Return in words what is wrong with fields to be added and left out; None where nothing is."""
    for name in (*fields, *omit):
        if _NAME.fullmatch(name) is None:
            return f"{name!r} is no name of a request's field; names are such as reasoning_effort"
        if name in OURS:
            return (
                f"the field {name!r} can be neither set nor left out: requests are made, and replies read, by it; "
                f"not to be set are {', '.join(OURS)}"
            )
    both = sorted(set(fields) & set(omit))
    return f"the field {both[0]!r} is added and left out as well; remove one of the two" if both else None


def parse_field(text: str) -> tuple[str, Any]:
    """Return name and value of a field as the command line takes it, `NAME=JSON`; a plain word stands for itself.

    Raises:
        BenchwrightError: It has no name, or its value is no JSON.

    Example:
        >>> parse_field("reasoning_effort=low"), parse_field("stop=[3]")
        (('reasoning_effort', 'low'), ('stop', [3]))
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BenchwrightError(f"a field is written NAME=JSON, such as reasoning_effort=low; found {text!r}")
    if _WORD.fullmatch(value):
        return name, value
    try:
        return name, json.loads(value, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BenchwrightError(
            f"the value of the field {name!r} is no JSON: {value!r} ({error}); write words with spaces in quotes, such "
            f"as '{name}=\"two words\"'"
        ) from error


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


class RequestParameters:
    """What one model is sent beside messages, as it turns out to take it. Several threads may use it at once.

    Args:
        model: Model as the endpoint calls it.
        where: The endpoint, for messages.
        own: Our settings as a request's fields.
        stated: Names of those to which the user gave a value.
        fields: Further fields, as the user gives them.
        omit: Names of fields to be left out.
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
        replaced = {*omit, *added, *([LENGTH] if NEW_LENGTH in added else [])}
        self.asked: dict[str, Any] = {name: value for name, value in own.items() if name not in replaced} | added
        """Fields as settings ask for them."""
        self._model, self._where = model, where
        self._stated = (frozenset(stated) - replaced) | added.keys()
        self._refused: dict[str, str | None] = {}
        self._lock = threading.Lock()
        self.is_settled = True
        """False from a refusal until the next reply: more may be refused."""

    @property
    def sent(self) -> dict[str, Any]:
        """Return the fields that requests hold from now on, in order."""
        with self._lock:
            return self._sent()

    @property
    def refused(self) -> dict[str, str | None]:
        """Return fields that the model refuses, each with the one that is sent instead; None where none is."""
        with self._lock:
            return dict(self._refused)

    def know(self, refused: Mapping[str, str | None]) -> None:
        """Take over what an earlier run found refused, where it is still ours to change."""
        news: dict[str, str | None] = {}
        with self._lock:
            for name, instead in sorted(refused.items(), key=lambda pair: pair[1] is None):  # renamed before left out
                if name in self._sent() and (instead is not None or self._origin(name) not in self._stated):
                    self._refused[name] = news[name] = instead
        if news:
            logger.warning("%s", _told(self._model, self._where, news, "refused before"))

    def adapt(self, sent: Mapping[str, Any], words: str, error: Any) -> bool:
        """Say whether a request that was refused may succeed with the fields that are sent from now on.

        Args:
            sent: Fields that the refused request held.
            words: The refusal's, without keys.
            error: Error object of the response, if it has one.

        Raises:
            PrerequisiteError: It refuses a value that the user gave.
        """
        name = refused_field(sent, words, error)
        if name is None:
            return False
        with self._lock:
            if name not in self._sent():
                return True  # another request was refused for it meanwhile
            instead = self._instead(name, words, error)
            origin = self._origin(name)
            if instead is None and origin in self._stated:
                raise PrerequisiteError(
                    f"{self._model} at {self._where} refuses {name} {json.dumps(sent[name])}, which the settings ask "
                    f"for ({words}); give another value, or none: what settings do not ask for is left out where a "
                    f"model refuses it. `--omit {origin}`, in a recipe `omit: [{origin}]`, leaves it out from the start"
                )
            self._refused[name] = instead
            self.is_settled = False
        logger.warning("%s", _told(self._model, self._where, {name: instead}, "refuses"))
        return True

    def settle(self) -> None:
        """Take note of a reply: what is sent now is taken."""
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
        """Return the field that a sent one stands in for, or itself."""
        return next((old for old, new in self._refused.items() if new == name), name)

    def _instead(self, name: str, words: str, error: Any) -> str | None:
        if name != LENGTH or NEW_LENGTH in self.asked or NEW_LENGTH in self._refused:
            return None
        code = error.get("code") if isinstance(error, dict) else None
        return NEW_LENGTH if NEW_LENGTH in words or code == "unsupported_parameter" else None


def refused_field(sent: Mapping[str, Any], words: str, error: Any) -> str | None:
    """Return the field of a request that a refusal says the model does not take; None where it is about something else.

    Args:
        sent: Fields that the request held.
        words: Words of the refusal.
        error: Error object of the response, if it has one: `param` and `code` name the field and say why.

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
    places = {
        name: match.start()
        for name in sent
        if name not in OURS and (match := re.search(rf"[\"'`]{re.escape(name)}[\"'`]|: {re.escape(name)}\b", words))
    }
    return min(places, key=lambda name: places[name], default=None)


def _told(model: str, where: str, refused: Mapping[str, str | None], verb: str) -> str:
    changes = [
        f"{name} ({f'sent as {instead}' if instead else 'left out'} from now on)" for name, instead in refused.items()
    ]
    return f"{model} at {where} {verb} {' and '.join(changes)}"
