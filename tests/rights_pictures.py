"""Pictures whose files state author, license and place, as cameras and editors write them."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
from PIL import Image, PngImagePlugin

XMP = """<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:cc="http://creativecommons.org/ns#"
  xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
  photoshop:Credit="Photo desk" xmpRights:WebStatement="https://example.org/cup">
<dc:creator><rdf:Seq><rdf:li>Ada X</rdf:li><rdf:li>Bo X</rdf:li></rdf:Seq></dc:creator>
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">(c) Ada X</rdf:li></rdf:Alt></dc:rights>
<cc:license rdf:resource="https://creativecommons.org/licenses/by-sa/4.0/"/>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>"""

SECRETS = (b"Ada", b"Bo X", b"Eve", b"GPSSECRET", b"home address")


def exif(*, orientation: int = 1) -> bytes:
    """Return an EXIF block with an artist, a copyright, a place and an orientation."""
    data = Image.Exif()
    data[274], data[315], data[33432] = orientation, "Eve E", "CC BY 4.0"
    data.get_ifd(0x8825)[29] = "GPSSECRET"
    return data.tobytes()


def iptc(by_line: bytes) -> bytes:
    """Return the APP13 segment of Photoshop with a by-line of IPTC."""
    body = b"\x1c\x02\x50" + struct.pack(">H", len(by_line)) + by_line
    resource = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(body)) + body + b"\0" * (len(body) & 1)
    payload = b"Photoshop 3.0\0" + resource
    return b"\xff\xed" + struct.pack(">H", len(payload) + 2) + payload


def photograph(path: Path, number: int = 0, *, orientation: int = 1, metadata: bool = True) -> Path:
    """Write a picture of 37 x 23 pixels as JPEG, PNG or WebP by its name, with all metadata the format can hold."""
    pixels = np.random.default_rng(number).integers(0, 256, (23, 37, 3), dtype=np.uint8)
    saving: dict[str, object] = {}
    if metadata:
        saving = {"exif": exif(orientation=orientation), "xmp": XMP.encode(), "icc_profile": b"profile" * 20}
        if path.suffix == ".jpg":
            saving |= {"comment": b"home address", "progressive": bool(number % 2)}
        if path.suffix == ".png":
            texts = PngImagePlugin.PngInfo()
            texts.add_text("Comment", "home address")
            texts.add_itxt("XML:com.adobe.xmp", XMP)
            saving |= {"pnginfo": texts}
            del saving["xmp"]
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, {".jpg": "JPEG", ".png": "PNG", ".webp": "WEBP"}[path.suffix], **saving)
    data = out.getvalue()
    if metadata and path.suffix == ".jpg":
        data = data[:2] + iptc(b"Ivy I") + data[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
