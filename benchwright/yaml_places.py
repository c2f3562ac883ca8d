"""YAML files that people write: plain values, checked by a model, with mistakes named by file, line, key and value.

Recipes and facts files are read with this. Aliases, tags and repeated keys are refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

import yaml
from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from benchwright.errors import BenchwrightError

Path_ = tuple[str | int, ...]
"""Keys and list positions from the top of a file down to a value."""
Model = TypeVar("Model", bound=BaseModel)


class Places:
    """Where in the file each key stands, and the kind of error that its mistakes are."""

    def __init__(self, name: str, lines: Mapping[Path_, int], error: type[BenchwrightError]) -> None:
        self._name = name
        self._lines = lines
        self.error = error

    def of(self, path: Path_) -> str:
        """Return `file: line N` of a key, or of the nearest one above it."""
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self._name}: line {self._lines.get(path, 1)}"

    def wrong(self, path: Path_, value: Any, why: str) -> BenchwrightError:
        """Return the error for a value that is not valid."""
        key = ".".join(str(part) for part in path)
        return self.error(f"{self.of(path)}: key {key!r}: {shown(value)} is not valid: {why}")


def checked(
    cls: type[Model],
    settings: Mapping[str, Any],
    path: Path_,
    at: Places,
    extra: Sequence[str] = (),
    context: Mapping[str, Any] | None = None,
) -> Model:
    """Make a model of settings that stand at `path`.

    Args:
        cls: The model.
        settings: Its keys and values.
        path: Where they stand.
        at: Where everything stands.
        extra: Keys that are valid there beside the model's own.
        context: What validators of the model may look at.

    Raises:
        BenchwrightError: Of the kind that `at` names, for the first mistake.
    """
    try:
        return cls.model_validate({str(key): value for key, value in settings.items()}, context=context)
    except ValidationError as error:
        mistakes = error.errors(include_url=False)
        # A misspelled key shows as two mistakes: one that is unknown, and one that is missing.
        first = next((one for one in mistakes if one["type"] == "extra_forbidden"), mistakes[0])
        where = tuple(part for part in first["loc"] if isinstance(part, str | int))
        key = ".".join(str(part) for part in where)
        if first["type"] == "extra_forbidden":
            known = [*_fields(cls, where[:-1]), *extra]
            near = get_close_matches(str(where[-1]), known, n=1, cutoff=0.4)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(known)) or 'none'}"
            place = at.of((*path, *where))
            raise at.error(f"{place}: unknown key {key!r} (value {shown(first['input'])}); {hint}") from None
        if first["type"] == "missing":
            raise at.error(f"{at.of((*path, *where[:-1]))}: key {key!r} is missing") from None
        place = at.of((*path, *where))
        raise at.error(f"{place}: key {key!r}: {shown(first['input'])} is not valid: {first['msg']}") from None


def _fields(cls: type[BaseModel], where: Sequence[str | int]) -> list[str]:
    """Return the keys that are valid at a place inside a model; list positions and free keys lead nowhere new."""
    model: type[BaseModel] | None = cls
    for part in where:
        if model is not None and isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation)
    return [] if model is None else list(setting_names(model))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the first model named in an annotation such as `tuple[Subject, ...]` or `dict[str, Picture]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(argument) for argument in getattr(annotation, "__args__", ()))
    return next((model for model in found if model is not None), None)


def setting_names(cls: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return a model's fields by the keys that files use for them."""
    found: dict[str, FieldInfo] = {}
    for name, field in cls.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            alias = alias.choices[0]
        found[alias if isinstance(alias, str) else name] = field
    return found


def shown(value: Any) -> str:
    """Spell a value for a message, in at most 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def compose(text: str, name: str, *, error: type[BenchwrightError]) -> tuple[Any, dict[Path_, int]]:
    """Parse YAML to plain values and the line of each key.

    Raises:
        BenchwrightError: Of the kind given; the text is no YAML, or has aliases, tags or repeated keys.
    """
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise error(f"{name}: line {line}: aliases (*{event.anchor}) are not allowed")
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise error(f"{name}: line 1: the file is empty")
        lines: dict[Path_, int] = {}
        return _value(loader, node, (), name, lines, error), lines
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        what = getattr(problem, "problem", None) or str(problem).split("\n", maxsplit=1)[0]
        raise error(f"{name}: line {line}: not valid YAML: {what}") from problem
    except RecursionError:
        raise error(f"{name}: line 1: nested too deeply") from None


def _value(
    loader: yaml.SafeLoader,
    node: yaml.Node,
    path: Path_,
    name: str,
    lines: dict[Path_, int],
    error: type[BenchwrightError],
) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        found: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, str):
                raise error(f"{name}: line {line}: key {shown(key)} is not text; put it in quotes")
            if key in found:
                raise error(f"{name}: line {line}: key {key!r} stands twice in the same mapping")
            lines[(*path, key)] = line
            found[key] = _value(loader, value_node, (*path, key), name, lines, error)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, child, (*path, number), name, lines, error) for number, child in enumerate(node.value)]
    return loader.construct_object(node, deep=True)
