"""The documentation that the classes of steps and other settings contain, for `benchwright steps` and reference pages.

A class states each setting once: type, default and bounds in its field, the meaning in the section `Args:` (or
`Attributes:`) of its docstring or in the field's description. A step lists its reason codes in a section `Reasons:`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from benchwright.settings.yaml_places import setting_names

_SECTION = re.compile(r"^(Args|Attributes|Reasons|Raises):\n", re.M)
_ENTRY = re.compile(r"^    (\w+)(?: \(([^)]*)\))?: (.*(?:\n(?:     .*|(?=\n)))*)", re.M)


@dataclass(frozen=True)
class Setting:
    """One setting, as written in a recipe.

    Args:
        name: Dotted name; for a list of settings, the name of an entry's setting.
        kind: Type of the setting's values, with their bounds, in words.
        default: Default as YAML on one line; None if the setting is required.
        help: Meaning of the setting.
        only_with: Condition under which the setting exists, such as `backend: endpoint`; empty for most.
    """

    name: str
    kind: str
    default: str | None
    help: str
    only_with: str = ""


@dataclass(frozen=True)
class Reason:
    """A reason code of a step, with its verdicts and meaning."""

    code: str
    verdict: str
    help: str


def summary_of(cls: type) -> str:
    """Return a class's docstring without its sections; empty if the class itself has none."""
    return _SECTION.split(inspect.cleandoc(cls.__dict__.get("__doc__") or ""))[0].strip()


def reasons_of(cls: type) -> tuple[Reason, ...]:
    """Return the reason codes in the docstring of a step or another class, followed by those of its bases."""
    reasons: dict[tuple[str, str], Reason] = {}  # a code may have several verdicts
    for base in cls.__mro__:
        for code, verdict, text in _entries(base, "Reasons"):
            reasons.setdefault((code, verdict or ""), Reason(code, verdict or "", text))
    return tuple(reasons.values())


def settings_of(cls: type[BaseModel]) -> tuple[Setting, ...]:
    """Return all settings of a class in order, each followed by those of the models nested in it."""
    return tuple(_settings(cls, "", ""))


def _settings(cls: type[BaseModel], prefix: str, only_with: str) -> Iterator[Setting]:
    schema = cls.model_json_schema()
    for attribute, (name, field) in zip(cls.model_fields, setting_names(cls).items(), strict=True):
        kind = _kind(schema["properties"][name], schema.get("$defs", {}))
        yield Setting(prefix + name, kind, _default(field), _help(cls, attribute, field), only_with)
        models = list(_models_in(field.annotation))
        for model in models:
            condition = _discriminator(model) if len(models) > 1 else only_with
            yield from _settings(model, f"{prefix}{name}.", condition)


def _entries(cls: type, *sections: str) -> Iterator[tuple[str, str | None, str]]:
    parts = _SECTION.split(inspect.cleandoc(cls.__dict__.get("__doc__") or ""))
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        if title in sections:
            for name, note, text in _ENTRY.findall(body):
                yield name, note, " ".join(text.split())


def _help(cls: type[BaseModel], attribute: str, field: FieldInfo) -> str:
    """Return a setting's meaning, from the nearest class that documents it, or else from the field.

    For a setting that may be null, metadata with an attribute `unset` describes the null value.
    """
    for base in cls.__mro__:
        for name, _, text in _entries(base, "Args", "Attributes"):
            if name == attribute:
                return re.sub(r"\bNone\b", "`null`", text)
    text = (field.description or "").rstrip(".")
    unset = next((notes.unset for notes in field.metadata if getattr(notes, "unset", None)), None)
    if unset and field.default is None:
        text += f"; by default {unset}"
    return text and f"{text}."


def _default(field: FieldInfo) -> str | None:
    """Return a default as YAML; None for a required setting, `{}` for a nested model with its own defaults."""
    if field.is_required():
        return None
    value = field.get_default(call_default_factory=True)
    return "{}" if isinstance(value, BaseModel) else _yaml(value)


def _yaml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_yaml(entry) for entry in value) + "]"
    return value if isinstance(value, str) and value else json.dumps(value)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in an annotation such as `Facts | Endpoint | None` or `tuple[Model, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for argument in get_args(annotation):
            yield from _models_in(argument)


def _discriminator(model: type[BaseModel]) -> str:
    """Return the setting whose value selects this model among several, such as `backend: endpoint`."""
    for name, field in model.model_fields.items():
        if len(values := get_args(field.annotation)) == 1 and isinstance(values[0], str):
            return f"{name}: {values[0]}"
    return ""


_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "maxLength": "at most {} characters",
    "multipleOf": "a multiple of {}",
}
_KINDS = {"string": "text", "boolean": "true or false", "object": "mapping", "null": "null", "array": "list"}


def _kind(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return the values that a JSON schema allows, as text, such as `integer, 1 to 64`."""
    if "$ref" in schema:
        return _kind(definitions.get(schema["$ref"].rpartition("/")[2], {"type": "object"}), definitions)
    if options := schema.get("anyOf") or schema.get("oneOf"):
        kinds = list(dict.fromkeys(_kind(option, definitions) for option in options))
        return (", or " if any("," in kind for kind in kinds) else " or ").join(kinds)
    if values := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
        return " or ".join(f"`{value}`" for value in values)
    words = _KINDS.get(schema.get("type", ""), schema.get("type", "any value"))
    if schema.get("type") == "array" and schema.get("items"):
        words = f"list of {_kind(schema['items'], definitions)}"
    bounds = dict(schema)
    if {"minimum", "maximum"} <= bounds.keys():
        words += f", {_number(bounds.pop('minimum'))} to {_number(bounds.pop('maximum'))}"
    limits = [text.format(_number(bounds[key])) for key, text in _BOUNDS.items() if key in bounds]
    return ", ".join([words, *limits])


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
