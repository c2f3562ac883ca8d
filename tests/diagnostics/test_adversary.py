"""The learning adversary: one planted cue per kind of probe, cues that belong to the task, and the size of cues it
finds.

Pictures are noise, so that only the cue reveals the key; sets are too small for a forest.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from benchwright.diagnostics.adversary.encoding import encoding_of
from benchwright.diagnostics.shortcuts.battery import TaskResult, run_battery
from benchwright.diagnostics.shortcuts.measuring import measure_items
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.images import encode_png
from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.source_files.item_files import PicturePlace, SourceItem

HIGH, WIDE = 32, 40
ITEMS = 36
Pixels = NDArray[np.uint8]


class _Option(NamedTuple):
    """The picture of an option, or of the reference: bytes, and where the file lies."""

    data: bytes
    place: PicturePlace


def _noise(rng: np.random.Generator) -> Pixels:
    return rng.integers(40, 200, (HIGH, WIDE, 3)).astype(np.uint8)


def _file(pixels: Pixels, form: str = "PNG", **options: object) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, form, **options)
    return handle.getvalue()


def _item(
    number: int, right: int, pictures: list[_Option], reference: _Option, *, task: str = "planted", own_id: str = ""
) -> SourceItem:
    shown = [hashlib.sha256(each.data).hexdigest() for each in (reference, *pictures)]
    item = Item(
        item_id=hashlib.sha256(f"{task} {number}".encode()).hexdigest()[:32], task=task, kind="multiple_choice",
        images=tuple(ItemImage(image_id=image_id, role="picture") for image_id in shown), question="Which?",
        choices=tuple(Choice(key=key, image_id=image_id) for key, image_id in zip(LETTERS, shown[1:], strict=False)),
        answer=LETTERS[right], group_keys=(f"image:{shown[0]}",), root_image_id=shown[0], operation_id="0" * 32,
        made_from=shown[0],
    )  # fmt: skip
    files = {image_id: each.data for image_id, each in zip(shown, (reference, *pictures), strict=True)}
    places = {image_id: each.place for image_id, each in zip(shown, (reference, *pictures), strict=True)}
    return SourceItem(item, files, own_id or f"q{number * 7919 % 1000}", places)


def _result(items: list[SourceItem]) -> TaskResult:
    measured = measure_items(iter(items))
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


def _made(
    pixels: Callable[[Pixels], Pixels] | None = None, form: str = "PNG", **options: object
) -> Callable[..., bytes]:
    def data(own: Pixels, is_right: bool) -> bytes:
        if not is_right:
            return _file(own, form)
        return _file(own if pixels is None else pixels(own.copy()), form, **options)

    return data


def _speck(pixels: Pixels) -> Pixels:
    pixels[7 + int(pixels[0, 0, 0]) % 11, 9] = (255, 0, 255)
    return pixels


def _corner(pixels: Pixels) -> Pixels:
    pixels[-3:, -3:] = 90
    return pixels


def _tint(pixels: Pixels) -> Pixels:
    return np.asarray(pixels + np.array([6, 0, 0], np.uint8), np.uint8)


def _twice(own: Pixels, is_right: bool) -> bytes:
    if is_right:
        own = np.array(Image.open(io.BytesIO(_file(own, "JPEG", quality=60))))
    return _file(own, "JPEG", quality=85)


PLANTED: dict[str, tuple[Callable[[Pixels, bool], bytes], str]] = {
    "magenta pixel": (_made(_speck), "pixels"),
    "corner mark": (_made(_corner), "pixels"),
    "faint tint": (_made(_tint), "pixels"),
    "second JPEG compression": (_twice, "pixels"),
    "dpi": (_made(dpi=(96, 96)), "file"),
    "PNG level": (_made(compress_level=1), "file"),
}


def _solvers(result: TaskResult, family: str) -> list[str]:
    return [each.solver for each in result.learned_cues if each.family == family]


@pytest.mark.parametrize("cue", PLANTED)
def test_a_cue_in_pictures_or_files_is_learned(cue: str) -> None:
    data, family = PLANTED[cue]
    rng = np.random.default_rng(5)
    items = []
    for number in range(ITEMS):
        right = int(rng.integers(2))
        pictures = [
            _Option(data(_noise(rng), place == right), PicturePlace(f"{rng.integers(1 << 30)}.png")) for place in (0, 1)
        ]
        items.append(_item(number, right, pictures, _Option(_file(_noise(rng)), PicturePlace("shown.png"))))
    assert _solvers(_result(items), family)


def _plain(
    rng: np.random.Generator,
    keys: list[int],
    *,
    ids: Callable[[int], str] = lambda key: "",
    names: Callable[[bool], str] = lambda is_right: "",
) -> list[SourceItem]:
    """Return items whose pictures say nothing."""
    return [
        _item(
            number,
            right,
            [
                _Option(_file(_noise(rng)), PicturePlace(f"{names(place == right)}{rng.integers(1 << 30)}.png", 1e9))
                for place in (0, 1)
            ],
            _Option(_file(_noise(rng)), PicturePlace("shown.png")),
            own_id=ids(right),
        )
        for number, right in enumerate(keys)
    ]


def test_ids_names_and_the_keys_before_are_learned() -> None:
    rng = np.random.default_rng(6)
    drawn = rng.integers(0, 2, ITEMS).tolist()
    by_id = _result(_plain(rng, drawn, ids=lambda key: f"q{int(rng.integers(1 << 20)) * 2 + key}"))
    assert _solvers(by_id, "id") == ["learned id"]
    assert {each.family for each in by_id.learned_cues} == {"id"}
    by_name = _result(_plain(rng, drawn, names=lambda is_right: "n" if is_right else "m"))
    assert "learned name" in _solvers(by_name, "name")
    in_turn = _result(_plain(rng, [number % 2 for number in range(ITEMS)]))
    assert set(_solvers(in_turn, "order")) >= {"learned keys before", "learned order"}


def _worded(number: int, options: list[str], right: int) -> SourceItem:
    picture = _Option(_file(np.full((8, 8, 3), number, np.uint8)), PicturePlace("shown.png"))
    shown = hashlib.sha256(picture.data).hexdigest()
    worded = Item(
        item_id=hashlib.sha256(f"worded {number}".encode()).hexdigest()[:32], task="worded", kind="multiple_choice",
        images=(ItemImage(image_id=shown, role="picture"),), question="Which?",
        choices=tuple(Choice(key=key, text=text) for key, text in zip(LETTERS, options, strict=False)),
        answer=LETTERS[right], group_keys=(f"image:{shown}",), root_image_id=shown, operation_id="0" * 32,
        made_from=shown,
    )  # fmt: skip
    return SourceItem(worded, {shown: picture.data}, f"w{number * 7919 % 1000}")


def test_the_option_that_leaves_a_sorted_order_is_learned() -> None:
    rng = np.random.default_rng(7)
    items = []
    for number in range(ITEMS):
        first, *options = sorted(f"{''.join(rng.choice(list('abcdefghij'), 5))}" for _ in range(4))
        right = int(rng.integers(1, 4))
        options.insert(right, first)
        items.append(_worded(number, options, right))
    result = _result(items)
    assert any("alphabet" in name for each in result.learned_cues for name, _ in each.tells)


def _jigsaw(rng: np.random.Generator, number: int, sides: tuple[str, str]) -> SourceItem:
    """Return a jigsaw whose right piece has a dark line where the reference has one, at one of two sides."""
    views = {"top": np.s_[0], "left": np.s_[:, 0], "bottom": np.s_[-1], "right": np.s_[:, -1]}
    first = int(rng.integers(2))
    right = int(rng.integers(2))
    reference, pieces = _noise(rng), [_noise(rng), _noise(rng)]
    reference[views[sides[first]]] = 20
    pieces[right][views[sides[first]]] = 20
    pieces[1 - right][views[sides[1 - first]]] = 20
    place = PicturePlace("piece.png")
    return _item(
        number, right, [_Option(_file(each), place) for each in pieces], _Option(_file(reference), place), task="jigsaw"
    )


def test_the_join_of_a_jigsaw_is_its_task_and_the_outer_border_is_not() -> None:
    rng = np.random.default_rng(8)
    outside = _result([_jigsaw(rng, number, ("right", "bottom")) for number in range(ITEMS)])
    assert [each.solver for each in outside.carried] == ["learned fit of borders"]
    joined = _result([_jigsaw(rng, number, ("top", "left")) for number in range(ITEMS)])
    assert joined.carried == ()


def test_how_png_data_is_packed_tells_programs_and_levels_apart_and_not_what_pictures_show() -> None:
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 256, (90, 120, 3), np.uint8)
    soft = np.broadcast_to(np.linspace(0, 255, 120, dtype=np.uint8)[None, :, None], (90, 120, 3))
    soft = np.ascontiguousarray(soft) + (noise // 64)

    def packing(pixels: NDArray[np.uint8], **saved: int) -> dict[str, float]:
        handle = io.BytesIO()
        Image.fromarray(pixels).save(handle, "PNG", **saved)
        measures = encoding_of(handle.getvalue())
        return {name: value for name, value in measures.items() if name.startswith("PNG pack")}

    for level in (1, 3, 6, 9):
        assert packing(noise, compress_level=level) == packing(soft, compress_level=level)
        assert packing(noise, compress_level=level)["PNG packing"] == 1.0
    assert len({tuple(packing(soft, compress_level=level)) for level in (1, 3, 6, 9)}) == 4
    assert packing(soft, compress_level=2)["PNG packing"] > 1.01
    ours = [encoding_of(encode_png(pixels)) for pixels in (noise, soft)]
    assert all(measures["PNG packed as by Pillow at level 3"] == 1.0 for measures in ours)


def test_without_a_cue_nothing_is_learned_and_it_is_said_how_large_a_cue_would_be() -> None:
    rng = np.random.default_rng(9)
    items = _plain(rng, rng.integers(0, 2, 2 * ITEMS).tolist())
    few, more = _result(items[:ITEMS]), _result(items)
    assert few.learned_cues == more.learned_cues == ()
    assert few.power is not None
    assert more.power is not None
    assert few.power.items == ITEMS
    assert few.power.could_find is None or few.power.could_find > float(more.power.could_find or 1)
    assert float(more.power.could_find or 0) > 0.75
    assert 2000 < int(more.power.items_needed or 0) < 8000
