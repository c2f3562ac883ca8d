"""The probes of a task, and the measures each probe uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from benchwright.steps import CueFamily, Side, TaskRegion

from .combinations import combinations_of
from .encoding import is_of_content
from .item_evidence import ItemEvidence, PictureEvidence
from .mark_blocks import marks_in_options, marks_in_shown
from .measured_blocks import Block, LearnedItems, classed, of_item, of_options, ranks
from .probes import centred
from .surface import CORNER_PX, HALVES, MAP_CELLS

_MAP_PARTS = (("picture", "thumbnail", (MAP_CELLS, MAP_CELLS, 3)), ("specks", "marks", (MAP_CELLS, MAP_CELLS, 3)),
              ("corners", "corners", (4, CORNER_PX, CORNER_PX, 3)))  # fmt: skip
_COARSE = 2
"""Factor by which maps of a whole item are reduced, because each of their cells is used once per class."""
_ROW_MODULI = (2, 3, 4, 5, 6, 7, 8, 10, 12, 20)
_ROW_PARTS = (2, 3, 4, 5, 8, 10)
_NOTHING = np.zeros((0, 0, 0), np.float32)
_HALVES_AT: Mapping[Side, frozenset[str]] = {
    "top": frozenset({"top first", "top second", "left first", "right first"}),
    "bottom": frozenset({"bottom first", "bottom second", "left second", "right second"}),
    "left": frozenset({"left first", "left second", "top first", "bottom first"}),
    "right": frozenset({"right first", "right second", "top second", "bottom second"}),
}
"""Halves of the border that lie along a side or end at it, and therefore show the content at that side."""


def blocks_of(
    items: LearnedItems, *, without: frozenset[CueFamily], region: TaskRegion, seed: int = 0
) -> Iterator[Block]:
    """Yield the probes of a task, with the probe of combinations last; no probe contains the task itself.

    Args:
        items: The items.
        without: Families of cues that the task asks about.
        region: The part of the pictures that makes up the task.
        seed: Seed of the dictionary of patterns.
    """
    plain: list[Block] = []
    for block in _single_blocks(items, without, region, seed):
        yield block
        if block.plain is not None:
            plain.append(block._replace(measures=_NOTHING))
    if "combination" not in without and (combined := combinations_of(items, plain, without=without)) is not None:
        yield combined


def _single_blocks(
    items: LearnedItems, without: frozenset[CueFamily], region: TaskRegion, seed: int
) -> Iterator[Block]:
    evidence = items.evidence
    if all(each.options for each in evidence):
        yield from _of_option_pictures(items, without, region)
        if "pixels" not in without:
            yield from marks_in_options(items, seed)
    elif all(each.shown for each in evidence):
        yield from _of_shown_pictures(items, without)
    if all(each.shown for each in evidence) and "pixels" not in without:
        yield from marks_in_shown(items, seed, beside_options=all(each.options for each in evidence))
    if any(each.marked for each in evidence) and "marks" not in without:
        rows = [each.marked or (None,) * int(count) for each, count in zip(evidence, items.keyed.options, strict=True)]
        yield from of_options(items, "marks", "marks", rows, with_odd=True)
    if all(each.texts for each in evidence) and "text" not in without:
        yield from of_options(items, "characters", "text", [each.texts for each in evidence], with_odd=True)
    of_whole: tuple[tuple[str, CueFamily, Callable[[ItemEvidence], Mapping[str, float]]], ...] = (
        ("question", "question", lambda each: each.question),
        ("id", "id", lambda each: each.own),
    )
    for name, family, of in of_whole:
        if family not in without:
            yield from of_item(items, name, family, [of(each) for each in evidence])
    if "order" not in without and items.rows is not None:
        yield from of_item(items, "order", "order", _places(items.rows.tolist()))


def _of_option_pictures(items: LearnedItems, without: frozenset[CueFamily], region: TaskRegion) -> Iterator[Block]:
    evidence = items.evidence
    pictures = [each.options for each in evidence]
    if "pixels" not in without:
        content = [[{**one.pixels, **_content(one)} for one in each] for each in pictures]
        yield from of_options(items, "pixels", "pixels", content, with_odd=True)
        spectrum = [[one.frequency for one in each] for each in pictures]
        yield from of_options(items, "frequencies", "pixels", spectrum, with_odd=True)
        yield _map(items, pictures)
        yield _borders(items, pictures)
    if "file" not in without:
        yield from of_options(
            items, "file", "file", [[_files(one) for one in each] for each in pictures], with_odd=True
        )
    if "name" not in without and all(each.names for each in evidence):
        yield from of_options(items, "name", "name", [each.names for each in evidence], with_odd=True)
    if all(each.shown for each in evidence):
        yield from _beside_reference(items, without, region)
        whole = [{**each.shown[0].pixels, **each.shown[0].frequency, **each.shown[0].encoding} for each in evidence]
        if all(each.shown_names for each in evidence):
            whole = [measures | dict(each.shown_names[0]) for measures, each in zip(whole, evidence, strict=True)]
        if not {"pixels", "file"} & without:
            yield from of_item(items, "reference", "file", whole)


def _beside_reference(items: LearnedItems, without: frozenset[CueFamily], region: TaskRegion) -> Iterator[Block]:
    """Yield comparisons of options with the picture that is not an option, except those that form the task itself."""
    evidence = items.evidence
    if "reference_pixels" not in without:
        near = [_nearness([one.pixels for one in each.options], each.shown[0].pixels) for each in evidence]
        yield from of_options(items, "likeness of pixels", "reference_pixels", near)
    if "reference_pixels" not in without or region.join:
        yield _joined_borders(items, region)
    if "reference_file" not in without:
        near = [_nearness([_kept(one) for one in each.options], _kept(each.shown[0])) for each in evidence]
        if all(each.names and each.shown_names for each in evidence):
            named = [_nearness(each.names, each.shown_names[0]) for each in evidence]
            near = [[{**a, **b} for a, b in zip(x, y, strict=True)] for x, y in zip(near, named, strict=True)]
        yield from of_options(items, "likeness of files", "reference_file", near)


def _of_shown_pictures(items: LearnedItems, without: frozenset[CueFamily]) -> Iterator[Block]:
    """Yield probes of what the item's first pictures alone reveal about the right letter or text."""
    evidence = items.evidence
    most = min(len(each.shown) for each in evidence)

    def shown(of: Callable[[ItemEvidence, int], Mapping[str, float]]) -> list[dict[str, float]]:
        return [
            {(name if most == 1 else f"{name} of picture {number + 1}"): value
             for number in range(most) for name, value in of(each, number).items()}
            for each in evidence
        ]  # fmt: skip

    if "pixels" not in without:
        yield from of_item(
            items, "pixels", "pixels", shown(lambda each, n: {**each.shown[n].pixels, **_content(each.shown[n])})
        )
        yield from of_item(items, "frequencies", "pixels", shown(lambda each, n: each.shown[n].frequency))
        yield from _map_of_item(items, most)
    if "file" not in without:
        yield from of_item(items, "file", "file", shown(lambda each, n: _files(each.shown[n])))
    if "name" not in without and all(len(each.shown_names) >= most for each in evidence):
        yield from of_item(items, "name", "name", shown(lambda each, n: each.shown_names[n]))


def _content(picture: PictureEvidence) -> dict[str, float]:
    return {name: value for name, value in picture.encoding.items() if is_of_content(name)}


def _files(picture: PictureEvidence) -> dict[str, float]:
    return {name: value for name, value in picture.encoding.items() if not is_of_content(name)}


def _kept(picture: PictureEvidence) -> dict[str, float]:
    """Return a file's measures without its packing ratio, which is most similar for pictures with the same content."""
    return {name: value for name, value in _files(picture).items() if name != "PNG packing"}


def _nearness(options: Sequence[Mapping[str, float]], reference: Mapping[str, float]) -> list[dict[str, float]]:
    names = sorted({*reference, *(name for option in options for name in option)})
    return [{name: -abs(option.get(name, 0.0) - reference.get(name, 0.0)) for name in names} for option in options]


def _map(items: LearnedItems, pictures: Sequence[Sequence[PictureEvidence]]) -> Block:
    exists = items.keyed.exists
    parts, names = [], []
    for title, field, shape in _MAP_PARTS:
        values = np.zeros((*exists.shape, int(np.prod(shape))), np.float32)
        for item, row in enumerate(pictures):
            for option, picture in enumerate(row):
                values[item, option] = getattr(picture, field).ravel()
        parts.append(values)
        names += [f"{title} {'.'.join(map(str, place))}" for place in np.ndindex(shape)]
    measures = centred(np.concatenate(parts, axis=2), items.keyed, by_place=True)
    return Block("learned map", "pixels", measures, tuple(names))


def _map_of_item(items: LearnedItems, most: int) -> Iterator[Block]:
    cells = MAP_CELLS // _COARSE
    parts, names = [], []
    for number in range(most):
        pictures = [each.shown[number] for each in items.evidence]
        small = np.stack([picture.thumbnail for picture in pictures]).astype(np.float32)
        small = small.reshape(-1, cells, _COARSE, cells, _COARSE, 3).mean(axis=(2, 4))
        specks = np.stack([picture.marks for picture in pictures]).astype(np.float32) - 128
        corners = np.stack([picture.corners[:, :2, :2] for picture in pictures]).astype(np.float32)
        for title, values in (("picture", small), ("specks", specks), ("corners", corners)):
            parts.append(values.reshape(len(pictures), -1))
            names += [f"{title} {number + 1} {'.'.join(map(str, place))}" for place in np.ndindex(values.shape[1:])]
    yield classed(items, "map", "pixels", np.concatenate(parts, axis=1), names)


def _borders(items: LearnedItems, pictures: Sequence[Sequence[PictureEvidence]]) -> Block:
    exists = items.keyed.exists
    values = np.zeros((*exists.shape, len(HALVES) * 7), np.float32)
    for item, row in enumerate(pictures):
        for option, picture in enumerate(row):
            values[item, option] = picture.border.ravel()
    of = ("red", "green", "blue", "spread", "step of red", "step of green", "step of blue")
    names = tuple(f"{what} of the line at {half}" for half in HALVES for what in of)
    both = np.concatenate([values, np.abs(values), ranks(values, exists)], axis=2)
    names = (*names, *(f"size of {name}" for name in names), *(f"rank of {name}" for name in names))
    return Block("learned borders", "pixels", centred(both, items.keyed, by_place=True), names)


def _joined_borders(items: LearnedItems, region: TaskRegion) -> Block:
    """Return a probe of how well border lines of options match those of the reference, except at joined sides."""
    exists = items.keyed.exists
    hidden = frozenset[str]().union(*(_HALVES_AT[side] for side in region.join))
    seen = [number for number, half in enumerate(HALVES) if half not in hidden]
    pairs = [(own, of) for own in seen for of in range(len(HALVES))]
    values = np.zeros((*exists.shape, 3 * len(pairs)), np.float32)
    own_halves, of_halves = [own for own, _ in pairs], [of for _, of in pairs]
    for item, each in enumerate(items.evidence):
        reference = each.shown[0].border[of_halves]
        for option, picture in enumerate(each.options):
            apart = np.abs(picture.border[own_halves] - reference)
            values[item, option] = -np.stack(
                [apart[:, :3].mean(axis=1), apart[:, 3], apart[:, 4:].mean(axis=1)], axis=1
            ).ravel()  # fmt: skip
    names = tuple(
        f"{what} of the lines at {HALVES[own]} and at the reference's {HALVES[of]}"
        for own, of in pairs
        for what in ("color", "spread", "step inward")
    )
    both = np.concatenate([values, ranks(values, exists)], axis=2)
    names = (*names, *(f"rank of {name}" for name in names))
    return Block("learned fit of borders", "reference_pixels", centred(both, items.keyed, by_place=True), names)


def _places(rows: Sequence[int]) -> list[dict[str, float]]:
    """Return the remainders of each row index after division by small numbers, and its position as a proportion."""
    ordered = np.argsort(np.argsort(rows, kind="stable"), kind="stable")
    count = len(rows)
    return [
        {"row": float(number)}
        | {f"row mod {of} is {number % of}": 1.0 for of in _ROW_MODULI if of * 4 <= count}
        | {f"part {number * of // count + 1} of {of}": 1.0 for of in _ROW_PARTS if of * 8 <= count}
        for number in ordered.tolist()
    ]
