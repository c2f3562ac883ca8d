"""Region helpers: programs that propose regions while annotators mark them, found in the rooms by name.

A helper only proposes. The annotator accepts, changes or ignores a proposal. The submitted region keeps the proposal
(`Proposal`), so the annotator's changes follow from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from benchwright.errors import BenchwrightError
from benchwright.records import Record
from benchwright.steps import FOLDER

from .region import MAX_LABEL, Proposal, Region, RegionError, RegionShape, SizeWH, region_error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HelperInput = Literal["box", "strokes", "points", "phrase", "nothing"]
"""Input for a helper; points are single clicks, and strokes are drawn lines."""
HelperLane = Literal["light", "model", "remote"]
"""Queue of a helper: quick helpers never wait for models, and models never wait for a remote server."""
_MAX_STROKES = 200
_MAX_STROKE_POINTS = 20_000
"""Largest number of points in all strokes of one request."""
_MAX_PHRASE = 200

_Point = tuple[float, float]
_Stroke = Annotated[tuple[_Point, ...], Field(min_length=1, max_length=_MAX_STROKE_POINTS)]
_Strokes = Annotated[tuple[_Stroke, ...], Field(max_length=_MAX_STROKES)]


class RegionHints(Record):
    """An annotator's input to a helper, in pixels of the upright picture.

    Attributes:
        shape: Shape of the requested regions.
        box: Box around the whole subject: x0, y0, x1, y1; None if there is none.
        inside: Strokes on the subject; a click is a stroke of one point.
        outside: Strokes outside the subject.
        stroke_px: Width of the strokes in pixels; None lets the helper choose by the picture's size.
        phrase: Description of the subject; empty if there is none.
        label: Label for the regions.
        refine: Whether to return the exact answer, if the helper gives a quick one first.
    """

    shape: RegionShape
    box: tuple[float, float, float, float] | None = None
    inside: _Strokes = ()
    outside: _Strokes = ()
    stroke_px: float | None = Field(None, gt=0, le=10_000)
    phrase: str = Field("", max_length=_MAX_PHRASE)
    label: str = Field("", max_length=MAX_LABEL)
    refine: bool = False

    @property
    def points(self) -> tuple[_Point, ...]:
        """Return the points of all strokes."""
        return tuple(point for stroke in (*self.inside, *self.outside) for point in stroke)

    @property
    def inputs(self) -> frozenset[HelperInput]:
        """Return the kinds of input that the hints contain; `nothing` is always among them."""
        has: dict[HelperInput, bool] = {
            "box": self.box is not None,
            "strokes": bool(self.inside),
            "points": bool(self.inside),
            "phrase": bool(self.phrase.strip()),
            "nothing": True,
        }
        return frozenset(name for name, is_there in has.items() if is_there)


def read_hints(document: Any, size_wh: SizeWH) -> RegionHints:
    """Return hints from JSON values, checked against the picture.

    A box that extends beyond the picture is clipped to it.

    Args:
        document: JSON values from an untrusted sender.
        size_wh: Size of the upright picture in pixels.

    Raises:
        RegionError: The values do not describe hints, or lie outside the picture.
    """
    try:
        hints = RegionHints.model_validate(document)
    except ValidationError as error:
        raise region_error(error) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise RegionError(f"these are not hints: {error}") from None
    points = hints.points
    if len(points) > _MAX_STROKE_POINTS:
        raise RegionError(f"the strokes have {len(points):,} points; a helper takes at most {_MAX_STROKE_POINTS:,}")
    numbers = [number for point in points for number in point] + list(hints.box or ())
    if not all(map(isfinite, numbers)):
        raise RegionError("a coordinate is not a finite number")
    width, height = size_wh
    for x, y in points:
        if not (0 <= x <= width and 0 <= y <= height):
            raise RegionError(f"a stroke leaves the picture of {width} x {height} pixels at ({x:g}, {y:g})")
    if hints.box is None:
        return hints
    x0, y0, x1, y1 = hints.box
    cut = max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1)
    if cut[2] - cut[0] < 1 or cut[3] - cut[1] < 1:
        raise RegionError(f"the box {list(hints.box)} lies outside the picture of {width} x {height} pixels")
    return hints.model_copy(update={"box": cut})


class HelperPicture:
    """A picture for helpers, whose pixels are decoded when a helper first accesses them.

    Args:
        image_id: SHA-256 of the picture's file.
        size_wh: Size of the upright picture in pixels.
        decode: Function that returns the pixels, (height, width, 3) RGB.
    """

    def __init__(self, image_id: str, size_wh: SizeWH, decode: Callable[[], NDArray[np.uint8]]) -> None:
        self.image_id, self.size_wh, self._decode = image_id, size_wh, decode

    @cached_property
    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels, (height, width, 3) RGB."""
        return self._decode()

    def decode(self) -> None:
        """Decode the pixels in advance."""
        _ = self.pixels


Prepared = Mapping[str, "NDArray[Any]"]
"""Arrays that a helper computed once for a picture, by name."""


class Proposed(NamedTuple):
    """A helper's proposal.

    Args:
        regions: Regions, each with its `proposal`; empty if the helper found nothing.
        is_refined: Whether this is the helper's exact answer.
    """

    regions: list[Region]
    is_refined: bool = True


class RegionHelper(Protocol):
    """An open helper, whose models are loaded and whose servers are known. One thread may use it at a time."""

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return everything that determines the proposals, as JSON values."""

    def propose(self, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return regions for hints that `read_hints` has checked."""


class PreparingHelper(ABC):
    """A helper that does the costly part of its work, such as an embedding, only once per picture and caches it."""

    @property
    @abstractmethod
    def made_with(self) -> Mapping[str, Any]:
        """Return everything that determines the proposals, as JSON values."""

    @property
    @abstractmethod
    def prepared_as(self) -> str:
        """Return a digest of everything besides the picture that determines what `prepare` computes."""

    @abstractmethod
    def prepare(self, picture: HelperPicture) -> Prepared:
        """Return the costly part of the work on a picture, which all proposals for it can reuse."""

    @abstractmethod
    def propose_from(self, prepared: Prepared, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return regions for hints, from the result of `prepare` for this picture."""

    def propose(self, picture: HelperPicture, hints: RegionHints) -> Proposed:
        """Return regions for hints without using the cache."""
        return self.propose_from(self.prepare(picture), picture, hints)


class HelperSettings(BaseModel):
    """Settings of a helper, as given in a recipe, with a method to open it; rooms register such classes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    title: ClassVar[str]
    """Display name, such as `Cut out by color`."""
    takes: ClassVar[tuple[HelperInput, ...]]
    """Kinds of input, any one of which is sufficient."""
    gives: ClassVar[tuple[RegionShape, ...]]
    """Shapes of regions that the helper can return."""
    refines: ClassVar[bool] = False
    """Whether a quick answer comes first, and the exact one only with `refine`."""
    lane: ClassVar[HelperLane] = "light"
    packages: ClassVar[tuple[str, ...]] = ()
    """Modules of packages that the helper needs besides those of Benchwright."""
    fetch: ClassVar[str] = ""
    """Command that fetches the helper's weights; empty if it needs none."""

    @abstractmethod
    def missing(self) -> str | None:
        """Return what is missing on this machine and how to get it; None if the helper can be opened."""

    @abstractmethod
    def open(self) -> RegionHelper:
        """Return the helper, loaded.

        Raises:
            PrerequisiteError: A package or the weights are missing.
            DataError: The weights are of another kind.
        """

    def check_takes(self, hints: RegionHints) -> None:
        """Check that the helper can work with the hints.

        Raises:
            RegionError: The helper does not return regions of that shape, or the hints contain no input that it
                accepts.
        """
        if hints.shape not in self.gives:
            raise RegionError(f"{self.title} gives {' or '.join(self.gives)}, not {hints.shape}")
        if not hints.inputs & set(self.takes):
            raise RegionError(f"{self.title} works from {' or '.join(self.takes)}; give one of them")


class WeightedHelper(HelperSettings):
    """Settings of a helper with weights in a file or folder.

    Attributes:
        weights: File or folder, relative to the recipe.
        device: The device's name in torch; by default the first GPU, or the CPU if there is none.
    """

    lane: ClassVar[HelperLane] = "model"

    weights: str = Field(min_length=1)
    device: str | None = Field(None, pattern=r"^[a-z]+(:\d+)?$")

    @field_validator("weights")
    @classmethod
    def _from_the_recipe(cls, value: str, info: ValidationInfo) -> str:
        folder: Path | None = (info.context or {}).get(FOLDER)
        return value if folder is None else str((folder / value).absolute())

    @property
    def path(self) -> Path:
        """Return the path to the weights."""
        return Path(self.weights)


class NamedHelper(NamedTuple):
    """A helper of a campaign: its registered name and its settings."""

    name: str
    settings: HelperSettings

    def to_json(self) -> dict[str, Any]:
        """Return the name and settings in the form that `helpers_of` reads."""
        return {"name": self.name, **self.settings.model_dump(mode="json", exclude_unset=True)}


def helpers_of(entries: Sequence[Any], folder: Path | None = None) -> tuple[NamedHelper, ...]:
    """Return a recipe's helpers, each given by its name or as an object with `name` and settings.

    Args:
        entries: Names and objects.
        folder: Base folder of relative paths; None if paths are absolute.

    Raises:
        BenchwrightError: A helper's name is unknown, a setting is wrong, or a helper occurs twice.
    """
    from benchwright.rooms import find

    helpers: dict[str, NamedHelper] = {}
    for entry in entries:
        document = {"name": entry} if isinstance(entry, str) else entry
        if not isinstance(document, Mapping) or not isinstance(document.get("name"), str):
            raise BenchwrightError(f"a helper is a name such as grabcut, or an object with `name`; not {entry!r}")
        name = document["name"]
        settings = {key: value for key, value in document.items() if key != "name"}
        if name in helpers:
            raise BenchwrightError(f"helper {name!r} is named twice; leave one out")
        kind: type[HelperSettings] = find("region_helpers", name).load()
        try:
            read = kind.model_validate(settings, context=None if folder is None else {FOLDER: folder})
        except ValidationError as error:
            mistake = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join([name, *map(str, mistake["loc"])])
            raise BenchwrightError(f"helper {place}: {mistake['msg'].removeprefix('Value error, ')}") from None
        helpers[name] = NamedHelper(name, read)
    return tuple(helpers.values())


def proposed_region(
    shape: RegionShape,
    points: Sequence[_Point],
    *,
    mask: Any = None,
    label: str = "",
    helper: str,
    version: str = "",
    model: str | None = None,
    weights: str | None = None,
) -> Region:
    """Return a region as proposed by a helper: its field `proposal` contains the same points and mask."""
    listed = tuple((float(x), float(y)) for x, y in points)
    proposal = Proposal(helper=helper, version=version, model=model, weights=weights, points=listed, mask=mask)
    return Region(shape=shape, points=listed, mask=mask, label=label, proposal=proposal)
