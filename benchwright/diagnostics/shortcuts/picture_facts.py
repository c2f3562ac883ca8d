"""Facts about a picture that do not describe its content: its file, its light and its sharpness."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.images import decode_rgb
from benchwright.images.formats import walk
from benchwright.images.formats.walking import Limits
from benchwright.images.made_pictures import is_lossless_webp

from ..pictures.compression import chroma_coding, jpeg_quality
from ..pictures.measures import colorfulness

_SMALL_PX = 192
"""Longer side, in pixels, to which a picture is shrunk before its light is measured."""
_BLACK, _WHITE = 5, 250
_LOSSLESS_WEBP = "WEBP without loss"
_FORMATS = ("AVIF", "BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP", _LOSSLESS_WEBP)
_COMPARABLE = tuple(float(_FORMATS.index(name)) for name in ("JPEG", "PNG", _LOSSLESS_WEBP))
"""Formats whose compressed size grows with visible detail if all files are encoded in the same way."""
_OF_JPEG = ("jpeg_quality", "jpeg_chroma", "jpeg_progressive")


class PictureTraits(NamedTuple):
    """Facts about one picture.

    Args:
        width: Width in pixels, upright.
        height: Height in pixels, upright.
        file: Measures of the file by name: bytes, bytes per pixel, bytes that hold no pixels (None for formats for
            which that is unknown), format, and for a JPEG the quality of its tables, color samples per pixel (0-1) and
            whether it is progressive (0 or 1; None for other formats).
        pixels: Measures of the pixels by name; empty unless requested.
    """

    width: int
    height: int
    file: Mapping[str, float | None]
    pixels: Mapping[str, float | None]

    @property
    def encoding(self) -> tuple[float | None, ...] | None:
        """Return the properties that must agree before file sizes of pictures of one size can be compared.

        None for formats other than JPEG, PNG and lossless WebP.
        """
        if self.file["format"] not in _COMPARABLE:
            return None
        return tuple(self.file[name] for name in ("format", *_OF_JPEG))


def facts_of_picture(data: bytes, *, with_pixels: bool, pixels: NDArray[np.uint8] | None = None) -> PictureTraits:
    """Return the facts about a picture.

    Args:
        data: Bytes of the file.
        with_pixels: Whether to decode the picture and measure its pixels; if not, only headers are read.
        pixels: Upright pixels of the picture, if already decoded; shape (height, width, 3), RGB.

    Raises:
        UnreadableImage: The file is not a decodable image.
    """
    container = walk(io.BytesIO(data), size=len(data), limits=Limits())
    width, height = container.upright_wh
    keep = container.keep
    file: dict[str, float | None] = {
        "bytes": float(len(data)),
        "bytes_per_pixel": len(data) / (width * height),
        "metadata_bytes": float(len(data) - sum(stop - start for start, stop in keep)) if keep else None,
        "width": float(width),
        "height": float(height),
        "aspect": width / height,
        "format": float(_FORMATS.index(_LOSSLESS_WEBP if is_lossless_webp(data) else container.format)),
        **(_encoding_of_jpeg(data) if container.format == "JPEG" else dict.fromkeys(_OF_JPEG)),
    }
    if not with_pixels:
        return PictureTraits(width, height, file, {})
    return PictureTraits(width, height, file, _pixel_measures(decode_rgb(data) if pixels is None else pixels))


def with_detail(pictures: Sequence[PictureTraits]) -> list[PictureTraits]:
    """Return facts of pictures to compare, with file size among the pixel measures if it measures detail.

    For lossless files with the same size and encoding, or JPEGs with the same quality and sampling, the compressed size
    grows with visible detail; bytes that contain no pixels remain a measure of the file. Other facts are returned
    unchanged.
    """
    if len({(each.encoding, each.width, each.height) for each in pictures}) > 1 or pictures[0].encoding is None:
        return list(pictures)
    return [_detailed(each, each) for each in pictures]


def with_detail_beside(options: Sequence[PictureTraits], reference: PictureTraits) -> list[PictureTraits]:
    """Return facts of options, then of their reference, with file size among the pixel measures if it shows detail.

    If all options have the same size and encoding, which of them is closer to the reference in bytes depends on their
    detail and on one number that they share. A reference with that encoding may therefore have another size, as a
    picture and its pieces do: its detail is the number of bytes for as many of its pixels as an option has. Other facts
    are returned unchanged.
    """
    detailed = with_detail(options)
    if "detail_bytes" not in detailed[0].pixels or reference.encoding != options[0].encoding:
        return [*options, reference]
    return [*detailed, _detailed(reference, options[0])]


def _detailed(picture: PictureTraits, shown_as_large_as: PictureTraits) -> PictureTraits:
    """Return the traits with `detail` set to the bytes of the pixels, scaled to the other picture's pixel count."""
    file = {name: value for name, value in picture.file.items() if name not in ("bytes", "bytes_per_pixel")}
    share = shown_as_large_as.width * shown_as_large_as.height / (picture.width * picture.height)
    detail = share * ((picture.file["bytes"] or 0.0) - (picture.file["metadata_bytes"] or 0.0))
    return picture._replace(file=file, pixels={**picture.pixels, "detail_bytes": detail})


def _encoding_of_jpeg(data: bytes) -> dict[str, float | None]:
    """Return the encoding of a JPEG, by the names of `_OF_JPEG`."""
    chroma = chroma_coding(data)
    samples, is_progressive = (None, None) if chroma is None else (chroma.samples, float(chroma.is_progressive))
    return dict(zip(_OF_JPEG, (jpeg_quality(data), samples, is_progressive), strict=True))


def _pixel_measures(pixels: NDArray[np.uint8]) -> dict[str, float | None]:
    """Return brightness, contrast (both of gray levels 0-1), saturation (0-1), colorfulness (Hasler and Süsstrunk),
    sharpness (variance of the Laplacian over that of gray levels), and the share of black and white pixels.
    """
    import cv2

    height, width = pixels.shape[:2]
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    scale = min(1.0, _SMALL_PX / max(width, height))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    mean, deviation = (float(np.ravel(value)[0]) for value in cv2.meanStdDev(grey))
    _, change = cv2.meanStdDev(cv2.Laplacian(grey, cv2.CV_16S))
    counts = np.ravel(cv2.calcHist([grey], [0], None, [256], [0, 256]))
    most, least = small.max(axis=2).astype(np.float32), small.min(axis=2).astype(np.float32)
    return {
        "brightness": mean / 255,
        "contrast": deviation / 255,
        "saturation": float(np.mean((most - least) / np.maximum(most, 1))),
        "colorfulness": colorfulness(small),
        "sharpness": float(np.ravel(change)[0]) / (deviation + 1),
        "clipped": float(counts[: _BLACK + 1].sum() + counts[_WHITE:].sum()) / grey.size,
    }
