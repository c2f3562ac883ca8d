"""Command options for models to be asked, derived from the declarations of `BackendOptions` and `Judge`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import click
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from benchwright.errors import BenchwrightError
from benchwright.models.endpoints.vendors.extra_headers import parse_headers
from benchwright.models.endpoints.vendors.request_fields import parse_field

from ..backends.options import BackendOptions, EndpointOptions, notes_of
from ..judging.judge import Judge

Command = Callable[..., None]
AnyOptions = TypeVar("AnyOptions", bound=BaseModel)

_LONGEST_SYSTEM_BYTES = 200_000
_JUDGE = "judge"
"""Prefix of the options for the judge."""

MODEL_OPTIONS = (
    "base_url", "api_key_env", "max_tokens", "temperature", "top_p", "seed", "samples",
    "concurrency", "timeout", "retries",
    "headers", "system", "reasoning_effort", "reasoning_tokens", "image_detail",
    "price_in", "price_out", "budget", "budget_tokens", "budget_requests", "batch", "image_urls", "image_folder",
    "max_picture_side", "max_picture_bytes", "batch_size",
    "device", "dtype", "fields", "omit",
)  # fmt: skip
"""Fields of `BackendOptions` that users set, in the order of the command's help."""

JUDGE_OPTIONS = ("model", "asks", "base_url", "api_key_env", "headers", "price_in", "price_out", "fields", "omit")
"""Fields of `Judge`, in the order of the command's help."""


def model_options(command: Command) -> Command:
    """Add the options of a model to a command, which receives them as `options`."""

    @wraps(command)
    def with_options(**parameters: Any) -> None:
        context = click.get_current_context()
        values = {name: parameters.pop(name) for name in MODEL_OPTIONS}
        default = click.core.ParameterSource.DEFAULT
        stated = {name: value for name, value in values.items() if context.get_parameter_source(name) is not default}
        command(options=_checked(BackendOptions, stated), **parameters)

    return _with_options(with_options, BackendOptions, MODEL_OPTIONS)


def judge_options(command: Command) -> Command:
    """Add the options of a judge to a command, which receives the judge, or None if there is none, as `judge`."""

    @wraps(command)
    def with_judge(**parameters: Any) -> None:
        values = {name: parameters.pop(f"{_JUDGE}_{name}") for name in JUDGE_OPTIONS}
        values["asks"] = "all" if values["asks"] else None
        stated = {name: value for name, value in values.items() if value is not None and value != ()}
        if stated and "model" not in stated:
            raise BenchwrightError("these settings need a judge: name its model with --judge")
        command(judge=_checked(Judge, stated) if stated else None, **parameters)

    return _with_options(with_judge, Judge, JUDGE_OPTIONS, prefix=_JUDGE)


def _flag_of(model: type[BaseModel], name: str, prefix: str = "") -> str:
    """Return the command-line option that sets a field, such as `--max-tokens`."""
    flag = notes_of(model, name).flag
    return "--" + "-".join(part for part in (prefix, name if flag is None else flag) if part).replace("_", "-")


def _describe(model: type[BaseModel], name: str, prefix: str) -> str:
    """Return the description of an option, with field names in backticks replaced by the names of options."""
    spelled = re.sub(r"`(\w+)`", lambda match: _as_flag(model, match[1]), model.model_fields[name].description or "")
    text = notes_of(model, name).command_help or spelled
    if prefix and name in EndpointOptions.model_fields:
        text = f"For the {prefix}: {text[0].lower()}{text[1:]}"
    return text


def _as_flag(model: type[BaseModel], word: str) -> str:
    return f"`{_flag_of(model, word) if word in model.model_fields else word}`"


def _with_options(command: Command, model: type[BaseModel], names: Sequence[str], prefix: str = "") -> Command:
    for name in reversed(names):
        command = _option(model, name, prefix)(command)
    return command


def _option(model: type[BaseModel], name: str, prefix: str) -> Callable[[Command], Command]:
    """Return the decorator that adds the option for a field to a command."""
    field, notes = model.model_fields[name], notes_of(model, name)
    text = _describe(model, name, prefix).replace("`", "") + "."
    if notes.unset is not None and field.default is None:
        text += f"  [default: {notes.unset}]".replace("`", "")
    return click.option(
        _flag_of(model, name, prefix),
        f"{prefix}_{name}" if prefix else name,
        help=text,
        metavar=notes.metavar,
        **_value_settings(field),
    )


def _value_settings(field: FieldInfo) -> dict[str, Any]:
    """Return the command-line settings for the values of a field: type, limits and default."""
    types = {getattr(kind, "__origin__", kind) for kind in (field.annotation, *get_args(field.annotation))}
    if types & {tuple, dict}:
        return {"multiple": True}
    words = next((get_args(kind) for kind in get_args(field.annotation) if get_origin(kind) is Literal), None)
    if words is not None or bool in types or get_origin(field.annotation) is Literal:
        return {"type": click.Choice(words)} if words else {"is_flag": True}
    if Path in types:
        return {"type": click.Path(file_okay=False, path_type=Path)}
    settings: dict[str, Any] = {} if field.is_required() else {"default": field.default, "show_default": True}
    if types & {int, float}:
        at_least, above, at_most = (
            next((value for entry in field.metadata if (value := getattr(entry, bound, None)) is not None), None)
            for bound in ("ge", "gt", "le")
        )
        if at_least is None and above is None:
            return settings | {"type": int if int in types else float}
        kind = click.IntRange if int in types else click.FloatRange
        low = at_least if above is None else above
        return settings | {"type": kind(low, at_most, min_open=above is not None)}
    return settings


def _checked(model: type[AnyOptions], values: Mapping[str, Any]) -> AnyOptions:
    """Return the options with the values given on the command line, after validating them.

    Raises:
        BenchwrightError: A value is invalid, or two values conflict.
    """
    if "fields" in values:
        values = {**values, "fields": _request_fields(values["fields"])}
    if "headers" in values:
        values = {**values, "headers": parse_headers(values["headers"])}
    if str(values.get("system") or "").startswith("@"):
        values = {**values, "system": _text_of(Path(values["system"][1:]))}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        cause = first.get("ctx", {}).get("error")
        if cause is None:
            raise BenchwrightError(f"{_flag_of(model, str(first['loc'][0]))}: {first['msg']}") from error
        words = re.sub(r"\b(price_in|price_out)\b", lambda match: _flag_of(model, match[1]), str(cause))
        raise BenchwrightError(words) from error


def _text_of(path: Path) -> str:
    """Return the text of the file given with `--system`.

    Raises:
        BenchwrightError: The file cannot be read, is not text, or is empty or too long.
    """
    try:
        with path.open("rb") as handle:
            text = handle.read(_LONGEST_SYSTEM_BYTES + 1).decode("utf-8").strip()
    except (OSError, ValueError) as error:
        raise BenchwrightError(f"--system @{path}: {error}") from error
    if not text or len(text.encode()) > _LONGEST_SYSTEM_BYTES:
        raise BenchwrightError(f"--system @{path}: it contains no text, or more than {_LONGEST_SYSTEM_BYTES:,} bytes")
    return text


def _request_fields(texts: Sequence[str]) -> dict[str, Any]:
    """Return the request fields that a repeatable option gives, each as NAME=JSON.

    Raises:
        BenchwrightError: A value is not of this form, or a field occurs twice.
    """
    fields: dict[str, Any] = {}
    for text in texts:
        name, value = parse_field(text)
        if name in fields:
            raise BenchwrightError(f"the field {name!r} is given twice; give it once")
        fields[name] = value
    return fields
