"""Recipes: images and the steps that process them, written in YAML or in Python.

    name: my-benchmark                   Recipe(
    seed: 7                                  "my-benchmark",
    images: photographs                      seed=7,
    steps:                                   images="photographs",
      - exact_duplicates                     steps=[
      - step: near_duplicates                    "exact_duplicates",
        distance: 6                              step("near_duplicates", distance=6),
      - step: jigsaw                             step("jigsaw", as_="small_jigsaw"),
        as: small_jigsaw                     ],
                                         )

The same code checks both forms. It reports all mistakes in a recipe at once, each with its location (file and line, or
number and name of the step), the key, the value found and the nearest valid key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator

from benchwright.errors import BenchwrightError, RecipeError
from benchwright.images.formats.walking import Limits
from benchwright.recipes import bundled_recipes
from benchwright.rooms import catalogue, find
from benchwright.settings.resolved import stated_settings
from benchwright.settings.yaml_places import Mistakes, Path_, Places, checked, compose, setting_names, shown
from benchwright.steps import FOLDER, Step

MAX_BYTES = 1 << 20


class ImageLimits(BaseModel):
    """Limits of an image file, checked before decoding.

    Args:
        max_pixels: Largest number of pixels; images with more are refused as `too_many_pixels`. Above 178 million,
            Pillow itself refuses.
        max_bytes: Largest size in bytes; larger files are refused as `too_large`.
        max_frames: Largest number of frames; animations with more are refused as `too_many_frames`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_pixels: int = Field(Limits.max_pixels, gt=0)
    max_bytes: int = Field(Limits.max_bytes, gt=0)
    max_frames: int = Field(Limits.max_frames, gt=0)


class Header(BaseModel):
    """Keys of a recipe.

    Args:
        name: Lower-case letters, digits and hyphens; names the workspace.
        seed: Seed of all random choices.
        images: Image folder, relative to the recipe's file; `--images` overrides it.
        shards: Number of shards, a power of two; fixed once a workspace has images. With more shards, a killed run
            loses less; a hundred images per shard is a good size.
        limits: Limits of an image file.
        fitted: Whether to omit steps that lack an input, such as ground truth missing from the image folder. The run
            names them and records the remaining steps.
        optional: Entries of steps to omit if they lack an input, such as a package that is not installed. The run names
            them. With `fitted`, all entries are optional.
        steps: Steps in order, each a name, or a mapping with `step`, optionally `as`, and the step's settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)
    seed: int = Field(0, ge=0, lt=1 << 63)
    images: str | None = None
    shards: int = Field(16, ge=1, le=4096)
    limits: ImageLimits = ImageLimits()
    fitted: bool = False
    optional: tuple[str, ...] = ()
    steps: Annotated[list[Any], Field(min_length=1)]

    @field_validator("shards")
    @classmethod
    def _power_of_two(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError(f"shards must be a power of two, not {value}")
        return value


class Recipe:
    """A recipe with checked settings and steps.

    Args:
        name: Lower-case letters, digits and hyphens, at most 60; names the workspace.
        steps: Steps in order, each the name of a step, the return value of `step`, or a step object.
        seed: Seed of every random choice; default 0.
        images: Image folder, relative to `folder`; `run_recipe` accepts another one.
        shards: Number of shards, a power of two; fixed once a workspace has images; default 16.
        limits: Limits of an image file.
        folder: Base folder of relative paths in the recipe; by default the current one.

    Attributes:
        header: All settings except the steps.
        steps: Pairs of entry name and step, in order.
        folder: Base folder of relative paths.
        source: File of the recipe; None for one made in Python.

    Raises:
        RecipeError: The recipe is invalid; the message names each mistake by step and key.
    """

    source: Path | None = None

    def __init__(
        self,
        name: str,
        steps: Iterable[str | Mapping[str, Any] | Step],
        *,
        seed: int = 0,
        images: str | Path | None = None,
        shards: int = 16,
        limits: ImageLimits | Mapping[str, int] | None = None,
        folder: Path = Path(),
    ) -> None:
        settings = {"seed": (seed, 0), "images": (images, None), "shards": (shards, 16), "limits": (limits, None)}
        entries = steps if isinstance(steps, str) else list(steps)
        document = {
            "name": name,
            **{key: _plain(value) for key, (value, usual) in settings.items() if value != usual},
            "steps": _plain(entries),
        }
        objects = {number: entry for number, entry in enumerate(entries) if isinstance(entry, Step)}
        self._read(document, _StepPlaces(document), folder, objects)

    def _read(self, document: Mapping[str, Any], at: Places, folder: Path, objects: Mapping[int, Step]) -> None:
        """Check a recipe given as plain values; `steps` whose indices are in `objects` are already checked."""
        mistakes = Mistakes(at)
        header: Header | None = None
        with mistakes.gathering():
            header = checked(Header, document, (), at)
        steps: list[tuple[str, Step]] = []
        entries = document.get("steps")
        for number, raw in enumerate(entries if isinstance(entries, list) else ()):
            with mistakes.gathering():
                made = objects.get(number)
                entry, step = (made.name, made) if made else _step(raw, ("steps", number), at, folder)
                if entry in {known for known, _ in steps}:
                    raise RecipeError(
                        f"{at.of(('steps', number))}: entry {entry!r} occurs twice; give this one another name with "
                        "`as:`"
                    )
                steps.append((entry, step))
        with mistakes.gathering():
            _check_optional(header, [entry for entry, _ in steps], at)
        mistakes.check()
        assert header is not None, "an unreadable header is a mistake"
        self.header = header
        self.steps = tuple(steps)
        self.folder = folder
        self._document = document

    def resolved(self) -> dict[str, Any]:
        """Return the recipe with every default stated, without paths, as JSON values."""
        document = self.header.model_dump(mode="json", exclude={"images", "steps", "fitted", "optional"})
        document["steps"] = [
            {"as": entry, "step": step.name, "version": step.version, **step.parameters()} for entry, step in self.steps
        ]
        return document

    def with_steps(self, steps: Mapping[str, Step]) -> Recipe:
        """Return the recipe reduced to the given steps, as they run over a folder, and with `fitted` already applied.

        Args:
            steps: Steps by their entry; all other entries of the recipe are omitted.
        """
        recipe = copy(self)
        entries = [entry for entry, _ in self.steps]
        document = {key: value for key, value in self._document.items() if key not in ("fitted", "optional")}
        stated = [raw for entry, raw in zip(entries, document["steps"], strict=True) if entry in steps]
        recipe.header = self.header.model_copy(update={"fitted": False, "optional": (), "steps": stated})
        recipe.steps = tuple((entry, steps[entry]) for entry in entries if entry in steps)
        recipe._document = document | {"steps": stated}
        return recipe

    def to_yaml(self) -> str:
        """Return the text of an equivalent recipe file, without comments; the file must be saved in `folder`.

        Raises:
            RecipeError: A step is an object whose name no room registers, so that a recipe file cannot name it.
        """
        for number, (_, step) in enumerate(self.steps, start=1):
            known = catalogue("steps").get(step.name)
            if known is None or type(step) is not known.load():
                raise RecipeError(
                    f"recipe {self.header.name!r}: step {number}: {type(step).__name__} is not what recipe files call "
                    f"{step.name!r}; register it in a room"
                )
        text: str = yaml.dump(self._document, Dumper=_TreeDumper, sort_keys=False, allow_unicode=True, width=100)
        return text


def _check_optional(header: Header | None, entries: list[str], at: Places) -> None:
    """Check that the optional entries are entries of the recipe's steps.

    Raises:
        RecipeError: An optional entry is unknown.
    """
    for number, entry in enumerate(header.optional if header is not None else ()):
        if entry not in entries:
            raise RecipeError(
                f"{at.of(('optional', number))}: optional step {entry!r} does not exist; entries are "
                f"{', '.join(entries)}"
            )


def step(name: str, /, *, as_: str | None = None, **settings: Any) -> dict[str, Any]:
    """Return an entry of `Recipe.steps`: a step by its name, with settings.

    Args:
        name: Name of the step in recipe files and in `benchwright steps`.
        as_: Another name for the entry, to use a step twice.
        **settings: Settings as in recipe files; the step's defaults apply to the others.
    """
    return {"step": name, **({} if as_ is None else {"as": as_}), **settings}


class _TreeDumper(yaml.SafeDumper):
    """A dumper that repeats equal values instead of writing aliases, which recipe files do not allow."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


class _StepPlaces(Places):
    """Locations of the keys of a recipe made in Python: number and name of the step."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._title = f"recipe {shown(document['name'])}"
        super().__init__(self._title, dict.fromkeys(_paths_in(document), 0), RecipeError)
        self._entries = document["steps"]

    def of(self, path: Path_) -> str:
        """Return `recipe 'NAME': step N (STEP)`; return only the recipe for a key outside its steps."""
        if len(path) < 2 or path[0] != "steps":
            return self._title
        entry = self._entries[int(path[1])]
        name = entry.get("step") if isinstance(entry, dict) else entry
        return f"{self._title}: step {int(path[1]) + 1}" + (f" ({name})" if isinstance(name, str) else "")


def _paths_in(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _paths_in(child, (*path, key))


def _plain(value: Any) -> Any:
    """Return a Python value as the corresponding YAML type; return any other value unchanged."""
    if isinstance(value, Step):
        stated = value.model_dump(mode="json", exclude_unset=True)
        fields = zip(setting_names(type(value)), type(value).model_fields, strict=True)
        return {"step": value.name, **{key: stated[field] for key, field in fields if field in stated}}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return {key: _plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child) for child in value]
    return str(value) if isinstance(value, Path) else value


def load_recipe(path: Path) -> Recipe:
    """Read a recipe file.

    Raises:
        RecipeError: The recipe is invalid.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RecipeError(f"recipe {path} is larger than {MAX_BYTES:,} bytes; a recipe is a short YAML file")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        names = ", ".join(bundled_recipes())
        raise RecipeError(
            f"recipe {path} cannot be read: {error.strerror or error} (bundled recipes: {names})"
        ) from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"recipe {path} is not UTF-8 text (byte {error.start})") from error
    recipe = parse_recipe(text, str(path), path.parent)
    recipe.source = path
    return recipe


def parse_recipe(text: str, name: str, folder: Path) -> Recipe:
    """Read a recipe from text; `name` identifies the file in messages."""
    document, lines = compose(text, name, error=RecipeError)
    if not isinstance(document, dict):
        raise RecipeError(
            f"{name}: line 1: a recipe must be a mapping with the keys name and steps, not {shown(document)}"
        )
    recipe = Recipe.__new__(Recipe)
    recipe._read(document, Places(name, lines, RecipeError), folder, {})
    return recipe


def read_resolved(document: Mapping[str, Any], name: str, folder: Path) -> Recipe:
    """Return the recipe from the resolved form (`Recipe.resolved`) that a workspace or a release contains.

    Args:
        document: The resolved form.
        name: Name of the file that contains it, for messages.
        folder: Base folder of its relative paths.

    Raises:
        RecipeError: One of its steps is no longer installed, or its settings have changed.
    """
    steps = [_as_stated(step) for step in document["steps"]]
    return parse_recipe(json.dumps({**document, "steps": steps}), name, folder)


def _as_stated(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of a resolved recipe as its user stated it: without the step's version and without defaults."""
    known = catalogue("steps").get(step["step"])
    named = {key: step[key] for key in ("step", "as")}
    settings = {key: value for key, value in step.items() if key not in {*named, "version"}}
    return {**named, **(settings if known is None else stated_settings(known.load(), settings))}


def _step(raw: Any, path: Path_, at: Places, folder: Path) -> tuple[str, Step]:
    if isinstance(raw, str):
        raw = {"step": raw}
    if not isinstance(raw, dict) or not isinstance(raw.get("step"), str):
        raise RecipeError(f"{at.of(path)}: a step must be a name or a mapping with the key `step`, not {shown(raw)}")
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
            f"{at.of((*path, 'as'))}: key 'as': {shown(entry)} is not a name (lower-case letters, digits, underscores)"
        )
    settings = {key: value for key, value in raw.items() if key not in {"step", "as"}}
    step: Step = checked(cls, settings, path, at, extra=("step", "as"), context={FOLDER: folder})
    return entry, step
