"""The author and license that a picture file itself states: XMP, then EXIF, then IPTC.

XMP is untrusted XML: a document type, and with it every entity, is refused, and sizes are limited. Unreadable metadata
is treated as not stated; it is not a reason to refuse intact pixels.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from benchwright.errors import UnreadableImage
from benchwright.images.formats.ifd import TiffBlock
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import open_regular

from .licences import licence_id
from .metadata_blocks import MetadataBlock, metadata_blocks

_FIELDS = ("author", "licence", "url", "attribution")
_MOST_BYTES = 1 << 20
_MOST_CHARACTERS = 2_000
_MOST_DEPTH = 64
_ARTIST, _COPYRIGHT = 315, 33432
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
_WANTED = {
    "http://purl.org/dc/elements/1.1/ creator": "creator",
    "http://purl.org/dc/elements/1.1/ rights": "rights",
    "http://creativecommons.org/ns# license": "license",
    "http://web.resource.org/cc/ license": "license",
    "http://ns.adobe.com/xap/1.0/rights/ WebStatement": "statement",
    "http://ns.adobe.com/photoshop/1.0/ Credit": "credit",
}


def embedded_sources(path: Path, media_type: str, *, limits: Limits) -> dict[str, dict[str, str]]:
    """Return the source that a file states, keyed by standard (`XMP`, `EXIF`, `IPTC`, in order of precedence).

    Each standard that states anything fills some of the fields `author`, `licence`, `url` and `attribution`. A
    copyright notice is a license only if it names a known one; otherwise, it is an attribution.

    Args:
        path: Path of the file.
        media_type: Media type of the file; the function reads JPEG, PNG and WebP.
        limits: Limits of the file.
    """
    stated: dict[str, dict[str, str]] = {}
    try:
        with open_regular(path, limits=limits) as (handle, _):
            blocks = metadata_blocks(handle, media_type, to_end=False)
            for kind, read in (("xmp", _from_xmp), ("exif", _from_exif), ("iptc", _from_iptc)):
                block = next((block for block in blocks if block.kind == kind), None)
                if block is not None and (fields := _sorted(read(handle, block))):
                    stated[kind.upper()] = fields
    except UnreadableImage:
        return stated
    return stated


def _sorted(fields: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name in _FIELDS if (text := fields.get(name))}


def _clean(text: str) -> str:
    """Return a text on one line, without control characters, shortened."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_MOST_CHARACTERS]


def payload_of(handle: BinaryIO, block: MetadataBlock) -> bytes:
    """Return the content of a block of metadata, up to 1 MiB."""
    handle.seek(block.payload)
    return handle.read(min(block.payload_stop - block.payload, _MOST_BYTES))


def _notice(text: str | None) -> dict[str, str | None]:
    """Return the field of a source that a copyright notice fills."""
    if not text:
        return {}
    known = licence_id(text)
    return {"attribution": text} if known is None else {"licence": known, "attribution": text}


class _XmpProperties:
    """Collector of the requested properties of an XMP packet, given as elements, attributes or resources."""

    def __init__(self, wanted: Callable[[str], str | None]) -> None:
        self.texts: dict[str, list[str]] = {}
        self._wanted = wanted
        self._path: list[str] = []
        self._text: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if len(self._path) >= _MOST_DEPTH:
            raise ValueError("XMP is nested too deeply")
        self._path.append(name)
        self._text = []
        for attribute, value in attributes.items():
            wanted = self._wanted(name if attribute == f"{_RDF}resource" else attribute)
            if wanted is not None:
                self._add(wanted, value)

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, name: str) -> None:
        holders = (self._wanted(part) for part in (name, *reversed(self._path)))
        if (holder := next((wanted for wanted in holders if wanted is not None), None)) is not None:
            self._add(holder, "".join(self._text))
        self._path.pop()
        self._text = []

    def _add(self, name: str, text: str) -> None:
        if (cleaned := _clean(text)) and len(self.texts.setdefault(name, [])) < 100:
            self.texts[name].append(cleaned)


def _refuse_document_type(*_: object) -> None:
    raise ValueError("XMP with a document type is refused")


def xmp_texts(handle: BinaryIO, block: MetadataBlock, wanted: Callable[[str], str | None]) -> dict[str, list[str]]:
    """Return the texts of an XMP packet's properties, by the names used in this module; empty if the packet is damaged.

    Args:
        handle: The file.
        block: The packet.
        wanted: Function from a property's namespace and name, separated by a space, to the name used here; None for
            others.
    """
    properties = _XmpProperties(wanted)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.EntityDeclHandler = _refuse_document_type
    parser.StartElementHandler = properties.start
    parser.CharacterDataHandler = properties.data
    parser.EndElementHandler = properties.end
    try:
        parser.Parse(payload_of(handle, block).strip(b"\0"), True)
    except (expat.ExpatError, ValueError, LookupError):
        return {}
    return properties.texts


def _from_xmp(handle: BinaryIO, block: MetadataBlock) -> dict[str, str | None]:
    texts = xmp_texts(handle, block, _WANTED.get)
    first = {name: values[0] for name, values in texts.items()}
    fields = _notice(first.get("rights"))
    statement = first.get("statement")
    for address in (statement, first.get("license")):
        if address and (known := licence_id(address)):
            fields["licence"] = known
    if "license" in first and licence_id(first["license"]) is None:
        fields["licence"] = first["license"]
    if statement and licence_id(statement) is None:
        fields["url"] = statement
    fields["author"] = ", ".join(texts.get("creator", [])) or None
    fields["attribution"] = first.get("credit") or fields.get("attribution")
    return fields


def _from_exif(handle: BinaryIO, block: MetadataBlock) -> dict[str, str | None]:
    data = TiffBlock(handle, start=block.payload, size=block.payload_stop - block.payload)
    texts: dict[int, str] = {}
    for tag, field in data.fields(data.first).items():
        if tag in {_ARTIST, _COPYRIGHT} and field.kind in {2, 129}:
            handle.seek(block.payload + field.at)
            size = min(field.values, _MOST_CHARACTERS, max(block.payload_stop - block.payload - field.at, 0))
            # A copyright field holds the photographer's notice, and after a zero byte the editor's.
            texts[tag] = decoded(handle.read(size).split(b"\0", 1)[0])
    return {**_notice(texts.get(_COPYRIGHT)), "author": texts.get(_ARTIST)}


def decoded(text: bytes) -> str:
    """Return a text that should be ASCII, but that some cameras write as UTF-8 or Latin-1."""
    try:
        return _clean(text.decode())
    except UnicodeDecodeError:
        return _clean(text.decode("latin-1"))


def iptc_texts(handle: BinaryIO, block: MetadataBlock) -> dict[int, list[str]]:
    """Return the texts of an IPTC block by the number of their record 2:xx."""
    texts: dict[int, list[str]] = {}
    for number, text in _iptc_records(payload_of(handle, block)):
        texts.setdefault(number, []).append(decoded(text))
    return texts


def _from_iptc(handle: BinaryIO, block: MetadataBlock) -> dict[str, str | None]:
    texts = iptc_texts(handle, block)
    fields = _notice(next(iter(texts.get(116, [])), None))
    fields["author"] = ", ".join(texts.get(80, [])) or None
    fields["attribution"] = next(iter(texts.get(110, [])), None) or fields.get("attribution")
    return fields


def _iptc_records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number and text of the records 2:xx of IPTC-IIM in Photoshop's resource 0x0404."""
    at = 0
    while data[at : at + 4] == b"8BIM" and at + 12 <= len(data):
        resource = struct.unpack_from(">H", data, at + 4)[0]
        at += 6 + (data[at + 6] + 2) // 2 * 2
        if at + 4 > len(data):
            return
        size = struct.unpack_from(">I", data, at)[0]
        body = data[at + 4 : at + 4 + size]
        if resource == 0x0404:
            yield from _records_of(body)
            return
        at += 4 + size + (size & 1)


def _records_of(body: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 5 <= len(body) and body[at] == 0x1C:
        record, number, length = struct.unpack_from(">BBH", body, at + 1)
        if length & 0x8000:  # extended records hold no texts
            return
        if record == 2:
            yield number, body[at + 5 : at + 5 + length]
        at += 5 + length
