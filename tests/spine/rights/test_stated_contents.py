"""The statements in picture files about their content: each standard is read, and damaged metadata state nothing."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from PIL import Image, PngImagePlugin

from benchwright.images.formats.walking import Limits
from benchwright.rights import stated_contents

PICTURE = Image.new("RGB", (16, 12), (200, 120, 40))


def _iptc(text: bytes, number: int = 120) -> bytes:
    record = struct.pack(">BBBH", 0x1C, 2, number, len(text)) + text
    body = b"8BIM" + struct.pack(">H", 0x0404) + b"\0\0" + struct.pack(">I", len(record)) + record
    data = b"Photoshop 3.0\0" + body + b"\0" * (len(record) & 1)
    return b"\xff\xed" + struct.pack(">H", len(data) + 2) + data


def _jpeg(path: Path, *, extra: bytes = b"", exif: Image.Exif | None = None, comment: str | None = None) -> Path:
    more = {} if comment is None else {"comment": comment}
    PICTURE.save(path, exif=(exif or Image.Exif()).tobytes() if exif else b"", **more)
    data = path.read_bytes()
    path.write_bytes(data[:2] + extra + data[2:])
    return path


def _read(path: Path, media_type: str = "image/jpeg") -> dict[str, str]:
    return stated_contents(path, media_type, limits=Limits())


def test_exif_iptc_and_comments_of_a_jpeg(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010E] = "A fox"
    exif[0x9C9E] = "fox;snow".encode("utf-16-le")
    exif[0x0131] = "Program 3"
    path = _jpeg(tmp_path / "1.jpg", extra=_iptc("Füchse".encode()), exif=exif, comment="a red fox")
    assert _read(path) == {
        "IPTC caption": "Füchse",
        "EXIF ImageDescription": "A fox",
        "EXIF XPKeywords": "fox;snow",
        "JPEG comment": "a red fox",
    }


@pytest.mark.parametrize("packed", [False, True])
def test_texts_of_a_png(tmp_path: Path, packed: bool) -> None:
    told = PngImagePlugin.PngInfo()
    told.add_text("Title", "a fox", zip=packed)
    told.add_itxt("Description", "лиса", zip=packed)
    told.add_text("Software", "fox 3")
    PICTURE.save(tmp_path / "1.png", pnginfo=told)
    assert _read(tmp_path / "1.png", "image/png") == {"PNG Title": "a fox", "PNG Description": "лиса"}


@pytest.mark.parametrize(
    ("number", "field"), [(15, "category"), (40, "instructions"), (92, "sublocation"), (116, "copyright")]
)
def test_any_text_field_of_iptc_is_read(tmp_path: Path, number: int, field: str) -> None:
    assert _read(_jpeg(tmp_path / "1.jpg", extra=_iptc(b"a fox", number))) == {f"IPTC {field}": "a fox"}
    assert _read(_jpeg(tmp_path / "2.jpg", extra=_iptc(b"20261128", 55))) == {}


def test_any_text_field_of_exif_is_read_but_those_of_programs_and_times(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x013B], exif[0x8298], exif[0x010F] = "key: B", "a fox", "Fox cameras"
    exif[0x0132], exif[0x0131], exif[0x0112] = "2026:11:28 00:00:00", "Fox 3", 1
    assert _read(_jpeg(tmp_path / "1.jpg", exif=exif)) == {
        "EXIF Artist": "key: B",
        "EXIF Copyright": "a fox",
        "EXIF Make": "Fox cameras",
    }


def test_any_property_of_xmp_that_people_write_is_read(tmp_path: Path) -> None:
    packet = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="a fox"'
        ' xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"'
        ' xmp:CreatorTool="Fox 3" xmp:CreateDate="2026" xmp:Label="B" photoshop:Instructions="it is a fox"/></rdf:RDF>'
    )
    PICTURE.save(tmp_path / "1.jpg", xmp=packet.encode())
    assert _read(tmp_path / "1.jpg") == {"XMP Label": "B", "XMP Instructions": "it is a fox"}


def test_comments_of_a_gif_are_read_and_damage_ends_them(tmp_path: Path) -> None:
    path = tmp_path / "1.gif"
    PICTURE.save(path, comment=b"a fox " * 60)
    assert _read(path, "image/gif")["GIF comment"].startswith("a fox a fox")
    path.write_bytes(path.read_bytes()[:200])
    assert _read(path, "image/gif").get("GIF comment", "").count("fox") < 60
    path.write_bytes(b"GIF89a")
    assert _read(path, "image/gif") == {}


def test_damaged_metadata_states_nothing(tmp_path: Path) -> None:
    broken = b"Exif\0\0MM\0*\xff\xff\xff\xff" + b"\x01" * 40
    path = _jpeg(tmp_path / "1.jpg", extra=b"\xff\xe1" + struct.pack(">H", len(broken) + 2) + broken)
    assert _read(path) == {}
    path.write_bytes(path.read_bytes()[:30])
    assert _read(path) == {}
