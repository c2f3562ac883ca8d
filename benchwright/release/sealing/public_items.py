"""Items of sealed splits in their public form: the content that is shown, without anything that reveals the answer.

A secret salt of 32 bytes determines the public id of an item, hence its position in the release, and the order of its
options. Without the salt, neither can be derived from the original item, nor the original item from them.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.records import LETTERS, Choice, Item, ItemImage, Operation
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.release.format.rows import row_of

SALT_BYTES = 32

SEALED_OPERATION = Operation(step="sealed", version=1, parameters={}, seed=0)
"""Operation that sealed items state instead of the one that made them."""

_SEALED = "sealed"
"""Attribute that is true in the rows of sealed items."""

_WITHHELD = (
    "answer", "refusal", "level", "category", "attributes", "explanation", "group_keys", "written_by", "evidence",
)  # fmt: skip
"""Columns whose values the key file restores."""

_TIED_WORDS = re.compile(
    r"\b(?:above|below|both|neither|all of|none of|options?|choices?|image|picture|photo|first|second|third|fourth|"
    r"fifth)\b|\d|^\W*\w\W*$",
    re.IGNORECASE,
)
"""Pattern of options that refer to other options or positions, are a letter, or contain a number; these keep their
order.
"""


class PublicItem(NamedTuple):
    """A public item and the origin of its options.

    Args:
        item: Public item.
        order: Original key of each option, in the public order.
    """

    item: Item
    order: tuple[str, ...]


def salted(salt: bytes, *parts: Any) -> str:
    """Return the HMAC-SHA-256 of JSON values under the salt, as 64 hexadecimal digits."""
    return hmac.new(salt, canonical_json(list(parts)).encode("utf-8", "surrogatepass"), sha256).hexdigest()


def public_item(item: Item, salt: bytes) -> PublicItem:
    """Return an item without its answer, labels, groups, evidence and history, and with a new id and reordered options.

    Options keep their order if it carries meaning or if anything else depends on it: yes and no, numbers, letters drawn
    in a picture, options that refer to each other. The refusal choice keeps its position. Options that are pictures
    move together with their pictures.
    """
    order = _order(item, salt)
    by_key = {choice.key: choice for choice in item.choices}
    choices = tuple(by_key[old].model_copy(update={"key": key}) for key, old in zip(LETTERS, order, strict=False))
    images = _images(item, order)
    public_id = salted(salt, "item", item.item_id)[:32]
    attributes = {name: value for name, value in item.attributes.items() if name == ESTIMATED_BY}
    public = Item(
        item_id=public_id,
        task=item.task,
        kind=item.kind,
        images=images,
        question=item.question,
        choices=choices,
        answer=None,
        attributes={**attributes, _SEALED: True},
        root_image_id=images[0].image_id,
        operation_id=SEALED_OPERATION.operation_id,
        made_from=public_id,
    )
    return PublicItem(public, order)


def withheld_values(original: Item, public: PublicItem) -> dict[str, Any]:
    """Return the values in the columns `_WITHHELD` that the public item gets when it is unsealed."""
    new_key = dict(zip(public.order, LETTERS, strict=False))
    answered = public.item.model_copy(
        update={
            **{name: getattr(original, name) for name in _WITHHELD},
            "answer": None if original.answer is None else new_key[original.answer],
            "refusal": None if original.refusal is None else new_key[original.refusal],
        }
    )
    row = row_of(answered, "")
    return {name: row[name] for name in _WITHHELD}


def what_tells(item: Item) -> list[str]:
    """Return the names of the fields through which an item of a sealed split reveals more than permitted."""
    expected: dict[str, Any] = {
        "revision": 0,
        "answer": None,
        "refusal": None,
        "level": None,
        "category": None,
        "explanation": None,
        "group_keys": (),
        "written_by": {},
        "evidence": {},
        "operation_id": SEALED_OPERATION.operation_id,
        "root_image_id": item.images[0].image_id,
        "made_from": item.item_id,
    }
    telling = [name for name, value in expected.items() if getattr(item, name) != value]
    if item.attributes.get(_SEALED) is not True or item.attributes.keys() - {_SEALED, ESTIMATED_BY}:
        telling.append("attributes")
    return telling


def _order(item: Item, salt: bytes) -> tuple[str, ...]:
    keys = [choice.key for choice in item.choices]
    if not _may_change_places(item):
        return tuple(keys)
    free = [key for key in keys if key != item.refusal]
    shuffled = iter(sorted(free, key=lambda key: salted(salt, "option", item.item_id, key)))
    return tuple(key if key == item.refusal else next(shuffled) for key in keys)


def _may_change_places(item: Item) -> bool:
    free = [choice for choice in item.choices if choice.key != item.refusal]
    if item.kind == "yes_no" or any(prompt.label for image in item.images for prompt in image.prompts):
        return False
    if any(choice.text is not None for choice in free):
        return all(choice.text is not None and not _TIED_WORDS.search(choice.text) for choice in free)
    return _are_shown_once(item, free)


def _are_shown_once(item: Item, choices: Sequence[Choice]) -> bool:
    """Return whether each picture option has a distinct picture among the item's pictures."""
    shown = [image.image_id for image in item.images]
    return all(shown.count(str(choice.image_id)) == 1 for choice in choices) and len(
        {choice.image_id for choice in choices}
    ) == len(choices)


def _images(item: Item, order: Sequence[str]) -> tuple[ItemImage, ...]:
    """Return the item's pictures with neutral roles, and with those of options in the options' new order."""
    option_of = {choice.key: choice.image_id for choice in item.choices}
    moved = {
        option_of[choice.key]: option_of[old]
        for choice, old in zip(item.choices, order, strict=True)
        if option_of[choice.key] is not None
    }
    by_id = {image.image_id: image for image in item.images}
    images = []
    for image in item.images:
        target = by_id[moved.get(image.image_id) or image.image_id]
        plain = image.role if image.role in {"reference", "view"} else "view"
        role = "choice" if image.image_id in moved else plain
        images.append((image if target.image_id == image.image_id else target).model_copy(update={"role": role}))
    return tuple(images)
