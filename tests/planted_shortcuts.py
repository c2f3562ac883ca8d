"""Items with a planted shortcut, and clean ones: made of noise, so that only the cue reveals the key."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from benchwright.diagnostics.shortcuts.battery import Bounds, TaskResult, run_battery
from benchwright.diagnostics.shortcuts.measuring import measure_items
from benchwright.records import LETTERS, Choice, Item, ItemImage, VisualPrompt
from benchwright.source_files.item_files import SourceItem

WIDE, HIGH = 64, 40
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty", "knoll", "ledge")


class _Picture(NamedTuple):
    image_id: str
    data: bytes


class Kind(NamedTuple):
    """A kind of items, and its planted cue.

    Args:
        make: Makes an item from its name, the right option, whether the cue is planted, and a generator.
        options: Number of options.
        families: Families of cues, one of which must be named if the cue is planted.
    """

    make: Callable[[str, int, bool, np.random.Generator], SourceItem]
    options: int
    families: tuple[str, ...]


def planted(kind: str, *, count: int, share: float, seed: int) -> list[SourceItem]:
    """Return items, about this share with a cue that reveals the key; the others, and all with 0, are clean."""
    made = KINDS[kind]
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    keys = rng.permutation(np.arange(count) % made.options)
    cued = rng.random(count) < share
    if kind == "letter":
        keys[cued] = 0
    return [
        made.make(f"{kind} {seed} {number}", int(key), bool(is_cued), rng)
        for number, (key, is_cued) in enumerate(zip(keys, cued, strict=True))
    ]


def result_of(items: Sequence[SourceItem], *, learns: bool = False) -> TaskResult:
    """Return the battery's result on items of one task, with the adversary that learns if requested."""
    measured = measure_items(iter(items), **({} if learns else {"most_learned": 0}))
    [result] = run_battery(
        measured.cues,
        measured.group_keys,
        seed=1,
        bounds=Bounds(),
        task_cues={},
        evidence=measured.evidence,
        rows=measured.rows,
    ).tasks
    return result


def named_families(result: TaskResult) -> set[str]:
    """Return the families of the cues that a result names."""
    families = {str(solver.family) for solver in result.carried if solver.family is not None}
    weights = result.forest.weights if result.forest is not None else {}
    return families | {title.partition(".")[0] for title in list(weights)[:1]}


def _noise(rng: np.random.Generator, *, lighter: float = 0.0, quality: int = 0, wide: int = WIDE) -> _Picture:
    levels = rng.integers(0, 200, (HIGH, wide, 3)) + 55 * lighter
    handle = io.BytesIO()
    image = Image.fromarray(levels.astype(np.uint8))
    if quality:
        image.save(handle, "JPEG", quality=quality)
    else:
        image.save(handle, "PNG", compress_level=1)
    return _Picture(hashlib.sha256(handle.getvalue()).hexdigest(), handle.getvalue())


def _item(
    name: str,
    right: int,
    pictures: Sequence[_Picture],
    options: Sequence[str | _Picture],
    *,
    question: str = "Which?",
    marks: Sequence[Sequence[VisualPrompt]] = (),
) -> SourceItem:
    item_id = hashlib.sha256(name.encode()).hexdigest()[:32]
    choices = tuple(
        Choice(key=key, text=option) if isinstance(option, str) else Choice(key=key, image_id=option.image_id)
        for key, option in zip(LETTERS, options, strict=False)
    )
    images = tuple(
        ItemImage(image_id=picture.image_id, role="picture", prompts=tuple(marks[number]) if marks else ())
        for number, picture in enumerate(pictures)
    )
    item = Item(
        item_id=item_id, task="planted", kind="multiple_choice", images=images, question=question, choices=choices,
        answer=LETTERS[right], group_keys=(f"image:{pictures[0].image_id}",), root_image_id=pictures[0].image_id,
        operation_id="0" * 32, made_from=pictures[0].image_id,
    )  # fmt: skip
    return SourceItem(item, {picture.image_id: picture.data for picture in pictures})


def _ring(picture: _Picture, x: float, y: float, label: str) -> VisualPrompt:
    return VisualPrompt(kind="ring", image_id=picture.image_id, points=((x * WIDE, y * HIGH),), label=label)


def _points(name: str, right: int, places: np.ndarray, reference: np.ndarray, rng: np.random.Generator) -> SourceItem:
    first, second = _noise(rng), _noise(rng)
    rings = [_ring(second, x, y, key) for key, (x, y) in zip("ABCD", places.tolist(), strict=True)]
    texts = [f"Point {key}" for key in "ABCD"]
    return _item(
        name, right, (first, second), texts, marks=([_ring(first, *reference.tolist(), "REF")], rings)
    )  # fmt: skip


def _letter(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    return _points(name, right, rng.random((4, 2)), rng.random(2), rng)


def _centre(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    places = rng.random((4, 2))
    if is_cued:
        places[right] = 0.5 + rng.uniform(-0.08, 0.08, 2)
    return _points(name, right, places, rng.random(2), rng)


def _order(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    places = rng.random((4, 2))
    if is_cued:
        leftmost = int(places[:, 0].argmin())
        places[[leftmost, right]] = places[[right, leftmost]]
    return _points(name, right, places, rng.random(2), rng)


def _reference(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    places, reference = rng.random((4, 2)), rng.random(2)
    if is_cued:
        places[right] = np.clip(0.5 + 0.75 * (reference - 0.5) + rng.uniform(-0.05, 0.05, 2), 0, 1)
    return _points(name, right, places, reference, rng)


def _box(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    picture = _noise(rng)
    sizes = rng.uniform(0.2, 0.5, (2, 2))
    if is_cued and sizes[right].prod() < sizes[1 - right].prod():
        sizes = sizes[::-1]
    boxes = []
    for key, (wide, high) in zip("AB", sizes.tolist(), strict=True):
        x, y = rng.uniform(0, 1 - wide), rng.uniform(0, 1 - high)
        corners = ((x * WIDE, y * HIGH), ((x + wide) * WIDE, (y + high) * HIGH))
        boxes.append(VisualPrompt(kind="box", image_id=picture.image_id, points=corners, label=key))
    return _item(name, right, (picture,), ("Box A", "Box B"), marks=(boxes,))


def _pictures(name: str, right: int, options: Sequence[_Picture], rng: np.random.Generator) -> SourceItem:
    return _item(name, right, (_noise(rng), *options), options)


def _bytes(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    wides = rng.permutation([WIDE - 3, WIDE])
    if is_cued and wides[right] < wides[1 - right]:
        wides = wides[::-1]
    return _pictures(name, right, [_noise(rng, wide=int(wide)) for wide in wides], rng)


def _quality(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    qualities = rng.permutation([70, 90])
    if is_cued and qualities[right] < qualities[1 - right]:
        qualities = qualities[::-1]
    return _pictures(name, right, [_noise(rng, quality=int(quality)) for quality in qualities], rng)


def _light(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    lights = rng.random(2)
    if is_cued and lights[right] < lights[1 - right]:
        lights = lights[::-1]
    return _pictures(name, right, [_noise(rng, lighter=float(light)) for light in lights], rng)


def _length(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    lengths = 2 + rng.permutation(4)
    if is_cued:
        longest = int(lengths.argmax())
        lengths[[longest, right]] = lengths[[right, longest]]
    texts = [" ".join(rng.choice(WORDS, int(length))) + f" {rng.integers(99)}th" for length in lengths]
    return _item(name, right, (_noise(rng),), texts)


def _number(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    numbers = rng.choice(40, 3, replace=False)
    if is_cued:
        middle = int(np.argsort(numbers)[1])
        numbers[[middle, right]] = numbers[[right, middle]]
    return _item(name, right, (_noise(rng),), [str(number) for number in numbers])


def _question(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    words = list(rng.choice(WORDS, 4))
    if is_cued:
        words[0] = WORDS[0] if right == 0 else WORDS[-1]
    return _item(name, right, (_noise(rng),), ("Yes", "No"), question=f"Is it {' '.join(words)}?")


def _picture(name: str, right: int, is_cued: bool, rng: np.random.Generator) -> SourceItem:
    light = rng.random() / 2 + (0.5 if (right == 0 if is_cued else rng.random() < 0.5) else 0)
    return _item(name, right, (_noise(rng, lighter=light),), ("Yes", "No"))


KINDS: dict[str, Kind] = {
    "letter": Kind(_letter, 4, ("letter",)),
    "centre": Kind(_centre, 4, ("position",)),
    "order": Kind(_order, 4, ("position",)),
    "reference": Kind(_reference, 4, ("reference_position",)),
    "box size": Kind(_box, 2, ("box",)),
    "bytes": Kind(_bytes, 2, ("file",)),
    "jpeg quality": Kind(_quality, 2, ("file",)),
    "light": Kind(_light, 2, ("pixels",)),
    "length": Kind(_length, 4, ("text",)),
    "middle number": Kind(_number, 3, ("number",)),
    "question": Kind(_question, 2, ("question",)),
    "light of yes": Kind(_picture, 2, ("pixels",)),
}
