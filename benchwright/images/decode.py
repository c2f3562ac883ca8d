"""Decoding and encoding of images: the only module that passes a user's file to a decoder.

Every file goes through `benchwright.images.formats` first. Size, completeness and format are therefore known before
Pillow gets a byte, and only the decoder of that format runs. The result is upright RGB with 8 bits
(`benchwright.images.pixels`), from the first of several frames or pages.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageFile,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError, UnreadableImage
from benchwright.images.formats import Container, walk
from benchwright.images.formats.others import package_of, unsupported
from benchwright.images.formats.png import check_rows, is_interlaced
from benchwright.images.formats.walking import Limits, check_frames, check_pixels, sorted_notes
from benchwright.images.made_pictures import JpegCoding
from benchwright.images.pixels import upright_rgb
from benchwright.images.regular_files import read_file
from benchwright.records import ImageRecord

_DECODERS: dict[str, type[ImageFile.ImageFile]] = {
    "AVIF": AvifImagePlugin.AvifImageFile,
    "BMP": BmpImagePlugin.BmpImageFile,
    "GIF": GifImagePlugin.GifImageFile,
    "JPEG": JpegImagePlugin.JpegImageFile,
    "JPEG2000": Jpeg2KImagePlugin.Jpeg2KImageFile,
    "PNG": PngImagePlugin.PngImageFile,
    "TIFF": TiffImagePlugin.TiffImageFile,
    "WEBP": WebPImagePlugin.WebPImageFile,
}
_ORIENTATION_TAG = 274
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_QUIET = threading.RLock()


def decode_rgb(data: bytes | Path, *, limits: Limits | None = None) -> NDArray[np.uint8]:
    """Return the upright pixels of an image, (height, width, 3) RGB, contiguous.

    Besides the result, decoding needs one more copy of 4 bytes per pixel; the WebP and AVIF decoders need more.

    Args:
        data: The file's bytes or path.
        limits: Limits of the file; the defaults of `Limits` where None.

    Raises:
        UnreadableImage: For the reasons in `benchwright.images.identify`, or as `truncated`, `corrupt` or
            `unsupported_mode`.
    """
    with _opened(data, limits or Limits()) as opened:
        return _loaded(opened).rgb()


def decode_luma(data: bytes | Path, *, at_least_px: int, limits: Limits | None = None) -> Image.Image:
    """Return the upright image as gray (mode `L`), reduced if the format allows reduced decoding.

    JPEG is decoded at an eighth, quarter or half of its size, the smallest whose sides are at least `at_least_px`;
    other formats are decoded at full size. The result depends only on the file and `at_least_px`.

    Raises:
        UnreadableImage: As `decode_rgb`.
    """
    with _opened(data, limits or Limits()) as opened:
        return _drafted(opened, at_least_px) if opened.container.format == "JPEG" else _loaded(opened).luma()


class _OpenedImage(NamedTuple):
    """An image that is opened but not yet decoded, with the facts of its container and the bytes for the decoder."""

    image: ImageFile.ImageFile
    container: Container
    data: bytes


class _Loaded(NamedTuple):
    """A decoded image as its decoder returned it, and the rotation that remains to be applied."""

    image: Image.Image
    container: Container
    orientation: int

    @property
    def nbytes(self) -> int:
        """Return the number of bytes that the image's pixels occupy in Pillow."""
        return self.image.width * self.image.height * (1 if self.image.mode == "L" else 4)

    @property
    def is_plain(self) -> bool:
        """Return whether the decoded pixels equal those of `rgb` before rotation: opaque RGB, or gray with 8 bits."""
        return self.image.mode in {"RGB", "L"} and "transparency" not in self.image.info

    def rgb(self) -> NDArray[np.uint8]:
        return upright_rgb(self.image, self.container, orientation=self.orientation)

    def luma(self) -> Image.Image:
        """Return the same result as `luma_of(self.rgb())`, without unnecessary copies."""
        return _turned(self.image.convert("L"), self.orientation) if self.is_plain else luma_of(self.rgb())


def _loaded(opened: _OpenedImage) -> _Loaded:
    image, container, data = opened
    _load(image)
    if container.format == "PNG" and (is_interlaced(data) or _last_row_is_empty(image)):
        with _translated():
            check_rows(data)
    # Pillow rotates a TIFF while loading it.
    return _Loaded(image, container, 1 if container.format == "TIFF" else container.orientation)


def _turned(grey: Image.Image, orientation: int) -> Image.Image:
    turn = _UPRIGHT.get(orientation)
    return grey if turn is None else grey.transpose(turn)


def _load(image: ImageFile.ImageFile) -> None:
    with _translated():
        image.load()


def _last_row_is_empty(image: Image.Image) -> bool:
    return not np.asarray(image.crop((0, image.height - 1, image.width, image.height))).any()


def _drafted(opened: _OpenedImage, at_least_px: int) -> Image.Image:
    """Return a JPEG as upright gray, decoded at the smallest sufficient size."""
    image, container, _ = opened
    image.draft("L", (at_least_px, at_least_px))
    _load(image)
    grey = image.convert("RGB").convert("L") if image.mode == "CMYK" else image.convert("L")
    return _turned(grey, container.orientation)


def upright_size(data: bytes, *, limits: Limits | None = None) -> tuple[int, int]:
    """Return an image's width and height after orientation, in pixels, from its header, without decoding.

    Raises:
        UnreadableImage: For the reasons in `benchwright.images.identify`.
    """
    with _opened(data, limits or Limits()) as opened:
        return opened.container.upright_wh


def jpeg_coding(data: bytes, *, limits: Limits | None = None) -> JpegCoding | None:
    """Return a JPEG file's coding, as applied to the upright picture; None for CMYK. No pixels are decoded.

    Raises:
        UnreadableImage: For the reasons in `benchwright.images.identify`.
    """
    with _opened(data, limits or Limits()) as opened:
        image = opened.image
        assert isinstance(image, JpegImagePlugin.JpegImageFile)
        if image.mode not in {"L", "RGB"} or not image.quantization:
            return None
        tables = tuple(
            tuple(min(divisor, 255) for divisor in image.quantization[number]) for number in sorted(image.quantization)
        )
        coding = JpegCoding(tables, max(JpegImagePlugin.get_sampling(image), 0), image.mode == "L")
        return coding.turned() if opened.container.orientation >= 5 else coding


def luma_of(pixels: NDArray[np.uint8]) -> Image.Image:
    """Return RGB pixels as gray (mode `L`, ITU-R BT.601)."""
    return Image.fromarray(pixels).convert("L")


def decoded_header(data: bytes, *, limits: Limits) -> Container:
    """Return the header facts of an AVIF or HEIC, including orientation and frames, without decoding pixels.

    Raises:
        UnreadableImage: `corrupt`, `too_many_pixels`, `too_many_frames`, `unsupported_format`.
    """
    with _opened(data, limits) as opened:
        return opened.container


@contextmanager
def _quiet() -> Iterator[None]:
    """Make Pillow silent and strict while it processes one image.

    Both settings apply to the whole process, so a lock is held while they are changed and restored.
    """
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lenient, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
        try:
            yield
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = lenient


@contextmanager
def _opened(data: bytes | Path, limits: Limits) -> Iterator[_OpenedImage]:
    """Walk an image's container, then open the image with the one decoder of its format."""
    raw = read_file(data, limits=limits) if isinstance(data, Path) else data
    container = walk(io.BytesIO(raw), size=len(raw), limits=limits)
    if container.keep and container.keep != ((0, len(raw)),):
        view = memoryview(raw)
        raw = b"".join(view[start:stop] for start, stop in container.keep)
    with _quiet():
        with _translated():
            image = _decoder(container.format)(io.BytesIO(raw))
            # Pillow would rotate a TIFF by XMP if EXIF states nothing; viewers and our records do not.
            image.info.pop("xmp", None)
            if container.format in {"AVIF", "HEIC"}:
                container = _container_by_decoder(image, container, limits)
        with image:
            stored = container.width, container.height
            stated = container.upright_wh if container.format == "TIFF" else stored
            if image.size != stated:
                raise UnreadableImage("corrupt", f"the decoder finds {image.size}, the container states {stated}")
            yield _OpenedImage(image, container, raw)


def _decoder(form: str) -> Callable[[io.BytesIO], ImageFile.ImageFile]:
    """Return the one decoder of a format.

    Raises:
        UnreadableImage: `unsupported_format` if the package that decodes it is not installed.
    """
    if form in _DECODERS:
        return _DECODERS[form]
    try:
        decoder: type[ImageFile.ImageFile] = import_module(package_of(form)).HeifImageFile
    except ImportError:
        raise unsupported(form) from None
    return decoder


def _container_by_decoder(image: ImageFile.ImageFile, bound: Container, limits: Limits) -> Container:
    width, height = check_pixels(*image.size, limits=limits)
    frames = check_frames(getattr(image, "n_frames", 1), limits=limits)
    # pi-heif turns a HEIC upright while opening it.
    stated = image.getexif().get(_ORIENTATION_TAG, 1) if bound.format == "AVIF" else 1
    orientation = stated if stated in _UPRIGHT else 1
    notes = sorted_notes(orientation=orientation, animated=frames, alpha=image.mode == "RGBA")
    return replace(bound, width=width, height=height, orientation=orientation, notes=notes)


@contextmanager
def _translated() -> Iterator[None]:
    """Convert any exception from a decoder to an `UnreadableImage` with a stable reason."""
    try:
        yield
    except (UnreadableImage, MemoryError):
        raise
    except Image.DecompressionBombError as error:
        raise UnreadableImage("too_many_pixels", _one_line(error)) from None
    except Exception as error:  # noqa: BLE001 - decoders raise anything, from IndexError to zlib.error
        # For a file that ends too early, Pillow has only this word, no exception type.
        reason = "truncated" if "truncated" in str(error).lower() else "corrupt"
        raise UnreadableImage(reason, _one_line(error)) from None


def _one_line(error: Exception) -> str:
    """Return an exception's text without line breaks and memory addresses, which differ between runs."""
    text = re.sub(r"\s+", " ", re.sub(r" at 0x[0-9a-f]+", "", str(error)))
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return (height, width, 3) RGB pixels as a PNG without metadata.

    Equal pixels give equal bytes under one build of Pillow and its zlib. Other builds may compress differently, so
    compare `pixel_hash` across machines.
    """
    handle = io.BytesIO()
    # On 34 photographs level 3 takes half the time of level 6 for 2 % more bytes.
    Image.fromarray(_checked(pixels)).save(handle, "PNG", optimize=False, compress_level=3)
    return handle.getvalue()


def pixel_hash(pixels: NDArray[np.uint8]) -> str:
    """Return the SHA-256 over shape and pixels, (height, width, 3) RGB, as 64 hexadecimal digits."""
    digest = hashlib.sha256("x".join(map(str, _checked(pixels).shape)).encode() + b"\n")
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.hexdigest()


def _checked(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError(f"pixels must be (height, width, 3) uint8, not {pixels.shape} {pixels.dtype}")
    return pixels


class ImageReader:
    """Reader of records' decoded pixels; it decodes an image only once while the image remains in the cache.

    Not thread-safe: every worker has its own reader.

    Args:
        locate: Function that returns the path of the file of a record.
        limits: Limits of files; the defaults of `Limits` where None.
        cache_bytes: Size of the pixel cache in bytes; the cache holds a larger image alone.
        make_again: Function that restores a record's changed or missing file, or raises a `DataError` with the reason
            why it cannot.

    Attributes:
        decodes: Number of images decoded in full.
    """

    def __init__(
        self,
        locate: Callable[[ImageRecord], Path],
        *,
        limits: Limits | None = None,
        cache_bytes: int = 128 << 20,
        make_again: Callable[[ImageRecord], None] | None = None,
    ) -> None:
        self.decodes = 0
        self._make_again = make_again
        self._locate = locate
        self._limits = limits or Limits()
        self._cache_bytes = cache_bytes
        self._held_bytes = 0
        self._cache: OrderedDict[str, NDArray[np.uint8] | _Loaded] = OrderedDict()

    def drop(self) -> None:
        """Empty the pixel cache."""
        self._cache.clear()
        self._held_bytes = 0

    def file_bytes(self, record: ImageRecord) -> bytes:
        """Return an image's file, checked against its SHA-256.

        Raises:
            UnreadableImage: The file cannot be read, or is `changed`.
        """
        with _named(record):
            try:
                return self._read(record)
            except UnreadableImage as error:
                if self._make_again is None:
                    raise
                try:
                    self._make_again(record)
                except UnreadableImage:
                    raise
                except DataError as reason:
                    raise UnreadableImage(error.reason, f"{error.detail}; {reason}") from error
            return self._read(record)

    def _read(self, record: ImageRecord) -> bytes:
        data = read_file(self._locate(record), limits=self._limits)
        if (sha256 := bytes_digest(data)) != record.image_id:
            advice = "run the recipe again" if record.source is None else "take the folder in again"
            raise UnreadableImage("changed", f"its SHA-256 is now {sha256}, was {record.image_id}; {advice}")
        return data

    def rgb(self, record: ImageRecord) -> NDArray[np.uint8]:
        """Return upright RGB pixels, (height, width, 3), read-only.

        Raises:
            UnreadableImage: The image is refused, as by `file_bytes` and `decode_rgb`.
        """
        cached = self._cached(record)
        if cached is not None and not isinstance(cached, _Loaded):
            return cached
        if cached is not None:
            pixels = cached.rgb()
        else:
            data = self.file_bytes(record)
            with _named(record):
                pixels = decode_rgb(data, limits=self._limits)
                self.decodes += 1
                _check_size(record, (pixels.shape[1], pixels.shape[0]))
        self._keep(record, _read_only(pixels))
        return pixels

    def reduced_rgb(self, record: ImageRecord, *, at_least_px: int) -> NDArray[np.uint8]:
        """Return upright RGB pixels, read-only; a JPEG is reduced as by `decode_luma` and then not cached.

        The result depends only on the record and `at_least_px`, not on earlier reads.

        Raises:
            UnreadableImage: As for `rgb`.
        """
        if record.media_type != "image/jpeg" or min(record.width, record.height) < 2 * at_least_px:
            return self.rgb(record)
        data = self.file_bytes(record)
        with _named(record), _opened(data, self._limits) as opened:
            _check_size(record, opened.container.upright_wh)
            if opened.image.mode != "CMYK":
                opened.image.draft(opened.image.mode, (at_least_px, at_least_px))
            return _read_only(_loaded(opened).rgb())

    def _cached(self, record: ImageRecord) -> NDArray[np.uint8] | _Loaded | None:
        if (cached := self._cache.get(record.image_id)) is not None:
            self._cache.move_to_end(record.image_id)
        return cached

    def _keep(self, record: ImageRecord, decoded: NDArray[np.uint8] | _Loaded) -> None:
        if (before := self._cache.pop(record.image_id, None)) is not None:
            self._held_bytes -= before.nbytes
        self._cache[record.image_id] = decoded
        self._held_bytes += decoded.nbytes
        while len(self._cache) > 1 and self._held_bytes > self._cache_bytes:
            self._held_bytes -= self._cache.popitem(last=False)[1].nbytes

    def luma(self, record: ImageRecord, *, at_least_px: int = 128) -> Image.Image:
        """Return the upright image as gray (mode `L`), as `decode_luma` does.

        Formats without reduced decoding share the decoded pixels of `rgb`, with the same result.

        Raises:
            UnreadableImage: As for `rgb`.
        """
        if (cached := self._cached(record)) is not None and record.media_type != "image/jpeg":
            return _luma_of_kept(cached)
        data = self.file_bytes(record)
        with _named(record), _opened(data, self._limits) as opened:
            _check_size(record, opened.container.upright_wh)
            if opened.container.format == "JPEG":
                return _drafted(opened, at_least_px)
            loaded = _loaded(opened)
            # A copy, because the decoder's image keeps the decoder and its buffers in memory.
            kept = loaded._replace(image=loaded.image.copy()) if loaded.is_plain else _read_only(loaded.rgb())
        self.decodes += 1
        self._keep(record, kept)
        return _luma_of_kept(kept)


def _read_only(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    pixels.flags.writeable = False
    return pixels


def _luma_of_kept(kept: NDArray[np.uint8] | _Loaded) -> Image.Image:
    return kept.luma() if isinstance(kept, _Loaded) else luma_of(kept)


def _check_size(record: ImageRecord, upright_wh: tuple[int, int]) -> None:
    if upright_wh != (record.width, record.height):
        raise UnreadableImage(
            "changed",
            f"{upright_wh[0]} x {upright_wh[1]} pixels, recorded as {record.width} x {record.height}",
        )


@contextmanager
def _named(record: ImageRecord) -> Iterator[None]:
    """Prepend the record's name to the details of errors."""
    try:
        yield
    except UnreadableImage as error:
        name = repr(record.source.uri) if record.source else f"image {record.image_id[:12]}"
        raise UnreadableImage(error.reason, f"{name}: {error.detail}") from None
