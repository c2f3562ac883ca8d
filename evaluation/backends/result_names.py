"""The identity of results, and the names of their folders.

A result belongs to a model, a protocol, a reader and the settings that can change a reply: address, fields of requests,
weights, contents of a file. All of these determine the name of its folder, so that results with other settings are
stored next to it. Results with equal settings are the same result, which a later run continues.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchwright.canonical import bytes_digest, digest
from benchwright.replies.readers import ROBUST

from ..prompting.prompts import VANILLA

Identity = Mapping[str, Any]
"""Settings that can change a reply, as JSON values."""

_CHANGES_NO_REPLY = frozenset(
    {"retries", "tries", "pictures", "batch_size", "device", "refused", "omit", "stream", "picture_limits_learned"}
)
"""Settings of a backend that never change a reply; what an endpoint refuses is known only after asking it."""

_IN_THE_NAME = ("samples", "limit")
"""Numeric parts of the identity that appear in the folder's name: samples per item, and items in a sample."""
_USUAL: Identity = {"base_url": "https://api.openai.com/v1", "temperature": 0.0, "max_tokens": 1024}


def identity_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings of a backend that can change a reply."""
    return {name: value for name, value in sorted(settings.items()) if name not in _CHANGES_NO_REPLY}


def slug(model: str) -> str:
    """Return a folder name for a model; different model names give different folder names."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", model)[:80].lstrip(".")
    is_plain = re.fullmatch(r"[a-z_]+(:[A-Za-z0-9._-]+)?", model) is not None and len(model) <= 80
    return name if is_plain else f"{name}-{bytes_digest(model.encode('utf-8', 'surrogatepass'))[:8]}"


def results_name(model: str, protocol: str = VANILLA, reader: str = ROBUST, identity: Identity | None = None) -> str:
    """Return the name of a score's folder: the model's name, followed by any unusual settings for asking and reading.

    Settings that can change a reply are represented by the beginning of their digest, unless all have their usual
    values.

    Example:
        >>> results_name("random", "shuffle:k=3", "blink")
        'random@shuffle.k=3@blink'
        >>> results_name("openai:m", identity={"temperature": 0.0}), results_name("openai:m", identity={"seed": 4})
        ('openai-m', 'openai-m~ef731a0a')
        >>> results_name("random", identity={"limit": 50})
        'random@limit-50'
    """
    parts = [slug(model)]
    if protocol != VANILLA:
        is_plain = re.fullmatch(r"[a-z0-9-]+(:[A-Za-z0-9._=,-]+)?", protocol) is not None and len(protocol) <= 80
        parts.append(protocol.replace(":", ".") if is_plain else slug(protocol))
    if reader != ROBUST:
        parts.append(reader if re.fullmatch(r"[a-z0-9-]+", reader) is not None else slug(reader))
    unusual = {name: value for name, value in (identity or {}).items() if name not in _USUAL or value != _USUAL[name]}
    parts += [f"{name}-{unusual.pop(name)}" for name in _IN_THE_NAME if name in unusual]
    return "@".join(parts) + (f"~{digest(unusual)[:8]}" if unusual else "")


def differing_settings(identities: list[dict[str, Any]]) -> list[str]:
    """Return, for each of several results with the same name, the settings in which they differ, as text.

    Example:
        >>> differing_settings([{"seed": 1, "top_p": 1}, {"seed": 2, "top_p": 1}, {"top_p": 1}])
        ['seed 1', 'seed 2', 'no seed']
    """
    flat = [_flat(identity) for identity in identities]
    names = sorted({name for settings in flat for name in settings})
    differing = [name for name in names if len({digest(settings.get(name)) for settings in flat}) > 1]
    return [
        ", ".join(
            f"{name} {_shown(settings[name])}" if settings.get(name) is not None else f"no {name}" for name in differing
        )
        for settings in flat
    ]


def _flat(identity: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in identity.items():
        flat |= _flat(value, f"{before}{name} ") if isinstance(value, Mapping) else {f"{before}{name}": value}
    return flat


def _shown(value: Any) -> str:
    text = str(value)
    return text[:8] if re.fullmatch(r"[0-9a-f]{64}", text) else text
