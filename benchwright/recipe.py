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

Every mistake is reported with file, line, key, the value found and the nearest valid key, all of a file at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from benchwright.errors import BenchwrightError, RecipeError
from benchwright.images.formats.walking import Limits
from benchwright.recipes import bundled_recipes
from benchwright.rooms import find
from benchwright.steps import FOLDER, Step
from benchwright.yaml_places import Mistakes, Path_, Places, checked, compose, shown

MAX_BYTES = 1 << 20


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
    document, lines = compose(text, name, error=RecipeError)
    if not isinstance(document, dict):
        raise RecipeError(f"{name}: line 1: a recipe is a mapping with the keys name and steps, not {shown(document)}")
    at = Places(name, lines, RecipeError)
    mistakes = Mistakes(at)
    header: Header | None = None
    with mistakes.gathering():
        header = checked(Header, document, (), at)
    steps: list[tuple[str, Step]] = []
    entries = document.get("steps")
    for number, raw in enumerate(entries if isinstance(entries, list) else ()):
        with mistakes.gathering():
            entry, step = _step(raw, ("steps", number), at, folder)
            if entry in {known for known, _ in steps}:
                raise RecipeError(
                    f"{at.of(('steps', number))}: entry {entry!r} stands twice; give this one another name with `as:`"
                )
            steps.append((entry, step))
    mistakes.check()
    assert header is not None, "a header that cannot be read is a mistake"
    return Recipe(header, tuple(steps), folder)


def _step(raw: Any, path: Path_, at: Places, folder: Path) -> tuple[str, Step]:
    if isinstance(raw, str):
        raw = {"step": raw}
    if not isinstance(raw, dict) or not isinstance(raw.get("step"), str):
        raise RecipeError(f"{at.of(path)}: a step is a name or a mapping with the key `step`, not {shown(raw)}")
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
