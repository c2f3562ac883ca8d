"""Protocols by name, as used in recipes and on the command line, and the list of all protocols."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchwright.errors import BenchwrightError
from benchwright.rooms import catalogue, find

from .base import Protocol


def parse_protocol(text: str) -> Protocol:
    """Return the protocol that is named by a text such as `circular` or `shuffle:k=3,wording=mm-sap`.

    Raises:
        BenchwrightError: No room provides it, or a setting is unknown or has an invalid value.
    """
    name, _, settings = text.partition(":")
    kind: type[Protocol] = find("protocols", name).load()
    values: dict[str, str] = {}
    for pair in settings.split(",") if settings else ():
        setting, equals, value = pair.partition("=")
        if not equals or not setting or setting in values:
            raise BenchwrightError(
                f"protocol {text!r}: {pair!r} is not a setting or is repeated; write {name}:setting=value,setting=value"
            )
        if setting not in kind.model_fields:
            raise BenchwrightError(f"protocol {name!r} has no setting {setting!r}; {_nearest(setting, kind)}")
        values[setting] = value
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"setting {first['loc'][0]!r}" if first["loc"] else "its settings"
        raise BenchwrightError(f"protocol {text!r}: {where}: {first['msg']}") from error


class ListedProtocol(NamedTuple):
    """A protocol in the list of protocols."""

    name: str
    help: str
    source: str
    settings: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        return self._asdict()


def listed() -> list[ListedProtocol]:
    """Return every protocol with its help text, its source, and its settings with their defaults."""
    protocols = []
    for name, entry in catalogue("protocols").items():
        kind: type[Protocol] = entry.load()
        settings = {
            setting: None if field.is_required() else field.get_default()
            for setting, field in sorted(kind.model_fields.items())
        }
        protocols.append(ListedProtocol(name, entry.entry.help, kind.source, settings))
    return protocols


def protocol_lines(protocols: Sequence[ListedProtocol]) -> str:
    """Return the list as text, with a line of help, then settings and source, for each protocol."""
    lines = []
    for protocol in protocols:
        settings = ", ".join(f"{name}={_shown(value)}" for name, value in protocol.settings.items())
        lines += [f"{protocol.name:<12} {protocol.help}", f"{'':<12} {settings}", f"{'':<12} from {protocol.source}"]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if value is None:
        return "..."
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nearest(setting: str, kind: type[Protocol]) -> str:
    near = get_close_matches(setting, kind.model_fields, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"it has {', '.join(sorted(kind.model_fields)) or 'none'}"
