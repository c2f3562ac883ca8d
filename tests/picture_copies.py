"""Photographs, honest copies of them, and other views of their scenes, for the tests of near-duplicates."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFont

Copy = Callable[[Image.Image], Image.Image]


@cache
def photograph(name: str) -> Image.Image:
    """Return a photograph of scikit-image's, by its function's name."""
    from skimage import data

    return Image.fromarray(np.ascontiguousarray(getattr(data, name)())).convert("RGB")


def compressed(image: Image.Image, quality: int) -> Image.Image:
    handle = io.BytesIO()
    image.save(handle, "JPEG", quality=quality)
    return Image.open(handle).convert("RGB")


def cropped(image: Image.Image, share: float) -> Image.Image:
    """Return a corner without this share of the area."""
    side = (1 - share) ** 0.5
    return image.crop((0, 0, round(image.width * side), round(image.height * side)))


def captioned(image: Image.Image, words: str = "WHEN MONDAY COMES") -> Image.Image:
    strip = image.height // 6
    out = Image.new("RGB", (image.width, image.height + strip), "white")
    out.paste(image, (0, strip))
    font = ImageFont.load_default(size=strip * 0.6)
    ImageDraw.Draw(out).text((image.width / 2, strip / 2), words, fill="black", font=font, anchor="mm")
    return out


def marked(image: Image.Image) -> Image.Image:
    out = image.copy()
    font = ImageFont.load_default(size=image.width / 12)
    ImageDraw.Draw(out).text((image.width / 2, image.height / 2), "SAMPLE", fill="#dddddd", font=font, anchor="mm")
    return out


def parallax(photo: Image.Image) -> Image.Image:
    """Return a photograph from another place: three patches of it nearer, and so shifted further."""
    pixels = np.asarray(photo)
    down, across = np.mgrid[: pixels.shape[0], : pixels.shape[1]]
    shift = 6 + 8 * down / pixels.shape[0]
    for x, y, reach, near in ((130, 160, 90, 30), (360, 130, 80, 22), (300, 380, 100, 38)):
        shift = shift + near / (1 + np.exp(np.clip((np.hypot(across - x, down - y) - reach) / 6, -50, 50)))
    source = np.clip(across + shift, 0, pixels.shape[1] - 1).astype(int)
    return Image.fromarray(np.ascontiguousarray(pixels[down, source]))


COPIES: dict[str, Copy] = {
    "small": lambda image: image.resize((image.width // 2, image.height // 2)),
    "stretched": lambda image: image.resize((image.width * 5 // 6, image.height)),
    "compressed": lambda image: compressed(image, 20),
    "cropped": lambda image: cropped(image, 0.3),
    "captioned": captioned,
    "watermarked": marked,
    "brighter": lambda image: ImageEnhance.Brightness(image).enhance(1.25),
    "grey": lambda image: image.convert("L").convert("RGB"),
    "leaning": lambda image: image.rotate(5, expand=True, resample=Image.Resampling.BICUBIC, fillcolor="white"),
    "turned": lambda image: image.transpose(Image.Transpose.ROTATE_90),
}
