"""Image formats that some or all installations cannot read, recognized by their first bytes or file name."""

from __future__ import annotations

import re
from importlib.util import find_spec

from benchwright.errors import UNSUPPORTED_FORMAT, UnreadableImage

_LEADS: tuple[tuple[str, bytes], ...] = (
    ("JPEG XL", b"\xff\x0a"),
    ("JPEG XL", b"\0\0\0\x0cJXL \r\n\x87\n"),
    ("JPEG XR", b"II\xbc"),
    ("PSD", b"8BPS"),
    ("OpenEXR", b"\x76\x2f\x31\x01"),
    ("ICO", b"\0\0\x01\0"),
    ("DDS", b"DDS "),
    ("QOI", b"qoif"),
    ("EPS", b"%!PS"),
    ("EPS", b"\xc5\xd0\xd3\xc6"),
    ("Radiance HDR", b"#?RADIANCE"),
    ("FITS", b"SIMPLE  ="),
    ("RAF", b"FUJIFILMCCD-RAW"),
)
_PIXMAP = re.compile(rb"P(?:[1-6][ \t\r\n]+(?:#[^\n]*\n\s*)*\d+\s|7\nWIDTH |[Ff]\n)")
_BY_NAME = {".tga": "TGA"}
"""Formats that cannot be recognized by their first bytes."""
_PACKAGES = {"HEIC": "pi_heif"}
_INSTALL = {"HEIC": "install pi-heif (pip install 'benchwright[heic]'), or save it as JPEG"}


def other_format(head: bytes, suffix: str) -> str | None:
    """Return the name of an unsupported format, such as `PSD`; None if the file does not look like an image.

    Args:
        head: First bytes of the file.
        suffix: Extension in lower case, such as `.tga`, for formats without a signature.
    """
    for name, lead in _LEADS:
        if head.startswith(lead):
            return name
    if _PIXMAP.match(head):
        return "portable pixmap"
    if head[128:132] == b"DICM":
        return "DICOM"
    is_text = b"\0" not in head
    return None if is_text else _BY_NAME.get(suffix)


def unsupported(form: str) -> UnreadableImage:
    """Return the error, with advice, for an image that this installation cannot read."""
    advice = _INSTALL.get(form, "save it as PNG or JPEG")
    return UnreadableImage(UNSUPPORTED_FORMAT, f"an image ({form}) that this installation cannot read; {advice}")


def check_installed(form: str) -> None:
    """Check that the package that decodes a format is installed; formats decoded by Pillow always pass.

    Raises:
        UnreadableImage: `unsupported_format`.
    """
    if form in _PACKAGES and find_spec(_PACKAGES[form]) is None:
        raise unsupported(form)


def package_of(form: str) -> str:
    """Return the name of the module that decodes a format that Pillow cannot decode."""
    return _PACKAGES[form]
