"""Copies of real pictures, and hard negatives: other pictures that share a background."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFont

Change = Callable[[Image.Image, random.Random], Image.Image]
WORDS = ("when", "you", "finally", "see", "the", "cat", "that", "nobody", "told", "about", "and", "monday", "comes")
PHOTOGRAPHS = (
    "astronaut", "brick", "camera", "chelsea", "coffee", "coins", "colorwheel", "grass", "gravel", "hubble_deep_field",
    "immunohistochemistry", "moon", "page", "rocket", "text",
)  # fmt: skip
LONGEST_PX = 640
NEGATIVE_PX = 320


def _resized(share: float) -> Change:
    def change(image: Image.Image, rng: random.Random) -> Image.Image:
        del rng
        return image.resize((max(16, round(image.width * share)), max(16, round(image.height * share))))

    return change


def _compressed(quality: int) -> Change:
    def change(image: Image.Image, rng: random.Random) -> Image.Image:
        del rng
        handle = io.BytesIO()
        image.save(handle, "JPEG", quality=quality)
        return Image.open(handle).convert("RGB")

    return change


def _cropped(share: float) -> Change:
    """Cut a share of the area away, at a random place and with a random aspect."""

    def change(image: Image.Image, rng: random.Random) -> Image.Image:
        kept = 1 - share
        across = kept ** rng.uniform(0.3, 0.7)
        width, height = max(8, round(image.width * across)), max(8, round(image.height * kept / across))
        left, top = rng.randint(0, image.width - width), rng.randint(0, image.height - height)
        return image.crop((left, top, left + width, top + height))

    return change


def _captioned(image: Image.Image, rng: random.Random) -> Image.Image:
    strip = max(24, round(image.height * rng.uniform(0.1, 0.2)))
    out = Image.new("RGB", (image.width, image.height + strip), rng.choice(("white", "black")))
    on_top = rng.random() < 0.5
    out.paste(image, (0, strip if on_top else 0))
    ink = "black" if out.getpixel((0, 0 if on_top else out.height - 1)) == (255, 255, 255) else "white"
    middle = strip / 2 if on_top else image.height + strip / 2
    font = ImageFont.load_default(size=max(11, strip * 0.45))
    ImageDraw.Draw(out).text((out.width / 2, middle), " ".join(rng.choices(WORDS, k=6)), ink, font, anchor="mm")
    return out


def _watermarked(image: Image.Image, rng: random.Random) -> Image.Image:
    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    font = ImageFont.load_default(size=max(12, image.width / 8))
    ImageDraw.Draw(layer).text(
        (image.width * rng.uniform(0.4, 0.6), image.height * rng.uniform(0.4, 0.6)), "SAMPLE.COM", (255, 255, 255, 140),
        font, anchor="mm", stroke_width=2, stroke_fill=(0, 0, 0, 140),
    )  # fmt: skip
    return Image.alpha_composite(image.convert("RGBA"), layer.rotate(rng.uniform(-30, 30))).convert("RGB")


def _colored(image: Image.Image, rng: random.Random) -> Image.Image:
    image = ImageEnhance.Color(image).enhance(rng.uniform(0.2, 1.8))
    image = ImageEnhance.Brightness(image).enhance(rng.uniform(0.75, 1.25))
    return ImageEnhance.Contrast(image).enhance(rng.uniform(0.75, 1.3))


def _rotated(degrees: float) -> Change:
    def change(image: Image.Image, rng: random.Random) -> Image.Image:
        turn = degrees if degrees >= 90 else rng.choice((-degrees, degrees))
        return image.rotate(turn, expand=True, resample=Image.Resampling.BICUBIC, fillcolor="white")

    return change


def _mirrored(image: Image.Image, rng: random.Random) -> Image.Image:
    del rng
    return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


CHANGES: dict[str, Change] = {
    "resize 50 %": _resized(0.5),
    "resize 25 %": _resized(0.25),
    "JPEG 90": _compressed(90),
    "JPEG 50": _compressed(50),
    "JPEG 20": _compressed(20),
    "crop 5 %": _cropped(0.05),
    "crop 15 %": _cropped(0.15),
    "crop 30 %": _cropped(0.30),
    "caption strip": _captioned,
    "watermark": _watermarked,
    "mirror": _mirrored,
    "color": _colored,
    "rotate 3": _rotated(3),
    "rotate 10": _rotated(10),
    "rotate 90": _rotated(90),
}


def real_pictures(folders: list[Path]) -> Iterator[tuple[str, Image.Image]]:
    """Yield pictures of different bytes, at most `LONGEST_PX` long: those of the folders, then wheels' photographs."""
    seen: set[str] = set()
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix.lower() not in {".jpg", ".jpeg", ".png", ".webp"}:
            continue
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        if content not in seen:
            seen.add(content)
            with Image.open(path) as image:
                yield path.stem, _bounded(image.convert("RGB"))
    from skimage import data
    from sklearn.datasets import load_sample_images

    for name in PHOTOGRAPHS:
        try:
            pixels = getattr(data, name)()
        except (AttributeError, ImportError, OSError):  # not in this wheel, and nothing is fetched
            continue
        yield name, _bounded(Image.fromarray(np.ascontiguousarray(pixels)).convert("RGB"))
    for number, pixels in enumerate(load_sample_images().images):
        yield f"sample-{number}", _bounded(Image.fromarray(pixels))


def _bounded(image: Image.Image) -> Image.Image:
    image.thumbnail((LONGEST_PX, LONGEST_PX))
    return image


def hard_negative(pictures: list[Image.Image], rng: random.Random) -> Image.Image:
    """Return a new picture: a window of one picture as background, half of it covered by pieces of others.

    Many negatives share a background with each other and with an original, and none is a copy of another.
    """
    back = rng.choice(pictures)
    width, height = round(back.width * rng.uniform(0.6, 1.0)), round(back.height * rng.uniform(0.6, 1.0))
    left, top = rng.randint(0, back.width - width), rng.randint(0, back.height - height)
    made = back.crop((left, top, left + width, top + height))
    made.thumbnail((NEGATIVE_PX, NEGATIVE_PX))
    covered = Image.new("1", made.size)
    while np.asarray(covered).mean() < 0.45:
        front = rng.choice(pictures)
        piece_wh = (
            max(8, round(made.width * rng.uniform(0.3, 0.6))),
            max(8, round(made.height * rng.uniform(0.3, 0.6))),
        )
        x, y = rng.randint(0, made.width - piece_wh[0]), rng.randint(0, made.height - piece_wh[1])
        side = rng.uniform(0.3, 0.7)
        cut_wh = max(8, round(front.width * side)), max(8, round(front.height * side))
        fx, fy = rng.randint(0, front.width - cut_wh[0]), rng.randint(0, front.height - cut_wh[1])
        made.paste(front.crop((fx, fy, fx + cut_wh[0], fy + cut_wh[1])).resize(piece_wh), (x, y))
        covered.paste(1, (x, y, x + piece_wh[0], y + piece_wh[1]))
    return made
