"""A release of everything that breaks formats: odd option texts, many options and pictures, odd pixels, marks."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from small_bench import Bench

from benchwright.drawing import mask_of
from benchwright.records import Choice, ImageRecord, ItemImage, PromptStyle, Source, VisualPrompt
from benchwright.release import Release

TEXTS = (
    ("Which word stands on the sign?", ("None", "NA", "null", "nan", "N/A", "1", "1.0", "007", "", "TRUE")),
    ('She said: "left, right;\tand\\back"\nand no more, \'did\' she?', ("a, b", 'say "x"', "tab\there", "two\nlines", "c\r\nd")),
    ("ما لون الحلقة على اليمين؟", ("أحمر", "שלום", "赤い", "👩🏽‍🚀 emoji", "e\u0301 \u00a0 \u200f")),
    ("Line\u2028separator and \u0085 and {braces} and $x^2$ and <b>bold</b> & [a]", ("[1, 2]", "['x']", "{question}", "=SUM(A1)", "#,|")),
    ("Which of twenty?", tuple(f"option number {number}" for number in range(20))),
)  # fmt: skip


class NastyBench(Bench):
    """A bench of pictures in files of any kind."""

    def file(self, data: bytes, media_type: str, size_wh: tuple[int, int], **source: Any) -> ImageRecord:
        """Add a source picture by its file."""
        image_id = hashlib.sha256(data).hexdigest()
        record = ImageRecord(
            image_id=image_id, width=size_wh[0], height=size_wh[1], media_type=media_type, size_bytes=len(data),
            root_image_id=image_id, source=Source(**{"uri": f"{image_id[:8]}.png", **source}),
        )  # fmt: skip
        self.files[image_id], self.records[image_id] = data, record
        return record

    def image(self, pixels: np.ndarray, kind: str = "PNG", **settings: Any) -> ImageRecord:
        """Add a picture with the pixels, saved by Pillow."""
        source = settings.pop("source", {})
        picture, handle = Image.fromarray(pixels), io.BytesIO()
        picture.save(handle, kind, **settings)
        turned = "exif" in settings
        size = picture.size[::-1] if turned else picture.size
        return self.file(handle.getvalue(), f"image/{kind.lower()}", size, **source)


def _texture(width: int, height: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (max(2, height // 8), max(2, width // 8), 3), np.uint8)
    return np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC))


def _turned() -> Image.Exif:
    exif = Image.Exif()
    exif[274] = 6
    return exif


def _odd_pictures(bench: NastyBench) -> list[ImageRecord]:
    """Return gray, alpha, 16 bits, palette, a turned JPEG, one with a comment, a WebP."""
    rgb = _texture(96, 72, 5)
    grey = rgb[..., 0]
    alpha = np.dstack([rgb, grey])
    deep = grey.astype(np.uint16) * 257
    by = {"dataset": "trip", "licence": "CC BY 4.0", "author": 'Ann "Å" Lee, and others\nof =1+1'}
    handle = io.BytesIO()
    Image.fromarray(rgb).quantize(16).save(handle, "PNG")
    return [
        bench.image(grey, source=by),
        bench.image(alpha, source=by),
        bench.image(deep),
        bench.file(handle.getvalue(), "image/png", (96, 72)),
        bench.image(rgb, "JPEG", quality=80, exif=_turned(), source=by),
        bench.image(rgb, "JPEG", quality=90, comment=b"a camera's place"),
        bench.image(grey, "JPEG", quality=90),
        bench.image(rgb, "WEBP", lossless=True),
    ]


def nasty_bench() -> NastyBench:
    """Return the items, over two splits of unequal size."""
    bench = NastyBench()
    odd = _odd_pictures(bench)
    for number, (question, texts) in enumerate(TEXTS):
        choices = tuple(Choice(key=chr(65 + place), text=text) for place, text in enumerate(texts))
        bench.add(
            odd[0], "test", number, task="texts", question=question, choices=choices,
            images=(ItemImage(image_id=odd[number % 2].image_id, role="view"),), answer=chr(65 + number % len(texts)),
            level="L1", category="c, d", attributes={"n": number, "share": 0.25, "night": None},
        )  # fmt: skip
    eight = tuple(ItemImage(image_id=record.image_id, role="view") for record in odd)
    yes_no = (Choice(key="A", text="yes"), Choice(key="B", text="no"))
    bench.add(odd[0], "test", 20, task="many_pictures", question="Do <image 8>, <image 1> and <image 8> fit?",
              images=eight, choices=yes_no, answer="B")  # fmt: skip
    options = tuple(Choice(key=key, image_id=record.image_id) for key, record in zip("ABC", odd[5:8], strict=True))
    bench.add(
        odd[2], "val", 21, task="picture_options", question="Which is the pair of the first?", choices=options, answer="C",
        images=tuple(ItemImage(image_id=record.image_id, role="choice") for record in (odd[2], *odd[5:8])),
    )  # fmt: skip
    bench.add(odd[3], "val", 22, task="no_answer", question="Who took it?", choices=(*yes_no, Choice(key="C", text="?")),
              images=(ItemImage(image_id=odd[3].image_id, role="view"),), answer=None, refusal="C")  # fmt: skip
    bench.add(odd[3], "val", 23, task="no_answer", question="What is it?", choices=yes_no, kind="yes_no",
              images=(ItemImage(image_id=odd[3].image_id, role="view"),), answer=None)  # fmt: skip
    _add_marked(bench, odd)
    _add_all_kinds(bench, odd[6])
    return bench


def _add_marked(bench: NastyBench, odd: list[ImageRecord]) -> None:
    style = PromptStyle(reference_height_px=256)
    for number, record in enumerate((odd[1], odd[4], odd[5])):
        marks = (
            VisualPrompt(kind="ring", image_id=record.image_id, points=((30.5, 28.0),), label="REF", style=style),
            VisualPrompt(kind="box", image_id=record.image_id, points=((8.0, 40.25), (60.5, 66.0)), style=style),
        )
        bench.add(
            record, "test", 30 + number, task="marked", question="What does the ring mark in <image 1>?",
            images=(ItemImage(image_id=record.image_id, role="view", prompts=marks),), answer="A",
            choices=(Choice(key="A", text="sea"), Choice(key="B", text="land")),
        )  # fmt: skip


def _add_all_kinds(bench: NastyBench, record: ImageRecord) -> None:
    """Add an item with marks of other kinds, including a mask on a coarser grid, and with a justifying region."""
    style = PromptStyle(reference_height_px=256)
    grid = np.zeros((4, 6), bool)
    grid[1:3, 2:5] = True
    settings: dict[str, Any] = {"image_id": record.image_id, "style": style}
    marks = (
        VisualPrompt(kind="polygon", points=((10.0, 8.0), (40.0, 12.5), (22.0, 44.0)), label="a", **settings),
        VisualPrompt(kind="mask", points=((48.0, 10.0), (84.0, 34.0)), mask=mask_of(grid), label="b", **settings),
        VisualPrompt(kind="arrow", points=((12.0, 60.0), (50.0, 52.0)), **settings),
        VisualPrompt(kind="box", points=((88.0, 66.0), (60.0, 44.0)), **settings),
    )
    region = {"shape": "box", "points": [[3.0, 4.0], [30.0, 50.0]], "label": "why"}
    stated = {"image": 1, "size_wh": [record.width, record.height], "regions": [region], "annotators": 2}
    bench.add(
        record, "test", 40, task="marked", question="What lies in the outline?", answer="B",
        images=(ItemImage(image_id=record.image_id, role="view", prompts=marks),),
        choices=(Choice(key="A", text="sea"), Choice(key="B", text="land")), evidence={"answer_regions": {"reasons": stated}},
    )  # fmt: skip


def nasty_release(folder: Path) -> Release:
    """Write the release."""
    return nasty_bench().write(folder, name="nasty", version="1.0", licence="cc-by-4.0")
