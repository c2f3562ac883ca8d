"""A small benchmark built by hand: two tasks of unequal size, made and source pictures, marks, odd texts.

The golden release in `spine/golden` is made from it, so it must not change.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchwright.records import Choice, ImageRecord, Item, ItemImage, Operation, Source, VisualPrompt, item_id_for
from benchwright.release import Release, write_release
from benchwright.release.format.manifest import seal

OPERATION = Operation(step="by_hand", version=2, parameters={"tiles": 3}, seed=17)


def png(width: int, height: int, rgb: tuple[int, int, int]) -> bytes:
    """Return a PNG of one color, stored without compression so that no zlib version shows in its bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(rgb) * width) * height
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows, 0))
        + chunk(b"IEND", b"")
    )


@dataclass
class Bench:
    """Items with splits, and the pictures they show, ready for `write_release`."""

    items: list[tuple[Item, str]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    records: dict[str, ImageRecord] = field(default_factory=dict)

    def picture(self, width: int, height: int, rgb: tuple[int, int, int], **fields: Any) -> ImageRecord:
        data = png(width, height, rgb)
        image_id = hashlib.sha256(data).hexdigest()
        record = ImageRecord(
            image_id=image_id, width=width, height=height, media_type="image/png", size_bytes=len(data),
            **{"root_image_id": image_id, **fields},
        )  # fmt: skip
        self.files[image_id], self.records[image_id] = data, record
        return record

    def source(self, number: int, licence: str | None, *, scale: int = 1) -> ImageRecord:
        uri = f"trip/{number}.png"
        return self.picture(
            5 * scale, 4 * scale, (number, 200, 90), source=Source(uri=uri, dataset="trip", licence=licence)
        )

    def made(self, source: ImageRecord, shade: int) -> ImageRecord:
        rgb = (shade, int(source.image_id[:2], 16), 7)
        return self.picture(
            3, 2, rgb, derived_from=(source.image_id,), root_image_id=source.image_id,
            operation_id=OPERATION.operation_id,
        )  # fmt: skip

    def add(self, source: ImageRecord, split: str, number: int, **fields: Any) -> Item:
        item = Item(
            **{
                "item_id": item_id_for("by_hand", 17, {}, (source.image_id,), number),
                "kind": "multiple_choice",
                "root_image_id": source.image_id,
                "operation_id": OPERATION.operation_id,
                "made_from": source.image_id,
                "group_keys": (f"image:{source.image_id}",),
                **fields,
            }
        )
        self.items.append((item, split))
        return item

    def write(self, folder: Path, **changes: Any) -> Release:
        settings: dict[str, Any] = {
            "name": "tiny",
            "version": "1.0",
            "items": self.items,
            "image": self.records.__getitem__,
            "image_bytes": lambda record: self.files[record.image_id],
            "operations": [OPERATION],
            "recipe": {"name": "tiny", "seed": 17},
            "stages": [
                {
                    "stage": "by_hand",
                    "fingerprint": "ab" * 32,
                    "counts": {
                        "in": 9,
                        "verdicts": {"keep": {"": 7}, "drop": {"blank": 2}},
                        "made": {"items": 8},
                    },
                }
            ],
            "agreement": {"verify": {"simulated": True, "percent": 0.75}},
            "seed": 17,
            "licence": "cc-by-4.0",
            "description": "Made by hand for the tests.",
        }
        return write_release(folder, **{**settings, **changes})


def _puzzle(bench: Bench, number: int, split: str) -> None:
    source = bench.source(number, "CC BY 4.0" if number % 2 else None)
    reference, right, wrong = (bench.made(source, 60 + 30 * shade + number) for shade in range(3))
    bench.add(
        source,
        split,
        number,
        task="jigsaw",
        question="Which tile fits <image 1>: <image 2> or <image 3>?",
        images=tuple(
            ItemImage(image_id=record.image_id, role=role)
            for record, role in ((reference, "reference"), (right, "choice"), (wrong, "choice"))
        ),
        choices=(Choice(key="A", image_id=right.image_id), Choice(key="B", image_id=wrong.image_id)),
        answer="A",
        evidence={"tile": [1, 1], "contrast": 0.1 + number / 3},
        written_by={"question": "template"},
    )


def _ring(bench: Bench, number: int, split: str, scale: int) -> None:
    source = bench.source(number, "CC0", scale=scale)
    point = (1.5 * scale, 2.25 * scale)
    ring = VisualPrompt(kind="ring", image_id=source.image_id, points=(point,), label="REF")
    bench.add(
        source,
        split,
        number,
        task="ring_colour",
        kind="yes_no",
        revision=2,
        question="Is the ring red?\nSay „yes“ – or | no.",
        images=(
            ItemImage(image_id=source.image_id, role="view", prompts=(ring,)),
            ItemImage(image_id=source.image_id, role="view"),
        ),
        choices=(Choice(key="A", text="yes"), Choice(key="B", text="no"), Choice(key="C", text="")),
        answer="B" if number % 2 else None,
        refusal="C",
        level="L2",
        category="colour",
        attributes={"hue": 0.3, "night": False, "place": None, "shots": 3},
        explanation="Ωmega ☂",
    )


def small_bench(*, ring_scale: int = 20) -> Bench:
    """Return five puzzles and three rings, unevenly over `val` and `test`.

    Rings are on pictures of 5 x 4 pixels times `ring_scale`; at 1 there is no room to draw them, as in the golden
    release of version 1.
    """
    made = Bench()
    for number, split in enumerate(("val", "test", "test", "val", "test")):
        _puzzle(made, number, split)
    for number, split in enumerate(("test", "test", "val"), start=10):
        _ring(made, number, split, ring_scale)
    return made


class BenchView:
    """A bench as a workspace (`benchwright.steps.WorkspaceView`), whose image records come with their items only."""

    fingerprint = "f" * 64

    def __init__(self, bench: Bench, value: str | None = "splits.split") -> None:
        self.bench = bench
        self.value = value
        self.near: set[str] = set()

    def items(self) -> Iterator[tuple[Item, dict[str, Any]]]:
        for item, split in self.bench.items:
            self.near = {item.root_image_id, *(image.image_id for image in item.images)}
            yield item, {"jigsaw.contrast": 0.5, **({self.value: split} if self.value else {})}

    def image(self, image_id: str) -> ImageRecord:
        assert image_id in self.near, "asked for too late"
        return self.bench.records[image_id]

    def image_bytes(self, record: ImageRecord) -> bytes:
        return self.bench.files[record.image_id]

    def operations(self) -> list[Operation]:
        return [OPERATION]

    def stages(self) -> list[dict[str, Any]]:
        counts = {"in": 8, "verdicts": {"keep": {"": 8}}, "made": {}}
        return [{"stage": "splits", "step": "splits", "fingerprint": "0" * 64, "counts": counts}]

    def campaigns(self) -> dict[str, Any]:
        return {"verify": {"simulated": True, "rule": "unanimous(2)"}}


def bench_of(n: int, size: int) -> Bench:
    """Return `n` items with one picture each of about `size` bytes."""
    made = Bench()
    for number in range(n):
        source = made.picture(size // 3, 1, (number % 256, number // 256, 1), source=Source(uri=f"{number}.png"))
        made.add(
            source,
            "test",
            number,
            task="ring_colour",
            question="Is it blue?",
            images=(ItemImage(image_id=source.image_id, role="view"),),
            choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")),
            answer="A",
        )
    return made


def reseal(folder: Path, change: Callable[[dict[str, Any]], object] = lambda document: None) -> None:
    """Rewrite the manifest for the files as they are, as the release's author could."""
    document = json.loads((folder / "manifest.json").read_text())
    for name, entry in document["files"].items():
        data = (folder / name).read_bytes()
        entry.update(sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
    change(document)
    data = json.dumps(document).encode()
    (folder / "manifest.json").write_bytes(data)
    (folder / "manifest.sha256").write_bytes(seal(data))
