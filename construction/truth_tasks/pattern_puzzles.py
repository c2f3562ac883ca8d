"""Generated puzzles of overlaid patterns, like the one described in the text next to BLINK's figure 5.

A puzzle has two rows of three patterns of dots and short lines; the last pattern is missing. By the paper's rule, the
third pattern of a row shows all elements of the first and the second one. In `hardened` mode, it shows the elements
that occur in exactly one of them.

The options alone do not reveal the right one. Each of two elements of the right pattern has an alternative position.
The four options are the four combinations of these positions. All options therefore have the same amount of ink, and
each differs from two others by one moved element and from the last one by two. A random draw decides which of the four
is right before it is split into two patterns.

With overlaid patterns, each of the two patterns alone leaves two options, because an option must show all of its
elements. In `hardened` mode, either pattern alone reveals nothing. Four random bits decide whether the first pattern
has an element at the four positions where options differ, whichever option is right; the content of the second pattern
at these positions determines the option, and is by itself equally random (a one-time pad).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from pydantic import Field, PrivateAttr

from benchwright.errors import PrerequisiteError
from benchwright.records import Source
from benchwright.seeds import generator_for
from benchwright.steps import BringContext, GatherContext, Gathered, GatherStep, Stream
from benchwright.workspace.photographs import BroughtPhotograph
from benchwright.workspace.workspace import Workspace

from ..ground_truth.truths import Puzzle
from ..ground_truth.values import RECORDS, RecordPlace, RecordTruth, write_records, write_truths
from ..item_parts.options.modes import Mode
from ..item_parts.wording.wordings import Wordings

if TYPE_CHECKING:
    import pyarrow as pa

_CELL_PX = 160
"""Side of a pattern, in pixels."""
_GAP_PX, _MARGIN_PX, _PITCH_PX, _DOT_PX, _LINE_PX = 12, 20, 40, 7, 5
_LATTICE, _FRAME = 4, 190
QUESTIONS = Wordings(
    "Each row follows one rule, and the last picture of the second row is missing. Which of the four pictures after "
    "the first one is it?",
    "Both rows follow the same rule. Which of the four pictures after the first one belongs in the empty place?",
    "Find the rule that both rows follow. Which of the pictures after the first one completes the second row?",
)
_EXPLANATION = (
    "In each row the third picture shows everything that the first or the second shows, each in its place: the two are "
    "laid over each other. The right picture is the overlay of the first two pictures of the second row. In each of "
    "the others, one or two elements lie in another place."
)
_EXPLANATION_OF_DIFFERENCE = (
    "In each row the third picture shows what exactly one of the first two shows, in its place; what both show is "
    "gone. The right picture shows this of the first two pictures of the second row. In each of the others, one or two "
    "elements lie in another place."
)
_RULES: dict[Mode, str] = {"hardened": "difference", "paper": "overlay"}
Element = tuple[str, int, int]
Pattern = frozenset[Element]
Pixels = NDArray[np.uint8]

_DOTS: tuple[Element, ...] = tuple(("dot", x, y) for x in range(_LATTICE) for y in range(_LATTICE))
LINES: tuple[Element, ...] = (
    *(("across", x, y) for x in range(_LATTICE - 1) for y in range(_LATTICE)),
    *(("down", x, y) for x in range(_LATTICE) for y in range(_LATTICE - 1)),
)
"""Positions of elements, which do not touch each other, so that moving an element does not change the amount of ink."""


class PatternPuzzle(NamedTuple):
    """One puzzle: rows of patterns, options, and which option is right.

    Args:
        first_row: The three patterns of the first row.
        second_row: The two visible patterns of the second row.
        options: Four patterns.
        right: Index of the right one, from 0.
    """

    first_row: tuple[Pattern, Pattern, Pattern]
    second_row: tuple[Pattern, Pattern]
    options: tuple[Pattern, Pattern, Pattern, Pattern]
    right: int


def pattern_puzzle(rng: np.random.Generator, mode: Mode) -> PatternPuzzle:
    """Return a random puzzle."""
    vocabulary = (_DOTS, LINES, _DOTS + LINES)[rng.integers(3)]
    pairs, places = _moving(vocabulary, rng)
    kept = places[: int(rng.integers(5, 8))]
    options = [frozenset([*kept, first, second]) for first, second in product(*pairs)]
    right = int(rng.integers(4))
    if mode == "hardened":
        second_row = _parted(options[right], pairs, places, len(kept), rng)
        first_pairs, first_places = _moving(vocabulary, rng)
        shown = frozenset([*first_places[: len(kept)], first_pairs[0][0], first_pairs[1][0]])
        first, second = _parted(shown, first_pairs, first_places, len(kept), rng)
        third = first ^ second
    else:
        second_row = _split(kept, (pairs[0][right // 2], pairs[1][right % 2]), rng)
        first_order = [vocabulary[number] for number in rng.permutation(len(vocabulary))][: len(kept) + 2]
        first, second = _split(first_order[2:], (first_order[0], first_order[1]), rng)
        third = first | second
    order = rng.permutation(4)
    a, b, c, d = (options[number] for number in order)
    return PatternPuzzle((first, second, third), second_row, (a, b, c, d), int(np.flatnonzero(order == right)[0]))


def _moving(
    vocabulary: Sequence[Element], rng: np.random.Generator
) -> tuple[list[tuple[Element, Element]], list[Element]]:
    """Return two pairs of positions of one kind, within each of which an element moves, and the other positions."""
    places = [vocabulary[number] for number in rng.permutation(len(vocabulary))]
    pairs: list[tuple[Element, Element]] = []
    while len(pairs) < 2:
        element = places.pop()
        other = next(place for place in places if (place[0] == "dot") == (element[0] == "dot"))
        places.remove(other)
        pairs.append((element, other))
    return pairs, places


def _split(kept: Sequence[Element], own: tuple[Element, Element], rng: np.random.Generator) -> tuple[Pattern, Pattern]:
    """Return two patterns whose overlay has all elements; each has elements that the other one lacks, and they share at
    least one.

    The common elements distinguish the overlay from an addition that cancels repeated elements.
    """
    common = int(rng.integers(1, 3))
    rest = kept[common:]
    half = len(rest) // 2
    swap = int(rng.integers(2))
    first = frozenset([*kept[:common], own[0], *rest[:half]])
    second = frozenset([*kept[:common], own[1], *rest[half:]])
    return (second, first) if swap else (first, second)


def _parted(
    shown: Pattern,
    pairs: Sequence[tuple[Element, Element]],
    places: Sequence[Element],
    kept: int,
    rng: np.random.Generator,
) -> tuple[Pattern, Pattern]:
    """Return two patterns such that each element of a third pattern is in exactly one of them, and any other element is
    in both or neither.

    Args:
        shown: The third pattern: the fixed elements, and one of each pair.
        pairs: The positions at which options differ; at these, each pattern by itself is random.
        places: The other positions; fixed elements come first, and both patterns show two or three of the rest.
        kept: Number of fixed elements.
        rng: Random generator.
    """
    in_first = [place for pair in pairs for place in pair if rng.integers(2)]
    both = places[kept : kept + int(rng.integers(2, 4))]
    order = [places[number] for number in rng.permutation(kept)]
    half = (kept + int(rng.integers(2))) // 2
    first = frozenset([*in_first, *order[:half], *both])
    return first, first ^ shown


def drawn(pattern: Pattern) -> Pixels:
    """Return a pattern drawn in black on white, (160, 160, 3), without intermediate tones."""
    image = Image.new("L", (_CELL_PX, _CELL_PX), 255)
    draw = ImageDraw.Draw(image)
    for kind, column, row in sorted(pattern):
        x, y = _MARGIN_PX + column * _PITCH_PX, _MARGIN_PX + row * _PITCH_PX
        if kind == "dot":
            draw.ellipse((x - _DOT_PX, y - _DOT_PX, x + _DOT_PX, y + _DOT_PX), fill=0)
        else:
            near, far, half = _DOT_PX + 4, _PITCH_PX - _DOT_PX - 4, _LINE_PX // 2
            across = (x + near, y - half, x + far, y + half)
            draw.rectangle(across if kind == "across" else (x - half, y + near, x + half, y + far), fill=0)
    return np.asarray(image.convert("RGB"))


def _drawn_rows(puzzle: PatternPuzzle) -> Pixels:
    """Return the two rows as one picture; the missing pattern is a gray square."""
    step = _CELL_PX + _GAP_PX
    rows = np.full((2 * step + _GAP_PX, 3 * step + _GAP_PX, 3), _FRAME, np.uint8)
    for row, patterns in enumerate((puzzle.first_row, puzzle.second_row)):
        for column in range(3):
            cell = (
                drawn(patterns[column]) if column < len(patterns) else np.full((_CELL_PX, _CELL_PX, 3), 225, np.uint8)
            )
            y, x = _GAP_PX + row * step, _GAP_PX + column * step
            rows[y : y + _CELL_PX, x : x + _CELL_PX] = cell
    return rows


def _framed(option: Pixels) -> Pixels:
    """Return an option with a gray frame as in the rows, which shows the positions of its elements."""
    return np.pad(option, ((_GAP_PX, _GAP_PX), (_GAP_PX, _GAP_PX), (0, 0)), constant_values=_FRAME)


def _right_by_pixels(rows: Pixels, options: Sequence[Pixels], mode: Mode) -> list[int]:
    """Return the options that the rule makes from the first two patterns of the second row.

    Args:
        rows: The two rows as `_drawn_rows` returns them.
        options: The options as `drawn` returns them.
        mode: The mode, which determines the rule.

    Returns:
        Indices of these options, from 0; empty if the first row itself does not follow the rule.
    """
    step = _CELL_PX + _GAP_PX
    cells = [
        rows[_GAP_PX + row * step :, _GAP_PX + column * step :][:_CELL_PX, :_CELL_PX]
        for row in range(2)
        for column in range(3)
    ]
    if not np.array_equal(_joined(cells[0], cells[1], mode), cells[2]):
        return []
    third = _joined(cells[3], cells[4], mode)
    return [place for place, option in enumerate(options) if np.array_equal(option, third)]


def _joined(first: Pixels, second: Pixels, mode: Mode) -> Pixels:
    """Return the result of the rule for two patterns in black on white."""
    if mode == "paper":
        return np.minimum(first, second)
    return np.where(first == second, 255, 0).astype(np.uint8)


class PatternPuzzles(GatherStep):
    """Add generated puzzles to the run, for the step `iq_test`; drops nothing.

    Each puzzle has two rows of three patterns, in which the third follows from the first two, and four options for the
    last pattern. The step checks, on the pixels of each puzzle, that exactly one option is right. All options of a
    puzzle have the same amount of ink, and nothing distinguishes them without the rows. The puzzles are marked as
    generated, and do not replace puzzles that people collect, because all follow the same rule.

    Args:
        puzzles: Number of puzzles.
        mode: `hardened`: the third pattern shows the elements of exactly one of the first two, and either of these
            alone reveals nothing about the options. `paper`: it shows the elements of the first or the second, as in
            BLINK's figure 5; either of them alone leaves two options.
        licence: License stated for the pictures; null states none.
    """  # phrase: allowed

    name: ClassVar[str] = "pattern_puzzles"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {RECORDS: "string", Puzzle.kind: "string"}
    columns: ClassVar[tuple[str, ...]] = ("image_id",)
    imports: ClassVar[tuple[str, ...]] = ()
    brings_pictures: ClassVar[bool] = True

    puzzles: int = Field(150, ge=1, le=20_000)
    mode: Mode = "hardened"
    licence: str | None = Field(None, min_length=1)
    _records: dict[str, tuple[str, ...]] | None = PrivateAttr(None)
    """The pictures of each record."""

    def bring(self, ctx: BringContext) -> Sequence[BroughtPhotograph]:
        """Draw the puzzles and return their pictures."""
        workspace = Workspace(ctx.workspace)
        brought: list[BroughtPhotograph] = []
        self._records = {}
        for number, pictures in enumerate(self.drawn(ctx.seed)):
            framed_options = (_framed(option) for option in pictures[1:])
            digests = [workspace.objects.put(_png(picture)) for picture in (pictures[0], *framed_options)]
            record = f"{ctx.stage}:{number:05d}"
            self._records[record] = tuple(digests)
            for place, digest in enumerate(digests):
                name = "rows" if place == 0 else f"option-{digest[:12]}"  # no number: the right one comes first
                source = Source(
                    uri=f"{ctx.stage}:{number:05d}/{name}.png",
                    dataset=self.name,
                    canonical_id=f"{self.name}:{ctx.seed}/{number:05d}/{name}",
                    licence=self.licence,
                    author="generated",
                )
                brought.append(BroughtPhotograph(workspace.objects.path(digest), source))
        return brought

    def drawn(self, seed: int) -> Iterator[tuple[Pixels, ...]]:
        """Yield the pictures of each puzzle: the rows, the right option, the wrong ones.

        A puzzle is drawn again if one of its pictures would repeat one of an earlier puzzle.
        """
        seen: set[bytes] = set()
        for number in range(self.puzzles):
            attempt = 0
            while True:
                puzzle = pattern_puzzle(generator_for(seed, self.name, f"{number:05d}", attempt), self.mode)
                options = [drawn(option) for option in puzzle.options]
                pictures = (
                    _drawn_rows(puzzle),
                    *sorted(options, key=lambda option: option is not options[puzzle.right]),
                )
                keys = {picture.tobytes() for picture in pictures}
                if (
                    len(keys) == 5
                    and seen.isdisjoint(keys)
                    and _right_by_pixels(pictures[0], pictures[1:], self.mode) == [0]
                ):
                    break
                attempt += 1
            seen |= keys
            yield pictures

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the puzzle of each picture with two rows, if all its options are in the run."""
        if self._records is None:
            raise PrerequisiteError(f"step {ctx.stage!r} has not drawn its puzzles in this run")
        rows = {image_id: row for row, image_id in enumerate(columns["image_id"].to_pylist())}
        places: dict[str, str] = {}
        puzzles: dict[str, str] = {}
        for record, image_ids in self._records.items():
            if any(image_id not in rows for image_id in image_ids):
                continue
            places |= {image_id: write_records([RecordPlace(record, n)]) for n, image_id in enumerate(image_ids)}
            puzzles[image_ids[0]] = write_truths([RecordTruth(record, image_ids, self.truth(ctx.seed))])
        named = sorted(places, key=rows.__getitem__)
        return Gathered(
            rows=np.array([rows[image_id] for image_id in named], np.int64),
            values={
                RECORDS: [places[image_id] for image_id in named],
                Puzzle.kind: [puzzles.get(image_id) for image_id in named],
            },
        )

    def truth(self, seed: int) -> Puzzle:
        """Return the truth of every puzzle, whose right option is picture 1."""
        original: dict[str, Any] = {"generator": self.name, "mode": self.mode, "rule": _RULES[self.mode], "seed": seed}
        return Puzzle(
            question=QUESTIONS.of_number(1),
            option_pictures=(1, 2, 3, 4),
            answer=1,
            explanation=_EXPLANATION if self.mode == "paper" else _EXPLANATION_OF_DIFFERENCE,
            is_generated=True,
            original=original,
        )


def _png(pixels: Pixels) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()
