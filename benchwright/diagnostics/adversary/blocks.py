"""What probes are tried on a task, and the measures that each goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.steps import CueFamily, Side, TaskRegion

from .encoding import is_of_content
from .item_evidence import ItemEvidence, PictureEvidence
from .probes import Array, KeyedItems, centred
from .surface import CORNER_PX, HALVES, MAP_CELLS

Rows = Sequence[Sequence[Mapping[str, float] | None]]
"""Measures by name of each option of each item; None for an option that has none."""
_MAP_PARTS = (("picture", "thumbnail", (MAP_CELLS, MAP_CELLS, 3)), ("specks", "marks", (MAP_CELLS, MAP_CELLS, 3)),
              ("corners", "corners", (4, CORNER_PX, CORNER_PX, 3)))  # fmt: skip
_COARSE = 2
"""Factor by which maps of a whole item are reduced: each of their cells counts once for each class."""
_ROW_MODULI = (2, 3, 4, 5, 6, 7, 8, 10, 12, 20)
_ROW_PARTS = (2, 3, 4, 5, 8, 10)
_HALVES_AT: Mapping[Side, frozenset[str]] = {
    "top": frozenset({"top first", "top second", "left first", "right first"}),
    "bottom": frozenset({"bottom first", "bottom second", "left second", "right second"}),
    "left": frozenset({"left first", "left second", "top first", "bottom first"}),
    "right": frozenset({"right first", "right second", "top second", "bottom second"}),
}
"""Halves of the border that lie along a side or end at it, and so show what is at that side."""


class Classes(NamedTuple):
    """Classes of options by which a measure of a whole item can tell one of them.

    Args:
        names: Name of each class, such as `A` or `yes`.
        numbers: Class of each option, shape (items, most options); -1 where there is none.
    """

    names: tuple[str, ...]
    numbers: NDArray[np.int64]


class Block(NamedTuple):
    """A probe, and the measures that it goes by.

    Args:
        solver: Name of the solver, such as `learned map`.
        family: Family of its cue.
        measures: Measures of options as rows (`probes.centred`), shape (items, most options, measures).
        names: Name of each measure.
    """

    solver: str
    family: CueFamily
    measures: Array
    names: tuple[str, ...]


class LearnedItems(NamedTuple):
    """The items of one task as the adversary learns from them.

    Args:
        evidence: What is seen of each item.
        keyed: Their keys.
        classes: Classes of options: letters and, where the options are of a fixed vocabulary, texts.
        rows: Place of each item in the order of the source; None where that tells nothing.
    """

    evidence: Sequence[ItemEvidence]
    keyed: KeyedItems
    classes: tuple[Classes, ...]
    rows: NDArray[np.int64] | None = None


def blocks_of(items: LearnedItems, *, without: frozenset[CueFamily], region: TaskRegion) -> Iterator[Block]:
    """Yield the probes of a task; what the task itself is is in none of them.

    Args:
        items: The items.
        without: Families of cues that the task asks for.
        region: The part of the pictures that is the task.
    """
    evidence = items.evidence
    if all(each.options for each in evidence):
        yield from _of_option_pictures(items, without, region)
    elif all(each.shown for each in evidence) and not any(each.marked for each in evidence):
        yield from _of_shown_pictures(items, without)
    if any(each.marked for each in evidence) and "marks" not in without:
        rows = [each.marked or (None,) * int(count) for each, count in zip(evidence, items.keyed.options, strict=True)]
        yield from _of_options(items, "marks", "marks", rows, with_odd=True)
    if all(each.texts for each in evidence) and "text" not in without:
        yield from _of_options(items, "characters", "text", [each.texts for each in evidence], with_odd=True)
    of_item: tuple[tuple[str, CueFamily, Callable[[ItemEvidence], Mapping[str, float]]], ...] = (
        ("question", "question", lambda each: each.question),
        ("id", "id", lambda each: each.own),
    )
    for name, family, of in of_item:
        if family not in without:
            yield from _of_item(items, name, family, [of(each) for each in evidence])
    if "order" not in without and items.rows is not None:
        yield from _of_item(items, "order", "order", _places(items.rows.tolist()))


def _of_option_pictures(items: LearnedItems, without: frozenset[CueFamily], region: TaskRegion) -> Iterator[Block]:
    evidence = items.evidence
    pictures = [each.options for each in evidence]
    if "pixels" not in without:
        content = [[{**one.pixels, **_content(one)} for one in each] for each in pictures]
        yield from _of_options(items, "pixels", "pixels", content, with_odd=True)
        spectrum = [[one.frequency for one in each] for each in pictures]
        yield from _of_options(items, "frequencies", "pixels", spectrum, with_odd=True)
        yield _map(items, pictures)
        yield _borders(items, pictures)
    if "file" not in without:
        yield from _of_options(
            items, "file", "file", [[_files(one) for one in each] for each in pictures], with_odd=True
        )
    if "name" not in without and all(each.names for each in evidence):
        yield from _of_options(items, "name", "name", [each.names for each in evidence], with_odd=True)
    if all(each.shown for each in evidence):
        yield from _beside_reference(items, without, region)
        whole = [{**each.shown[0].pixels, **each.shown[0].frequency, **each.shown[0].encoding} for each in evidence]
        if all(each.shown_names for each in evidence):
            whole = [measures | dict(each.shown_names[0]) for measures, each in zip(whole, evidence, strict=True)]
        if not {"pixels", "file"} & without:
            yield from _of_item(items, "reference", "file", whole)


def _beside_reference(items: LearnedItems, without: frozenset[CueFamily], region: TaskRegion) -> Iterator[Block]:
    """Yield what compares options with the picture that is no option, as far as that is not the task."""
    evidence = items.evidence
    if "reference_pixels" not in without:
        near = [_nearness([one.pixels for one in each.options], each.shown[0].pixels) for each in evidence]
        yield from _of_options(items, "likeness of pixels", "reference_pixels", near)
    if "reference_pixels" not in without or region.join:
        yield _joined_borders(items, region)
    if "reference_file" not in without:
        near = [_nearness([_kept(one) for one in each.options], _kept(each.shown[0])) for each in evidence]
        if all(each.names and each.shown_names for each in evidence):
            named = [_nearness(each.names, each.shown_names[0]) for each in evidence]
            near = [[{**a, **b} for a, b in zip(x, y, strict=True)] for x, y in zip(near, named, strict=True)]
        yield from _of_options(items, "likeness of files", "reference_file", near)


def _of_shown_pictures(items: LearnedItems, without: frozenset[CueFamily]) -> Iterator[Block]:
    """Yield what the item's first pictures tell by themselves about a letter or a text."""
    evidence = items.evidence
    most = min(len(each.shown) for each in evidence)

    def shown(of: Callable[[ItemEvidence, int], Mapping[str, float]]) -> list[dict[str, float]]:
        return [
            {(name if most == 1 else f"{name} of picture {number + 1}"): value
             for number in range(most) for name, value in of(each, number).items()}
            for each in evidence
        ]  # fmt: skip

    if "pixels" not in without:
        yield from _of_item(
            items, "pixels", "pixels", shown(lambda each, n: {**each.shown[n].pixels, **_content(each.shown[n])})
        )
        yield from _of_item(items, "frequencies", "pixels", shown(lambda each, n: each.shown[n].frequency))
        yield from _map_of_item(items, most)
    if "file" not in without:
        yield from _of_item(items, "file", "file", shown(lambda each, n: _files(each.shown[n])))
    if "name" not in without and all(len(each.shown_names) >= most for each in evidence):
        yield from _of_item(items, "name", "name", shown(lambda each, n: each.shown_names[n]))


def _content(picture: PictureEvidence) -> dict[str, float]:
    return {name: value for name, value in picture.encoding.items() if is_of_content(name)}


def _files(picture: PictureEvidence) -> dict[str, float]:
    return {name: value for name, value in picture.encoding.items() if not is_of_content(name)}


def _kept(picture: PictureEvidence) -> dict[str, float]:
    """Return measures of a file without how far it is packed, which is nearest where the picture shows the same."""
    return {name: value for name, value in _files(picture).items() if name != "PNG packing"}


def _nearness(options: Sequence[Mapping[str, float]], reference: Mapping[str, float]) -> list[dict[str, float]]:
    names = sorted({*reference, *(name for option in options for name in option)})
    return [{name: -abs(option.get(name, 0.0) - reference.get(name, 0.0)) for name in names} for option in options]


def _of_options(
    items: LearnedItems, name: str, family: CueFamily, rows: Rows, *, with_odd: bool = False
) -> Iterator[Block]:
    """Yield a probe of named measures of options: values, ranks and, of more than two, how unusual each value is."""
    names = sorted({measure for row in rows for option in row if option is not None for measure in option})
    if not names:
        return
    exists = items.keyed.exists
    place = {measure: number for number, measure in enumerate(names)}
    values = np.zeros((*exists.shape, len(names)), np.float32)
    known = exists.copy()
    for item, row in enumerate(rows):
        for option, measures in enumerate(row):
            if measures is None:
                known[item, option] = False
                continue
            for measure, value in measures.items():
                values[item, option, place[measure]] = value
    if not known.all():  # an option without a mark has the mean of the others
        counts = np.maximum(1, known.sum(axis=1))[:, None]
        mean = np.where(known[:, :, None], values, 0).sum(axis=1) / counts
        values = np.where(known[:, :, None], values, mean[:, None, :]).astype(np.float32)
    varies = np.ptp(np.where(exists[:, :, None], values, values[:, :1]), axis=1).max(axis=0) > 0
    values, names = values[:, :, varies], [each for each, keep in zip(names, varies, strict=True) if keep]
    if not names:
        return
    parts = [values, _ranks(values, exists)]
    titles = [*names, *(f"rank of {each}" for each in names)]
    if with_odd and int(items.keyed.options.min()) > 2:
        filled = np.where(exists[:, :, None], values, np.nan)
        parts.append(np.nan_to_num(np.abs(filled - np.nanmedian(filled, axis=1, keepdims=True))))
        titles += [f"unusual {each}" for each in names]
    rows_of_options = centred(np.concatenate(parts, axis=2), items.keyed, by_place=True)
    yield Block(f"learned {name}", family, rows_of_options, tuple(titles))


def _ranks(values: NDArray[np.float32], exists: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the number of options that have less, those that tie counted half."""
    ranks = np.zeros_like(values)
    for other in range(values.shape[1]):
        there = exists[:, other, None, None]
        beside = values[:, other : other + 1]
        ranks += there * ((beside < values) + 0.5 * (beside == values))
    return ranks


def _of_item(items: LearnedItems, name: str, family: CueFamily, rows: Sequence[Mapping[str, float]]) -> Iterator[Block]:
    """Yield a probe of named measures of items, each once for each class of options."""
    names = sorted({measure for row in rows for measure in row})
    values = np.zeros((len(rows), len(names)), np.float32)
    for row, measures in zip(values, rows, strict=True):
        for number, measure in enumerate(names):
            row[number] = measures.get(measure, 0.0)
    varies = np.ptp(values, axis=0) > 0 if names else np.zeros(0, np.bool_)
    values, names = values[:, varies], [each for each, keep in zip(names, varies, strict=True) if keep]
    if not names:
        return
    continuous = np.array([len(np.unique(column)) > 3 for column in values.T])
    ranked = np.argsort(np.argsort(values[:, continuous], axis=0, kind="stable"), axis=0, kind="stable")
    titles = [*names, *(f"rank of {each}" for each, keep in zip(names, continuous, strict=True) if keep)]
    yield _classed(items, name, family, np.concatenate([values, ranked.astype(np.float32)], axis=1), titles)


def _classed(
    items: LearnedItems, name: str, family: CueFamily, values: NDArray[np.float32], titles: Iterable[str]
) -> Block:
    """Return a probe of measures of items, shape (items, measures), each once for each class of options."""
    centre = values - values.mean(axis=0)
    spread = centre.std(axis=0)
    limit = 4 * spread + 1e-9
    centre = np.clip(centre, -limit, limit)
    centre -= centre.mean(axis=0)
    parts, names, titles = [], [], list(titles)
    for classes in items.classes:
        for number, called in enumerate(classes.names):
            parts.append((classes.numbers == number)[:, :, None] * centre[:, None, :])
            names += [f"{title} for {called}" for title in titles]
    if len(items.classes) == 1 and len(items.classes[0].names) == 2:
        parts, names = parts[:1], names[: len(titles)]  # the other class says the same
    measures = centred(np.concatenate(parts, axis=2), items.keyed, by_place=False)
    return Block(f"learned {name}", family, measures, tuple(names))


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
    yield _classed(items, "map", "pixels", np.concatenate(parts, axis=1), names)


def _borders(items: LearnedItems, pictures: Sequence[Sequence[PictureEvidence]]) -> Block:
    exists = items.keyed.exists
    values = np.zeros((*exists.shape, len(HALVES) * 7), np.float32)
    for item, row in enumerate(pictures):
        for option, picture in enumerate(row):
            values[item, option] = picture.border.ravel()
    of = ("red", "green", "blue", "spread", "step of red", "step of green", "step of blue")
    names = tuple(f"{what} of the line at {half}" for half in HALVES for what in of)
    both = np.concatenate([values, np.abs(values), _ranks(values, exists)], axis=2)
    names = (*names, *(f"size of {name}" for name in names), *(f"rank of {name}" for name in names))
    return Block("learned borders", "pixels", centred(both, items.keyed, by_place=True), names)


def _joined_borders(items: LearnedItems, region: TaskRegion) -> Block:
    """Return a probe of how lines at the border of options fit those of the reference, but for the joining sides."""
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
    both = np.concatenate([values, _ranks(values, exists)], axis=2)
    names = (*names, *(f"rank of {name}" for name in names))
    return Block("learned fit of borders", "reference_pixels", centred(both, items.keyed, by_place=True), names)


def _places(rows: Sequence[int]) -> list[dict[str, float]]:
    """Return what is left of each row after division by small numbers, and in which part of all it lies."""
    ordered = np.argsort(np.argsort(rows, kind="stable"), kind="stable")
    count = len(rows)
    return [
        {"row": float(number)}
        | {f"row mod {of} is {number % of}": 1.0 for of in _ROW_MODULI if of * 4 <= count}
        | {f"part {number * of // count + 1} of {of}": 1.0 for of in _ROW_PARTS if of * 8 <= count}
        for number in ordered.tolist()
    ]
