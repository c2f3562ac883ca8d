"""Recipes: one YAML file that says which images go through which steps.

    name: my-benchmark
    seed: 7
    images: photographs        # or --images DIR
    steps:
      - exact_duplicates       # a step with its defaults
      - step: near_duplicates
        distance: 6
      - step: jigsaw
        as: jigsaw_small       # a second name, where a step is used twice

Every mistake is reported with file, line, key, the value found and the nearest valid key.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo

from benchwright.errors import BenchwrightError, RecipeError
from benchwright.identify import Limits
from benchwright.recipes import bundled_recipes
from benchwright.rooms import find
from benchwright.steps import Step

MAX_BYTES = 1 << 20
Path_ = tuple[str | int, ...]


class ImageLimits(BaseModel):
    """What an image file may be at most, checked before it is decoded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_pixels: int = Field(Limits.max_pixels, gt=0)
    max_bytes: int = Field(Limits.max_bytes, gt=0)
    max_frames: int = Field(Limits.max_frames, gt=0)


class Header(BaseModel):
    """Everything of a recipe but its steps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)
    """Lower-case letters, digits and hyphens."""
    seed: int = Field(0, ge=0, lt=1 << 63)
    images: str | None = None
    """Image folder, relative to the recipe's file; `--images` overrides it."""
    shards: int = Field(16, ge=1, le=4096)
    """Number of shards, a power of two; fixed once a workspace has images."""
    limits: ImageLimits = ImageLimits()
    steps: Annotated[list[Any], Field(min_length=1)]

    @field_validator("shards")
    @classmethod
    def _power_of_two(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError(f"shards must be a power of two, not {value}")
        return value


@dataclass(frozen=True)
class Recipe:
    """A recipe, read and checked.

    Args:
        header: Its settings.
        steps: (entry name, step) in order.
        folder: What relative paths in it are relative to.
    """

    header: Header
    steps: tuple[tuple[str, Step], ...]
    folder: Path

    def resolved(self) -> dict[str, Any]:
        """Return the recipe with every default spelled out, without paths, as JSON values."""
        document = self.header.model_dump(mode="json", exclude={"images", "steps"})
        document["steps"] = [
            {"as": entry, "step": step.name, "version": step.version, **step.parameters()} for entry, step in self.steps
        ]
        return document


def load_recipe(path: Path) -> Recipe:
    """Read a recipe file.

    Raises:
        RecipeError: Anything in it is wrong.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RecipeError(f"recipe {path} is larger than {MAX_BYTES:,} bytes; a recipe is a short YAML file")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        names = ", ".join(bundled_recipes())
        raise RecipeError(
            f"recipe {path} cannot be read: {error.strerror or error} (bundled by name: {names})"
        ) from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"recipe {path} is not UTF-8 text (byte {error.start})") from error
    return parse_recipe(text, str(path), path.parent)


def parse_recipe(text: str, name: str, folder: Path) -> Recipe:
    """Read a recipe from text; `name` stands for the file in messages."""
    document, lines = _compose(text, name)
    if not isinstance(document, dict):
        raise RecipeError(f"{name}: line 1: a recipe is a mapping with the keys name and steps, not {_shown(document)}")
    at = _Places(name, lines)
    header = _checked(Header, document, (), at)
    steps: list[tuple[str, Step]] = []
    for number, raw in enumerate(header.steps):
        entry, step = _step(raw, ("steps", number), at)
        if entry in {known for known, _ in steps}:
            raise RecipeError(
                f"{at.of(('steps', number))}: entry {entry!r} stands twice; give this one another name with `as:`"
            )
        steps.append((entry, step))
    return Recipe(header, tuple(steps), folder)


class _Places:
    """Where in the file each key stands."""

    def __init__(self, name: str, lines: Mapping[Path_, int]) -> None:
        self._name = name
        self._lines = lines

    def of(self, path: Path_) -> str:
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self._name}: line {self._lines.get(path, 1)}"


def _step(raw: Any, path: Path_, at: _Places) -> tuple[str, Step]:
    if isinstance(raw, str):
        raw = {"step": raw}
    if not isinstance(raw, dict) or not isinstance(raw.get("step"), str):
        raise RecipeError(f"{at.of(path)}: a step is a name or a mapping with the key `step`, not {_shown(raw)}")
    try:
        cls = find("steps", raw["step"]).load()
    except BenchwrightError as error:
        raise RecipeError(f"{at.of((*path, 'step'))}: {error}") from error
    entry = raw.get("as", raw["step"])
    if (
        not isinstance(entry, str)
        or not entry.replace("_", "").isalnum()
        or not entry.isascii()
        or entry != entry.lower()
    ):
        raise RecipeError(
            f"{at.of((*path, 'as'))}: key 'as': {_shown(entry)} is not a name (lower-case letters, digits, underscores)"
        )
    settings = {key: value for key, value in raw.items() if key not in {"step", "as"}}
    step: Step = _checked(cls, settings, path, at, extra=("step", "as"))
    return entry, step


def _checked(cls: type[Any], settings: Mapping[str, Any], path: Path_, at: _Places, extra: Sequence[str] = ()) -> Any:
    try:
        return cls(**{str(key): value for key, value in settings.items()})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = tuple(part for part in first["loc"] if isinstance(part, str | int))
        key = ".".join(str(part) for part in where)
        place = at.of((*path, *where))
        if first["type"] == "extra_forbidden":
            known = [*_fields(cls, where[:-1]), *extra]
            near = get_close_matches(str(where[-1]), known, n=1, cutoff=0.4)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(known)) or 'none'}"
            raise RecipeError(f"{place}: unknown key {key!r} (value {_shown(first['input'])}); {hint}") from None
        if first["type"] == "missing":
            raise RecipeError(f"{at.of(path)}: key {key!r} is missing") from None
        raise RecipeError(f"{place}: key {key!r}: {_shown(first['input'])} is not valid: {first['msg']}") from None


def _fields(cls: Any, where: Sequence[str | int]) -> list[str]:
    """Return the keys that are valid at a place inside a model."""
    for part in where:
        info = getattr(cls, "model_fields", {}).get(part)
        candidates = [info.annotation, *getattr(info.annotation, "__args__", ())] if info is not None else []
        cls = next((c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)), None)
    return [] if cls is None else list(setting_names(cls))


def setting_names(cls: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return a model's fields by the keys that recipes use for them."""
    found: dict[str, FieldInfo] = {}
    for name, field in cls.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            alias = alias.choices[0]
        found[alias if isinstance(alias, str) else name] = field
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _compose(text: str, name: str) -> tuple[Any, dict[Path_, int]]:
    """Parse YAML to plain values and the line of each key; aliases, tags and repeated keys are refused."""
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise RecipeError(f"{name}: line {line}: aliases (*{event.anchor}) are not allowed")
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise RecipeError(f"{name}: line 1: the file is empty; a recipe has the keys name and steps")
        lines: dict[Path_, int] = {}
        return _value(loader, node, (), name, lines), lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        problem = getattr(error, "problem", None) or str(error).split("\n", maxsplit=1)[0]
        raise RecipeError(f"{name}: line {line}: not valid YAML: {problem}") from error
    except RecursionError:
        raise RecipeError(f"{name}: line 1: nested too deeply") from None


def _value(loader: yaml.SafeLoader, node: yaml.Node, path: Path_, name: str, lines: dict[Path_, int]) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        found: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, str):
                raise RecipeError(f"{name}: line {line}: key {_shown(key)} is not text; put it in quotes")
            if key in found:
                raise RecipeError(f"{name}: line {line}: key {key!r} stands twice in the same mapping")
            lines[(*path, key)] = line
            found[key] = _value(loader, value_node, (*path, key), name, lines)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, child, (*path, number), name, lines) for number, child in enumerate(node.value)]
    return loader.construct_object(node, deep=True)
