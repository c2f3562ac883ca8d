"""The two files for downloading the pictures that a release states by URL: their list and a script."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from importlib.resources import files

from benchwright.records import ImageRecord
from benchwright.release.format.fetch_pictures import LIST
from benchwright.release.format.provenance import address_of

FETCH_LIST = LIST
FETCH_SCRIPT = "fetch_pictures.py"


def fetch_script() -> bytes:
    """Return the script that downloads the pictures of the release next to it; it needs only Python's standard
    library.
    """
    return files("benchwright.release.format").joinpath(FETCH_SCRIPT).read_bytes()


def fetch_list_lines(records: Iterable[ImageRecord]) -> Iterator[bytes]:
    """Yield the lines of the list: a header, then the SHA-256, size in bytes and URL of each picture."""
    yield b"image_id,size_bytes,url\n"
    for record in records:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerow([record.image_id, record.size_bytes, address_of(record) or ""])
        yield text.getvalue().encode("utf-8", "surrogatepass")
