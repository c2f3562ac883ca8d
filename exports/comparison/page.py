"""The page that compares two releases: differences, their reasons, and the pictures of both side by side."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.pages import page_pieces
from benchwright.release import Release, drawn_pictures

from .differences import DifferentItem, ReleaseDifferences, Row, field_value
from .rescored import Rescored

_TEMPLATES = Path(__file__).parent / "templates"
_SIDE_PX = 360
"""Longer side of pictures on the page, in pixels."""
_AS_TEXT = {"images", "marks"}
"""Fields whose content the pictures show."""
_PICTURES = ("item_id", "images", "unmarked", "image_ids", "visual_prompts")


class _TextPart(NamedTuple):
    """A part of a text that is in both releases or in only one."""

    text: str
    differs: bool


class _FieldChange(NamedTuple):
    """A field before and after the change, divided into equal and different parts."""

    name: str
    before: Sequence[_TextPart]
    after: Sequence[_TextPart]


class _ComparedItem(NamedTuple):
    """A compared item on the page, with its pictures as data URIs; a text replaces a picture that cannot be drawn."""

    difference: DifferentItem
    question: str
    choices: Sequence[tuple[str, str, bool]]
    """Key and text of each option, and whether it is right; from the newer release if it contains the item."""
    fields: Sequence[_FieldChange]
    before: Sequence[str]
    after: Sequence[str]
    problem: str | None


def write_comparison(
    path: Path,
    before: Release,
    after: Release,
    differences: ReleaseDifferences,
    scores: Sequence[Rescored] = (),
    *,
    most: int = 60,
) -> None:
    """Write the comparison as one self-contained HTML file.

    Args:
        path: File to write; it must not exist yet.
        before: Older release.
        after: Newer release.
        differences: Differences between them.
        scores: Scores of models on both releases.
        most: Maximum number of items of each kind to show; the counts cover all items.

    Raises:
        BenchwrightError: The file exists.
        DataError: A data file of a release is damaged.
    """
    kinds = {
        "changed": differences.changed,
        "moved": differences.moved,
        "dropped": differences.dropped,
        "added": differences.added,
    }
    values = {
        "before": before,
        "after": after,
        "counts": {name: len(items) for name, items in kinds.items()} | {"same": differences.same},
        "settings": differences.settings,
        "scores": scores,
        "sections": [
            {
                "name": name,
                "total": len(items),
                "shown": min(most, len(items)),
                "items": _shown(before, after, items[:most]),
            }
            for name, items in kinds.items()
            if items
        ],
    }
    pieces = page_pieces(
        _TEMPLATES, "comparison.html", values, generator="benchwright release diff", style="comparison.css"
    )
    draft = path.with_name(f".{path.name}.unfinished")
    try:
        with draft.open("w", encoding="utf-8") as handle:
            handle.writelines(pieces)
        os.link(draft, path)
    except FileExistsError as error:
        raise BenchwrightError(f"{path} already exists; give another file, or move it") from error
    finally:
        draft.unlink(missing_ok=True)


def _shown(before: Release, after: Release, items: Sequence[DifferentItem]) -> Iterator[_ComparedItem]:
    old = _drawn(before, [item.item_id for item in items if item.before is not None])
    new = _drawn(after, [item.item_id for item in items if item.after is not None])
    for item in items:
        row = item.after or item.before
        assert row is not None
        sides = [old.get(item.item_id, ()), new.get(item.item_id, ())]
        problem = next((side for side in sides if isinstance(side, str)), None)
        before_pictures, after_pictures = (() if isinstance(side, str) else side for side in sides)
        key = row["answer"] or row["refusal"]
        yield _ComparedItem(
            item,
            row["question"],
            [(choice["key"], choice["text"] or "picture", choice["key"] == key) for choice in row["choices"]],
            [_field(name, item) for name in item.fields if name not in _AS_TEXT],
            before_pictures,
            () if after_pictures == before_pictures else after_pictures,
            problem,
        )


def _drawn(release: Release, item_ids: Sequence[str]) -> dict[str, Sequence[str] | str]:
    """Return the items' pictures with their marks as data URIs, or the reasons why they cannot be drawn."""
    drawn: dict[str, Sequence[str] | str] = {}
    for row in release.rows(_PICTURES, item_ids=frozenset(item_ids)) if item_ids else ():
        try:
            drawn[row["item_id"]] = tuple(map(_uri, drawn_pictures(row)))
        except (DataError, ValueError) as error:
            drawn[row["item_id"]] = f"no picture: {error}"
    return drawn


def _uri(picture: Any) -> str:
    from io import BytesIO

    from PIL import Image

    picture.thumbnail((_SIDE_PX, _SIDE_PX), Image.Resampling.LANCZOS)
    with BytesIO() as file:
        picture.save(file, "JPEG", quality=85)
        return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def _field(name: str, item: DifferentItem) -> _FieldChange:
    assert item.before is not None
    assert item.after is not None
    before, after = _lines(item.before, name), _lines(item.after, name)
    old: list[_TextPart] = []
    new: list[_TextPart] = []
    words_before, words_after = before.split(" "), after.split(" ")
    matcher = SequenceMatcher(None, words_before, words_after, autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        old.append(_TextPart(" ".join(words_before[old_from:old_to]), kind != "equal"))
        new.append(_TextPart(" ".join(words_after[new_from:new_to]), kind != "equal"))
    return _FieldChange(name, [part for part in old if part.text], [part for part in new if part.text])


def _lines(row: Row, name: str) -> str:
    """Return a field's text as lines, truncated if it is too long for the page."""
    value = row["split"] if name == "split" else field_value(row, name)
    if name == "choices":
        return "\n".join(f"{choice['key']}: {choice['text'] or choice['image_id'][:12]}" for choice in value)
    text = value if isinstance(value, str) else "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2000 else f"{text[:2000]}…"
