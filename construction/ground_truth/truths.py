"""Ground truth about pictures, with one data model for each kind, in the field's terms.

A *record* of a dataset is an ordered list of one or more pictures with their ground truth. Truths refer to the pictures
by their index in that list, from 0. Coordinates are x, y in pixels of the upright picture, with pixel centers at +0.5,
as everywhere; a dataset that states fractions of width and height is read as `fractions`, and `in_pixels` converts once
the pictures are known. `original` keeps the dataset's statement if reading changed it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import isfinite
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchwright.texts.normalization import counted, normal

SizeWH = tuple[int, int]
Point = tuple[float, float]
BoxXYXY = tuple[float, float, float, float]
Row3 = tuple[float, float, float]
Matrix3 = tuple[Row3, Row3, Row3]
Unit = Literal["pixels", "fractions"]
Words = Annotated[str, Field(min_length=1, max_length=4000)]
_MOST_OPTIONS = 20
"""Largest number of options of a puzzle."""
IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


MARKED_BY = "marked_by"
"""Key of `original` that names the campaign or file in which people marked a truth that no dataset states; an adjacent
key `simulated` means that simulated annotators marked it.
"""
PICTURES = "pictures"
"""Key of `original` that holds the numbers of a sequence's pictures, if some of them are unusable."""
OTHER_REFERENCE = "other_reference"
"""Key of a triplet's `original` that names the other picture that could have been drawn as its reference."""


class GroundTruth(BaseModel):
    """Base of all kinds of ground truth: immutable, with unknown fields refused.

    Class attributes:
        kind: Name of the kind, and of the value that holds truths of it.
        pictures: Number of pictures of a record with such a truth; None for any number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kind: ClassVar[str]
    pictures: ClassVar[int | None] = 1

    original: dict[str, Any] = {}
    """The dataset's statement, if reading changed it."""

    def places(self) -> Iterator[tuple[int, Point]]:
        """Yield every point with the index of its picture, including corners of boxes."""
        yield from ()

    def without_pictures(self, places: Collection[int]) -> Self | None:
        """Return the truth for its record with some pictures removed, or None if it is meaningless without them.

        Args:
            places: Indices of these pictures, from 0.
        """
        del places
        return None

    def within(self, sizes_wh: Sequence[SizeWH]) -> tuple[Self | None, list[str]]:
        """Return the truth without the parts outside its pictures (None if nothing is left), and a description of the
        removed parts.
        """
        outside = self.outside(sizes_wh)
        return (self, []) if outside is None else (None, [outside])

    def in_pixels(self, sizes_wh: Sequence[SizeWH]) -> Self:
        """Return the truth with coordinates in pixels for pictures of these upright sizes, or unchanged if they already
        are in pixels.
        """
        del sizes_wh
        return self

    def outside(self, sizes_wh: Sequence[SizeWH], *, slack_px: float = 1.0) -> str | None:
        """Return a description of a point outside its picture, or None if all points are inside.

        Args:
            sizes_wh: Upright width and height of each picture, in pixels.
            slack_px: Distance outside the picture up to which a point still counts as on its edge, in pixels.
        """
        for number, (x, y) in self.places():
            width, height = sizes_wh[number]
            if not _is_within((x, y), sizes_wh[number], slack_px=slack_px):
                return f"the point ({x:g}, {y:g}) lies outside of picture {number}, {width} x {height} pixels"
        return None


class Homographies(GroundTruth):
    """Pictures of one plane, with the mapping of points from the first picture to each."""

    kind: ClassVar[str] = "homographies"
    pictures: ClassVar[int | None] = None

    change: Literal["viewpoint", "illumination"]
    matrices: tuple[Matrix3, ...] = Field(min_length=2)
    """For each picture, the homography from picture 0 to it, for column vectors (x, y, 1); the first one is the
    identity.
    """

    @model_validator(mode="after")
    def _invertible(self) -> Homographies:
        for number, matrix in enumerate(self.matrices):
            if not is_invertible(matrix):
                raise ValueError(f"the homography to picture {number} cannot be inverted: {matrix}")
        return self

    def without_pictures(self, places: Collection[int]) -> Self | None:
        """Return the homographies of the remaining pictures, relative to the first of them, or None if fewer than two
        are left.

        `original` keeps their positions in the record, counted from 1.
        """
        kept = [number for number in range(len(self.matrices)) if number not in places]
        if len(kept) < 2:
            return None
        back = IDENTITY if kept[0] == 0 else _inverse(self.matrices[kept[0]])
        matrices = (IDENTITY, *(multiplied(self.matrices[number], back) for number in kept[1:]))
        known = self.original.get(PICTURES, list(range(1, len(self.matrices) + 1)))
        original = {**self.original, PICTURES: [known[number] for number in kept]}
        return self.model_copy(update={"matrices": matrices, "original": original})


class PointComparison(GroundTruth):
    """Base of comparisons of two points of one picture."""

    first: Point
    second: Point
    unit: Unit = "pixels"

    def places(self) -> Iterator[tuple[int, Point]]:
        """Yield both points."""
        yield from ((0, self.first), (0, self.second))

    def in_pixels(self, sizes_wh: Sequence[SizeWH]) -> Self:
        """Return the comparison in pixels."""
        if self.unit == "pixels":
            return self
        first, second = (scaled(point, sizes_wh[0]) for point in (self.first, self.second))
        original = {"first": list(self.first), "second": list(self.second), **self.original}
        return self.model_copy(update={"first": first, "second": second, "unit": "pixels", "original": original})


class ReflectanceComparison(PointComparison):
    """A statement about which of two points has the darker surface, regardless of the light on the surface."""

    kind: ClassVar[str] = "reflectance"

    darker: Literal["first", "second", "equal"]
    weight: float = Field(gt=0)
    """Certainty on the dataset's own scale; larger values mean more certainty."""


class DepthComparison(PointComparison):
    """A statement about which of two points is closer to the camera."""

    kind: ClassVar[str] = "depth"

    closer: Literal["first", "second"]


class SpatialClaim(GroundTruth):
    """A sentence about the spatial relation of two objects, and whether it is true."""

    kind: ClassVar[str] = "claims"

    claim: Words
    relation: Words
    is_true: bool
    subject: str | None = None
    object: str | None = None
    """Subject and object in the dataset's words; most of its files do not state them."""
    reference_frame: int | None = None
    """The dataset's code for the frame of reference of left and right; None if it states none."""
    votes_true: int = Field(0, ge=0)
    votes_false: int = Field(0, ge=0)
    """Votes of the validators, excluding the annotator's own vote."""


class CameraPose(BaseModel):
    """A camera's pose relative to an object: the object's point p is at rotation p + translation in the camera's
    coordinates.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    frame: int = Field(ge=0)
    rotation: Matrix3
    translation: Row3
    """Translation in the dataset's unit of length."""

    @property
    def centre(self) -> Row3:
        """Return the camera's position in coordinates of the object: minus the transposed rotation by translation."""
        x, y, z = (-sum(self.rotation[row][column] * self.translation[row] for row in range(3)) for column in range(3))
        return x, y, z


class CameraPoses(GroundTruth):
    """Frames of a video of one object, with the camera's pose at each."""

    kind: ClassVar[str] = "poses"
    pictures: ClassVar[int | None] = None

    category: Words
    up: Row3
    """Direction of the object's upright axis, in its own coordinates."""
    poses: tuple[CameraPose, ...] = Field(min_length=1)
    """Poses, one per picture, in temporal order."""

    def without_pictures(self, places: Collection[int]) -> Self | None:
        """Return the poses of the remaining frames, or None if fewer than two are left."""
        poses = tuple(pose for number, pose in enumerate(self.poses) if number not in places)
        return self.model_copy(update={"poses": poses}) if len(poses) > 1 else None


class ArtStyle(GroundTruth):
    """The style of a painting."""

    kind: ClassVar[str] = "styles"

    style: Words
    artist: str | None = None


class LabelledBox(BaseModel):
    """A box around one object; x0, y0, x1, y1."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    label: Words
    box: BoxXYXY

    @model_validator(mode="after")
    def _has_an_area(self) -> LabelledBox:
        x0, y0, x1, y1 = self.box
        if not (x1 > x0 and y1 > y0):
            raise ValueError(f"a box needs x0 < x1 and y0 < y1, not {list(self.box)}")
        return self


class LabelledBoxes(GroundTruth):
    """Boxes around objects of a picture."""

    kind: ClassVar[str] = "boxes"

    boxes: tuple[LabelledBox, ...]
    is_federated: bool = False
    """Whether objects whose label has no box may nevertheless be present, unless `absent` lists the label (LVIS)."""
    absent: tuple[str, ...] = ()
    """Labels of objects known to be absent from the picture."""
    incomplete: tuple[str, ...] = ()
    """Labels of which some instances have no box."""

    def places(self) -> Iterator[tuple[int, Point]]:
        """Yield two corners of each box."""
        for labelled in self.boxes:
            yield from ((0, labelled.box[:2]), (0, labelled.box[2:]))

    def within(self, sizes_wh: Sequence[SizeWH]) -> tuple[Self | None, list[str]]:
        """Return the boxes without those outside the picture, whose labels become incomplete, and a description of the
        removed boxes.
        """
        [size_wh] = sizes_wh
        is_inside = [all(_is_within(corner, size_wh) for corner in (box.box[:2], box.box[2:])) for box in self.boxes]
        if all(is_inside):
            return self, []
        kept = tuple(box for box, inside in zip(self.boxes, is_inside, strict=True) if inside)
        wrong = [box for box, inside in zip(self.boxes, is_inside, strict=True) if not inside]
        incomplete = tuple(sorted({*self.incomplete, *(box.label for box in wrong)}))
        width, height = size_wh
        details = [
            f"the box {list(box.box)} of {box.label!r} lies outside of picture 0, {width} x {height} pixels"
            for box in wrong
        ]
        return self.model_copy(update={"boxes": kept, "incomplete": incomplete}), details


class Captions(GroundTruth):
    """Captions written by people."""

    kind: ClassVar[str] = "captions"

    texts: tuple[Words, ...] = Field(min_length=1)


class CountQuestion(GroundTruth):
    """A question whose answer is a number of objects."""

    kind: ClassVar[str] = "counts"

    question: Words
    count: int = Field(ge=0)
    is_simple: bool | None = None
    """Whether detecting one kind of object is enough to answer the question; None if the dataset does not state
    this.
    """
    collected: str | None = None
    """The dataset's source of the question."""


class VisualQuestion(GroundTruth):
    """A question about a picture, with the answers that people gave."""

    kind: ClassVar[str] = "visual_questions"

    question: Words
    answer: Words
    """The accepted answer: the most frequent one, if several people answered."""
    answers: tuple[Words, ...] = ()
    """All answers, one per person; empty if only one person answered, whose answer is `answer`."""
    question_type: str | None = None
    """First words of the question, by which the dataset groups questions; None if it does not group them."""

    @property
    def agreement(self) -> float:
        """Return the proportion of people who gave the accepted answer, 0 to 1."""
        if not self.answers:
            return 1.0
        same = sum(normal(answer) == normal(self.answer) for answer in self.answers)
        return same / len(self.answers)


class NamedEntity(GroundTruth):
    """The name of what a picture shows, which requires knowledge: a landmark, a dish, a species, a brand."""

    kind: ClassVar[str] = "entities"

    entity: Words
    entity_kind: Words
    """Kind of the entity, such as `lake`; distractors are of the same kind."""
    domain: Words
    """Field of knowledge, such as `landmarks`."""
    also_named: tuple[Words, ...] = ()
    """Other names of the entity."""
    others: tuple[Words, ...] = ()
    """Other entities of the same kind that the picture does not show; they need no pictures."""
    ask: str | None = None
    """The question, if the usual question for its kind does not fit."""


class SimilarityTriplet(GroundTruth):
    """A statement about which of two pictures looks more like a third: picture 0 is the reference, 1 the left one, 2
    the right one.
    """

    kind: ClassVar[str] = "similarity"
    pictures: ClassVar[int | None] = 3

    closer: Literal["left", "right"]
    votes: int = Field(ge=1)
    """Number of people who chose this picture, as the dataset counts them."""


class KeypointPair(GroundTruth):
    """Corresponding points of two pictures."""

    kind: ClassVar[str] = "keypoints"
    pictures: ClassVar[int | None] = 2

    category: Words
    first: tuple[Point, ...] = Field(min_length=1)
    second: tuple[Point, ...]
    names: tuple[str, ...]
    """The dataset's names for the pairs of points; a name denotes the same part in all objects of a category."""
    boxes: tuple[BoxXYXY, BoxXYXY] | None = None
    attributes: dict[str, str | int] = {}

    @model_validator(mode="after")
    def _points_are_pairs(self) -> KeypointPair:
        if not len(self.first) == len(self.second) == len(self.names):
            raise ValueError(
                f"{counted(len(self.first), 'point')}, {counted(len(self.second), 'point')} and {len(self.names)} "
                "names; their numbers must be equal"
            )
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"names must be distinct, not {list(self.names)}")
        return self

    def places(self) -> Iterator[tuple[int, Point]]:
        """Yield all points, and the corners of the boxes."""
        for number, points in enumerate((self.first, self.second)):
            yield from ((number, point) for point in points)
        for number, box in enumerate(self.boxes or ()):
            yield from ((number, box[:2]), (number, box[2:]))

    def within(self, sizes_wh: Sequence[SizeWH]) -> tuple[Self | None, list[str]]:
        """Return the truth without pairs that have a point outside a picture (None if no pair is left), and a
        description of the removed pairs.

        Boxes are only context; if one is outside, both are removed.
        """
        wrong: dict[int, str] = {}
        for side, points in enumerate((self.first, self.second)):
            for place, (x, y) in enumerate(points):
                width, height = sizes_wh[side]
                if not _is_within((x, y), (width, height)):
                    where = f"lies outside of picture {side}, {width} x {height} pixels"
                    detail = f"of key point {self.names[place]!r} ({x:g}, {y:g}) {where}"
                    wrong.setdefault(place, detail)
        corners = [(side, corner) for side, box in enumerate(self.boxes or ()) for corner in (box[:2], box[2:])]
        has_boxes = all(_is_within(corner, sizes_wh[side]) for side, corner in corners)
        if not wrong and has_boxes:
            return self, []
        kept = [place for place in range(len(self.first)) if place not in wrong]
        if not kept:
            return None, list(wrong.values())
        changed: dict[str, Any] = {
            name: tuple(getattr(self, name)[place] for place in kept) for name in ("first", "second", "names")
        }
        return self.model_copy(update={**changed, "boxes": self.boxes if has_boxes else None}), list(wrong.values())


class FunctionalPoints(GroundTruth):
    """Points at which an object is held, moved and used for an action; points with the same index correspond across
    objects.
    """

    kind: ClassVar[str] = "functions"

    action: Words
    category: Words
    difficulty: Literal["easy", "medium", "hard"] | None = None
    points: tuple[Point, ...] = Field(min_length=2)
    unit: Unit = "pixels"

    def places(self) -> Iterator[tuple[int, Point]]:
        """Yield all points."""
        yield from ((0, point) for point in self.points)

    def in_pixels(self, sizes_wh: Sequence[SizeWH]) -> Self:
        """Return the points in pixels."""
        if self.unit == "pixels":
            return self
        points = tuple(scaled(point, sizes_wh[0]) for point in self.points)
        original = {"points": [list(point) for point in self.points], **self.original}
        return self.model_copy(update={"points": points, "unit": "pixels", "original": original})


class DatedPlace(GroundTruth):
    """Time and place of a news photograph, as far as they are known."""

    kind: ClassVar[str] = "places"

    date: str | None = Field(None, pattern=r"^\d{4}(-\d{1,2}){0,2}$")
    place: str | None = None
    text: str | None = None
    """Summary of the article, in one paragraph."""


class Puzzle(GroundTruth):
    """A puzzle of an intelligence test, with the explanation of its answer.

    Its options are drawn in its pictures, each next to a label, or are further pictures of the record, or texts.
    """

    kind: ClassVar[str] = "puzzles"
    pictures: ClassVar[int | None] = None

    question: Words
    labels: tuple[Annotated[str, Field(min_length=1, max_length=40)], ...] = Field((), max_length=_MOST_OPTIONS)
    """Labels of the options as drawn in the picture, in order, such as A, B, C and D; empty if the options are
    pictures.
    """
    option_pictures: tuple[Annotated[int, Field(ge=0)], ...] = Field((), max_length=_MOST_OPTIONS)
    """Indices of the record's pictures that are the options; all other pictures of the record form the puzzle."""
    option_texts: tuple[Words, ...] = Field((), max_length=_MOST_OPTIONS)
    """Text options, in no particular order."""
    answer: str | int
    """The right option: its label, the index of its picture, or its text."""
    explanation: Words
    is_generated: bool = False
    """Whether a program generated the puzzle; `original` then names the program."""

    @model_validator(mode="after")
    def _has_options_and_an_answer_among_them(self) -> Puzzle:
        if sum(map(bool, (self.labels, self.option_pictures, self.option_texts))) != 1:
            raise ValueError(
                "a puzzle has either `labels` of options drawn in it, or `option_pictures`, or `option_texts`"
            )
        options: tuple[str | int, ...] = self.labels or self.option_pictures or self.option_texts
        if len(options) < 2 or len(set(options)) < len(options):
            raise ValueError(f"a puzzle needs two or more distinct options, not {list(options)}")
        if self.answer not in options:
            raise ValueError(f"the answer {self.answer!r} is not one of the options {list(options)}")
        return self

    def outside(self, sizes_wh: Sequence[SizeWH], *, slack_px: float = 1.0) -> str | None:
        """Return a description of an option picture that the record lacks, or None if no option picture is missing."""
        del slack_px
        for number in self.option_pictures:
            if number >= len(sizes_wh):
                return (
                    f"option picture {number} is none of the record's {counted(len(sizes_wh), 'picture')}, counted "
                    "from 0"
                )
        return None


TRUTHS: tuple[type[GroundTruth], ...] = (
    Homographies,
    ReflectanceComparison,
    DepthComparison,
    SpatialClaim,
    CameraPoses,
    DatedPlace,
    ArtStyle,
    LabelledBoxes,
    Captions,
    CountQuestion,
    VisualQuestion,
    NamedEntity,
    SimilarityTriplet,
    KeypointPair,
    FunctionalPoints,
    Puzzle,
)
TRUTH_OF_KIND = {truth.kind: truth for truth in TRUTHS}


def _is_within(point: Point, size_wh: SizeWH, *, slack_px: float = 1.0) -> bool:
    """Return whether a point is inside a picture, or outside it by at most `slack_px` pixels."""
    return all(-slack_px <= place <= side + slack_px for place, side in zip(point, size_wh, strict=True))


def scaled(point: Point, size_wh: SizeWH) -> Point:
    """Return, in pixels, a point given as fractions of width and height."""
    return point[0] * size_wh[0], point[1] * size_wh[1]


def _determinant(matrix: Matrix3) -> float:
    """Return the determinant of a matrix, relative to the cube of its largest entry."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    largest = max(abs(value) for row in matrix for value in row)
    if not isfinite(largest) or largest == 0:
        return 0.0
    return (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / largest**3


def is_invertible(matrix: Matrix3) -> bool:
    """Return whether a matrix can be inverted within numerical precision."""
    return abs(_determinant(matrix)) >= 1e-12


def multiplied(first: Matrix3, second: Matrix3) -> Matrix3:
    """Return the product of two matrices."""
    rows = [tuple(sum(first[row][k] * second[k][column] for k in range(3)) for column in range(3)) for row in range(3)]
    return (_row(rows[0]), _row(rows[1]), _row(rows[2]))


def _inverse(matrix: Matrix3) -> Matrix3:
    """Return the inverse of an invertible matrix up to a scale factor, as is enough for a homography."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    rows = [
        (e * i - f * h, c * h - b * i, b * f - c * e),
        (f * g - d * i, a * i - c * g, c * d - a * f),
        (d * h - e * g, b * g - a * h, a * e - b * d),
    ]
    return (_row(rows[0]), _row(rows[1]), _row(rows[2]))


def at_pixel_centres(matrix: Matrix3) -> Matrix3:
    """Return a homography for coordinates with pixel centers at +0.5, given one for pixel centers at integers."""
    to_half: Matrix3 = ((1.0, 0.0, 0.5), (0.0, 1.0, 0.5), (0.0, 0.0, 1.0))
    from_half: Matrix3 = ((1.0, 0.0, -0.5), (0.0, 1.0, -0.5), (0.0, 0.0, 1.0))
    return multiplied(multiplied(to_half, matrix), from_half)


def _row(values: Sequence[float]) -> Row3:
    x, y, z = values
    return x, y, z
