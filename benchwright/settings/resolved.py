"""Settings that runs record with every default, reduced to those that users gave.

A workspace and a release contain the resolved recipe. Some settings exclude others: `omit: [temperature]` forbids a
`temperature`, and a pair of views from a dataset forbids the settings of drawn views. Such rules concern only stated
settings. A run also records defaults that no user stated, so values at their default are removed first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from benchwright.canonical import canonical_json
from benchwright.settings.yaml_places import retired_settings, setting_names


def stated_settings(model: type[BaseModel], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a model without retired ones and those at their default, also in nested models.

    Args:
        model: The model, such as the class of a step.
        settings: JSON values of its settings; unknown ones are kept, so that reading them reports an error.
    """
    fields, retired = setting_names(model) | model.model_fields, retired_settings(model)
    return {
        name: value if name not in fields else _stated(fields[name].annotation, value)
        for name, value in settings.items()
        if name not in retired and (name not in fields or not _is_default(fields[name], value))
    }


def _is_default(field: FieldInfo, value: Any) -> bool:
    if field.is_required() or _tag(field) is not None:  # a tag identifies one model among several
        return False
    default = to_jsonable_python(field.get_default(call_default_factory=True), fallback=repr)
    return canonical_json(default) == canonical_json(value)


def _stated(annotation: Any, value: Any) -> Any:
    """Return the value of an annotated field, with nested models reduced to stated settings."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _stated(arguments[0], value)
    if origin in (Union, UnionType):
        fitting = [argument for argument in arguments if _fits(argument, value)]
        return _stated(fitting[0], value) if len(fitting) == 1 else value
    if not _fits(annotation, value):
        return value
    if isinstance(value, Mapping):
        if _is_model(annotation):
            return stated_settings(annotation, value)
        return {key: _stated(arguments[-1], entry) for key, entry in value.items()} if arguments else value
    is_of_one_kind = len(arguments) == 1 or arguments[1:] == (Ellipsis,)
    return [_stated(arguments[0], entry) for entry in value] if is_of_one_kind else value


def _fits(annotation: Any, value: Any) -> bool:
    """Return whether a value can match an annotation that may contain a model."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _fits(get_args(annotation)[0], value)
    if _is_model(annotation):
        tags = {name: tag for name, field in annotation.model_fields.items() if (tag := _tag(field)) is not None}
        return isinstance(value, Mapping) and all(value.get(name, tag) == tag for name, tag in tags.items())
    if isinstance(value, Mapping):
        return isinstance(origin, type) and issubclass(origin, Mapping)
    return isinstance(value, list) and isinstance(origin, type) and issubclass(origin, Sequence | frozenset | set)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _tag(field: FieldInfo) -> Any:
    """Return a field's only allowed value, which identifies one model among several; None for any other field."""
    values = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return values[0] if len(values) == 1 else None
