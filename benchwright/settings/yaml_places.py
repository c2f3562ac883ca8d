"""A reader of hand-written YAML files that reports mistakes by file, line, key and value.

It reads recipes and facts files: plain values, checked by a pydantic model. It refuses aliases, tags, repeated keys and
nesting deeper than `_MAX_DEPTH`, because PyYAML's work grows with the square of the depth.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from benchwright.errors import BenchwrightError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MAX_DEPTH = 50
"""Largest number of levels of nested lists and mappings; Benchwright's files need about ten."""
_MAX_INTEGER_BITS = 64
_LINE = re.compile(r": line ([0-9]+):")
_INTEGER = "tag:yaml.org,2002:int"
_MOST_TOLD = 40
"""Largest number of mistakes that are listed for one file, one per line."""
Path_ = tuple[str | int, ...]
"""Keys and list indices from the top of a file down to a value."""
Model = TypeVar("Model", bound=BaseModel)


class Places:
    """Line of each key in a file, and the error class to use for mistakes in that file."""

    def __init__(self, name: str, lines: Mapping[Path_, int], error: type[BenchwrightError]) -> None:
        self._name = name
        self._lines = lines
        self.error = error

    def nearest(self, path: Path_) -> Path_:
        """Return the given path if it exists in the file, otherwise the nearest path above it that does."""
        while path and path not in self._lines:
            path = path[:-1]
        return path

    def of(self, path: Path_) -> str:
        """Return `file: line N` of a key, or of the nearest key above it."""
        return f"{self._name}: line {self._lines.get(self.nearest(path), 1)}"

    def called(self, path: Path_, key: str) -> str:
        """Return the name of a value for messages.

        Args:
            path: Location of the value.
            key: Key of the value, with the parent keys that a message includes.
        """
        del path
        return f"key {key!r}"

    def several(self, lines: Sequence[str]) -> BenchwrightError:
        """Return one error that lists up to 40 mistakes, one per line."""
        rest = [f"... and {len(lines) - _MOST_TOLD} more"] if len(lines) > _MOST_TOLD else []
        error = self.error("\n  ".join([f"{self._name}: {len(lines)} mistakes", *lines[:_MOST_TOLD], *rest]))
        error.mistakes = tuple(lines)
        return error

    def wrong(self, path: Path_, value: Any, why: str) -> BenchwrightError:
        """Return the error for an invalid value."""
        key = ".".join(str(part) for part in path)
        return self.error(f"{self.of(path)}: {self.called(path, key)}: {shown(value)} is not valid: {why}")


class Mistakes:
    """Mistakes in one file, collected so that all can be reported at once."""

    def __init__(self, at: Places) -> None:
        self.at = at
        self._errors: list[BenchwrightError] = []

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Collect a mistake that the block raises, and continue after the block."""
        try:
            yield
        except BenchwrightError as error:
            self._errors.append(error)

    def add(self, error: BenchwrightError) -> None:
        """Add a mistake."""
        self._errors.append(error)

    def check(self, *, by_line: bool = False) -> None:
        """Raise the collected mistakes, if any: a single one unchanged, several as one error that lists them.

        Args:
            by_line: Whether to list the mistakes by line of the file rather than in the order of collection.

        Raises:
            BenchwrightError: The mistakes, in the class that the places name, or a single mistake in its own class.
        """
        if len(self._errors) == 1 and not (by_line and self._errors[0].mistakes):
            raise self._errors[0]
        if self._errors:
            lines = [line for error in self._errors for line in error.mistakes or (str(error),)]
            raise self.at.several(sorted(lines, key=_line_number) if by_line else lines)


def _line_number(mistake: str) -> int:
    """Return the line number that an error message gives, or 0 if it gives none."""
    named = _LINE.search(mistake)
    return int(named[1]) if named else 0


def checked(
    cls: type[Model],
    settings: Mapping[str, Any],
    path: Path_,
    at: Places,
    extra: Sequence[str] = (),
    context: Mapping[str, Any] | None = None,
) -> Model:
    """Return a model made from the settings at `path`.

    Args:
        cls: Class of the model.
        settings: Keys and values of the model.
        path: Location of the settings in the file.
        at: Locations of all keys.
        extra: Valid keys besides the model's own.
        context: Validation context for the model's validators.

    Raises:
        BenchwrightError: All mistakes that the model finds, in the class that `at` names.
    """
    try:
        return cls.model_validate({str(key): value for key, value in settings.items()}, context=context)
    except ValidationError as error:
        lines = _mistakes_in(error.errors(include_url=False), cls, path, at, extra)
    if len(lines) == 1:
        raise at.error(lines[0])
    raise at.several(lines)


def _mistakes_in(
    errors: Sequence[ErrorDetails], cls: type[BaseModel], path: Path_, at: Places, extra: Sequence[str]
) -> list[str]:
    """Return a model's validation errors as lines, one for each location in the file.

    If one mistake causes several errors, only the first is reported: a value that fits no member of a union causes one
    error per member, and a misspelled key causes two, an unknown key and a missing key.
    """
    unknown = [_where(mistake) for mistake in errors if mistake["type"] == "extra_forbidden"]
    lines: dict[tuple[Path_, str], str] = {}
    for mistake in errors:
        where = _where(mistake)
        key = ".".join(str(part) for part in where)
        if mistake["type"] == "extra_forbidden":
            hint = _hint(_model_at(cls, where[:-1]), str(where[-1]), extra)
            line = f"{at.of((*path, *where))}: unknown key {key!r} (value {shown(mistake['input'])}); {hint}"
        elif mistake["type"] == "missing":
            beside = [str(path_of_unknown[-1]) for path_of_unknown in unknown if path_of_unknown[:-1] == where[:-1]]
            if get_close_matches(str(where[-1]), beside, n=1, cutoff=0.4):
                continue
            line = f"{at.of((*path, *where[:-1]))}: key {key!r} is missing"
        else:
            called = at.called((*path, *where), key)
            line = f"{at.of((*path, *where))}: {called}: {shown(mistake['input'])} is not valid: {mistake['msg']}"
        lines.setdefault((at.nearest((*path, *where)), key if mistake["type"] == "missing" else ""), line)
    return list(lines.values())


def _where(mistake: ErrorDetails) -> Path_:
    return tuple(part for part in mistake["loc"] if isinstance(part, str | int))


def _hint(model: type[BaseModel] | None, unknown: str, extra: Sequence[str]) -> str:
    """Return advice on a key that a model does not know."""
    if unknown in (retired := retired_settings(model)):
        return retired[unknown]
    known = [*([] if model is None else setting_names(model)), *extra]
    near = get_close_matches(unknown, known, n=1, cutoff=0.4)
    return f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(known)) or 'none'}"


def retired_settings(model: type[BaseModel] | None) -> Mapping[str, str]:
    """Return the settings that a model had in earlier versions, with advice on each, from its attribute `RETIRED`.

    A recipe that names one is refused with this text; a workspace or release that recorded one can still be read.
    """
    return getattr(model, "RETIRED", {})


def _model_at(cls: type[BaseModel], where: Sequence[str | int]) -> type[BaseModel] | None:
    """Return the model at a location inside a model, skipping list indices and free keys."""
    model: type[BaseModel] | None = cls
    for part in where:
        if model is not None and isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation)
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the first model in an annotation such as `tuple[Subject, ...]` or `dict[str, Picture]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    models = (_model_in(argument) for argument in getattr(annotation, "__args__", ()))
    return next((model for model in models if model is not None), None)


def setting_names(cls: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return a model's fields, keyed by their names in files."""
    fields: dict[str, FieldInfo] = {}
    for name, field in cls.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            alias = alias.choices[0]
        fields[alias if isinstance(alias, str) else name] = field
    return fields


def shown(value: Any) -> str:
    """Return a value as text for a message, limited to 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def compose(text: str, name: str, *, error: type[BenchwrightError]) -> tuple[Any, dict[Path_, int]]:
    """Return the plain values of a YAML text and the line of each key.

    Raises:
        BenchwrightError: The text is not YAML, or has aliases, tags or repeated keys; in the class `error`.
    """
    try:
        _check_events(text, name, error)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise error(f"{name}: line 1: the file is empty")
        lines: dict[Path_, int] = {}
        return _value(loader, node, (), name, lines, error), lines
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        problem_text = getattr(problem, "problem", None) or str(problem).split("\n", maxsplit=1)[0]
        raise error(f"{name}: line {line}: not valid YAML: {problem_text}") from problem
    except RecursionError:
        raise error(f"{name}: line 1: nested too deeply") from None


def _check_events(text: str, name: str, error: type[BenchwrightError]) -> None:
    """Refuse aliases and deep nesting, naming their line, before any value is created from the text."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise error(f"{name}: line {line}: aliases (*{event.anchor}) are not allowed")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                raise error(f"{name}: line {line}: nested too deeply; the limit is {_MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _scalar(loader: yaml.SafeLoader, node: yaml.Node, name: str, error: type[BenchwrightError]) -> Any:
    """Return the value of a scalar; refuse numbers that no key accepts, and invalid dates."""
    line = node.start_mark.line + 1
    try:
        value = loader.construct_object(node, deep=True)
    except (ValueError, OverflowError) as problem:
        if node.tag != _INTEGER:
            why = f"{problem}; put it in quotes if it is text"
            raise error(f"{name}: line {line}: {shown(node.value)} cannot be read: {why}") from None
    else:
        if not isinstance(value, int) or value.bit_length() <= _MAX_INTEGER_BITS:
            return value
    raise error(
        f"{name}: line {line}: {shown(node.value)} is an integer of {len(node.value):,} characters, more than any key "
        "accepts; give a smaller one, or put it in quotes if it is text"
    )


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
        mapping: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = _scalar(loader, key_node, name, error)
            line = key_node.start_mark.line + 1
            if not isinstance(key, str):
                raise error(f"{name}: line {line}: key {shown(key)} is not text; put it in quotes")
            if key in mapping:
                raise error(f"{name}: line {line}: key {key!r} occurs twice in the same mapping")
            lines[(*path, key)] = line
            mapping[key] = _value(loader, value_node, (*path, key), name, lines, error)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, child, (*path, number), name, lines, error) for number, child in enumerate(node.value)]
    return _scalar(loader, node, name, error)
