"""Items with text only, and the verdicts of item filters on them, for tests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from benchwright.canonical import canonical_json
from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.steps import GatherContext, GatherStep


def sha(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def item(
    name: str,
    question: str = "What is shown?",
    options: Sequence[str] = ("a cat", "a dog", "an owl"),
    answer: str | None = "A",
    *,
    picture: str | None = None,
    pictures: Sequence[str] = (),
    **fields: Any,
) -> Item:
    """Return an item about one picture; with `pictures` the options are pictures."""
    image_id = sha(picture or name)
    shown = [ItemImage(image_id=image_id, role="picture")]
    shown += [ItemImage(image_id=sha(one), role="choice") for one in dict.fromkeys(pictures)]
    choices = [Choice(key=key, text=text) for key, text in zip(LETTERS, options, strict=False)]
    if pictures:
        choices = [Choice(key=key, image_id=sha(one)) for key, one in zip(LETTERS, pictures, strict=False)]
    return Item(
        **{
            "item_id": sha(f"item {name}")[:32], "task": "naming", "kind": "multiple_choice", "images": tuple(shown),
            "question": question, "choices": tuple(choices), "answer": answer, "root_image_id": image_id,
            "operation_id": "0" * 32, "made_from": image_id, "group_keys": (f"image:{image_id}",), **fields,
        }
    )  # fmt: skip


class Said(NamedTuple):
    """What a gather step says of one item."""

    verdict: str
    reason: str | None
    values: dict[str, Any]
    evidence: dict[str, Any]


def gathered(step: GatherStep, items: Sequence[Item], *, seed: int = 5) -> dict[str, Said]:
    """Return what a gather step says, by item id; nothing of items it does not speak of."""
    records = [canonical_json(one.model_dump(mode="json")) for one in items]
    found = step.gather(pa.table({"record": pa.array(records, pa.string())}), GatherContext(seed, step.name))
    said = {}
    for place, row in enumerate(found.rows.tolist()):
        said[items[row].item_id] = Said(
            found.verdicts[place] if found.verdicts is not None else "keep",
            found.reasons[place] if found.reasons is not None else None,
            {name: column[place] for name, column in found.values.items()},
            dict(found.evidence[place]) if found.evidence is not None else {},
        )
    return said
