"""Values that differ from a setting's default, made from the type and bounds that the setting states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from benchwright.settings.yaml_places import setting_names

TEXTS = (
    "other", "fr", "1.1", "cc0", "https://host.example/v1", "2026-01-01", "unanimous(3)", "blind", "blink",
    f"sha256:{'a' * 64}",
)  # fmt: skip
"""Texts in the forms of settings: names, languages, versions, licenses, addresses, dates, rules, readers."""
_DEEPEST = 3


def other_values(field: FieldInfo) -> Iterator[Any]:
    """Yield JSON values that a field may take besides its default, as far as its type shows; some may be refused."""
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    yield from (value for value in _values(field.annotation, field.metadata, default, 0) if value != default)


def _values(annotation: Any, metadata: Any, default: Any, depth: int) -> Iterator[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _values(arguments[0], (*metadata, *arguments[1:]), default, depth)
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from _values(argument, metadata, default, depth)
    elif origin is Literal:
        yield from arguments
    elif annotation is type(None):
        yield None
    elif annotation is bool:
        yield from (True, False)
    elif annotation in (int, float):
        yield from _numbers(annotation, metadata, default)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _documents(annotation, depth + 1) if depth < _DEEPEST else ()
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        entries = list(_values(arguments[1], (), None, depth))
        yield from ({key: entry} for entry in entries for key in ("other", "fr"))
    elif origin is tuple and Ellipsis not in arguments:
        columns = [list(_values(argument, (), None, depth)) for argument in arguments]
        yield from ([*row] for row in zip(*columns, strict=False))
    elif origin is not None:
        entries = list(_values(arguments[0], (), None, depth))
        yield from ([entry] for entry in entries)
        yield from ([first, second] for first, second in pairwise(entries))
    else:
        yield from TEXTS


def _numbers(kind: type, metadata: Any, default: Any) -> Iterator[float]:
    low = next(
        (bound for note in metadata for name in ("ge", "gt") if (bound := getattr(note, name, None)) is not None), 0
    )
    high = next(
        (bound for note in metadata for name in ("le", "lt") if (bound := getattr(note, name, None)) is not None), 9
    )
    near = () if default is None else (default + 1, default / 2, default - 1)
    yield from (kind(number) for number in (*near, low + 1, (low + high) / 2, 0.25, low, high))


def _documents(model: type[BaseModel], depth: int) -> Iterator[dict[str, Any]]:
    """Yield documents of a model: its required settings, then each of its settings with other values."""
    fields = setting_names(model)
    required = {
        name: next(iter(_values(field.annotation, field.metadata, None, depth)), None)
        for name, field in fields.items()
        if field.is_required()
    }
    yield required
    for name, field in fields.items():
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        yield from ({**required, name: value} for value in _values(field.annotation, field.metadata, default, depth))
