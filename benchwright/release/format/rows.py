"""Conversion of items to rows of a release and back."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from benchwright.canonical import bytes_digest, canonical_json
from benchwright.errors import DataError
from benchwright.records import ImageRecord, Item
from benchwright.release.format import documents
from benchwright.release.format.files import shown

_EXTENSIONS = {
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/tiff": "tif",
    "image/webp": "webp",
}
_SAME_IN_BOTH = (
    "item_id", "revision", "task", "kind", "question", "answer", "refusal", "level", "category",
    "explanation", "operation_id", "root_image_id", "made_from",
)  # fmt: skip
_STRUCTURES = ("attributes", "written_by", "evidence")
"""Columns that store an object as JSON."""

_MOST_KNOWN = 8
_FILE_NAME = re.compile(r"[0-9a-f]{64}\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class ReleasedItem:
    """One item of a release.

    Args:
        item: Record of the item, with the answer.
        split: Name of the item's split.
        images: File bytes by image id, without marks, checked against that id. Pictures stated by address and not
            fetched are missing.
        drawn: Pictures in display order: the file with drawn marks, as models see it; None if they see the file of
            `images`.
    """

    item: Item
    split: str
    images: Mapping[str, bytes] = field(repr=False)
    drawn: tuple[bytes | None, ...] = field(default=(), repr=False)


class KnownFiles:
    """The files of recent rows with known SHA-256, because subsequent rows show the same pictures."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, bytes] = OrderedDict()

    def is_of(self, data: bytes, sha256: str) -> bool:
        """Return whether a file has the given SHA-256, which is computed unless the file was used recently."""
        if self._files.get(sha256) == data:
            self._files.move_to_end(sha256)
            return True
        if bytes_digest(data) != sha256:
            return False
        self._files[sha256] = data
        if len(self._files) > _MOST_KNOWN:
            self._files.popitem(last=False)
        return True


def file_name(record: ImageRecord) -> str:
    """Return the file name of an image in a row."""
    return f"{record.image_id}.{_EXTENSIONS.get(record.media_type, 'img')}"


def row_of(item: Item, split: str) -> dict[str, Any]:
    """Return an item's row without the bytes of its pictures; raises the same errors as `spelled_row`."""
    row, _ = spelled_row(item, split)
    return row


def spelled_row(item: Item, split: str) -> tuple[dict[str, Any], str]:
    """Return an item's row without the bytes of its pictures, and the row as canonical JSON.

    Raises:
        DataError: A structure of the item contains a value that JSON cannot represent, such as NaN.
    """
    try:
        row = {
            **{name: getattr(item, name) for name in _SAME_IN_BOTH},
            "content_hash": item.content_hash,
            "split": split,
            "image_ids": [image.image_id for image in item.images],
            "image_roles": [image.role for image in item.images],
            "visual_prompts": canonical_json(
                [[prompt.model_dump(mode="json") for prompt in image.prompts] for image in item.images]
            ),
            "choices": [choice.model_dump() for choice in item.choices],
            "group_keys": list(item.group_keys),
            **{name: canonical_json(value) if (value := getattr(item, name)) else "{}" for name in _STRUCTURES},
        }
        text = canonical_json(row)
        text.encode()  # half a surrogate pair cannot be encoded in UTF-8
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"item {item.item_id} cannot be released: {error}") from error
    return row, text


def released_item(row: Mapping[str, Any], *, title: str, known: KnownFiles | None = None) -> ReleasedItem:
    """Return a row as an item after checking its content hash and every picture's SHA-256.

    Args:
        row: All columns of the schema, as Python values; without the picture columns, the item has no pictures.
        title: Name of the row's source, for messages.
        known: Files of the rows before it.

    Raises:
        DataError: The row is not an item, or a hash does not match.
    """
    known = known or KnownFiles()
    title = f"{title}, item {shown(str(row['item_id']))}"
    try:
        item = _item(row, title)
        if item.content_hash != row["content_hash"]:
            raise DataError(
                f"{title}: content_hash is {shown(str(row['content_hash']))}, but the content has another hash"
            )
        images, drawn = _images(row, title, known) if "images" in row else ({}, ())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise DataError(f"{title}: {shown(f'{place}: ' if place else '')}{shown(first['msg'])}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"{title}: {shown(str(error))}") from error
    return ReleasedItem(item, str(row["split"]), images, drawn)


def with_row_pictures(released: ReleasedItem, row: Mapping[str, Any], *, title: str, known: KnownFiles) -> ReleasedItem:
    """Return an item that was read without pictures, with those from the picture columns of its row added.

    Args:
        released: The item, as returned by `released_item`.
        row: Picture columns of its row, and `image_ids`.
        title: Name of the row's source, for messages.
        known: Files of the rows before it.

    Raises:
        DataError: A picture's SHA-256 does not match.
    """
    title = f"{title}, item {released.item.item_id}"
    try:
        images, drawn = _images(row, title, known)
    except (ValueError, TypeError) as error:
        raise DataError(f"{title}: {shown(str(error))}") from error
    return replace(released, images=images, drawn=drawn)


def with_values(released: ReleasedItem, values: Mapping[str, Any], *, title: str) -> ReleasedItem:
    """Return an item with other values in some columns of its row.

    Raises:
        DataError: The values do not form a valid item.
    """
    try:
        item = _item({**row_of(released.item, released.split), **values}, title)
    except ValidationError as error:
        raise DataError(f"{title}: item {released.item.item_id}: {shown(str(error).splitlines()[0])}") from error
    return replace(released, item=item)


def _item(row: Mapping[str, Any], title: str) -> Item:
    ids, roles = row["image_ids"], row["image_roles"]
    prompts = documents.parse(row["visual_prompts"], title=f"{title}: visual_prompts")
    if not isinstance(prompts, list):
        raise DataError(f"{title}: visual_prompts is not a list")
    structures = {name: documents.parse(row[name], title=f"{title}: {name}") for name in _STRUCTURES}
    images = [
        {"image_id": image_id, "role": role, "prompts": marks}
        for image_id, role, marks in zip(ids, roles, prompts, strict=True)
    ]
    same = {name: row[name] for name in _SAME_IN_BOTH}
    return Item.model_validate(
        {**same, **structures, "images": images, "choices": row["choices"], "group_keys": row["group_keys"]}
    )


def _images(row: Mapping[str, Any], title: str, known: KnownFiles) -> tuple[dict[str, bytes], tuple[bytes | None, ...]]:
    """Return the files without marks by id, and those with marks in display order, with None for a missing file."""
    images: dict[str, bytes] = {}
    drawn: list[bytes | None] = []
    clean = row.get("unmarked") or [None] * len(row["images"])
    for number, (image_id, shown_cell, unmarked) in enumerate(
        zip(row["image_ids"], row["images"], clean, strict=True), start=1
    ):
        if unmarked is None and shown_cell["bytes"] is None:
            _check_path(shown_cell, image_id, f"image {number}", title)
            drawn.append(None)
            continue
        images[image_id] = _file(unmarked or shown_cell, image_id, f"image {number}", title, known)
        if unmarked is None:
            drawn.append(None)
        else:
            sha256 = str(shown_cell["path"]).partition(".")[0]
            drawn.append(_file(shown_cell, sha256, f"image {number} with its marks", title, known))
    return images, tuple(drawn)


def _file(cell: Mapping[str, Any], sha256: str, name: str, title: str, known: KnownFiles) -> bytes:
    """Return a file's bytes, checked against its SHA-256 and its name."""
    data = cell["bytes"]
    _check_path(cell, sha256, name, title)
    if data is None or not known.is_of(data, sha256):
        raise DataError(f"{title}: the bytes of {name} do not match image_id {shown(sha256)}")
    return bytes(data)


def _check_path(cell: Mapping[str, Any], sha256: str, name: str, title: str) -> None:
    path = cell["path"]
    if not _FILE_NAME.fullmatch(path or "") or not path.startswith(sha256):
        raise DataError(f"{title}: {name} has the path {path!a}, not its SHA-256 and an extension")
