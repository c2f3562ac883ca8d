"""The table `image_sources.csv`: the source and the license of each source image of a release, from its provenance."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from benchwright.files.csv_cells import harmless
from benchwright.records import ImageRecord

IMAGE_SOURCES = "image_sources.csv"
COLUMNS = ("author", "licence", "url", "dataset", "date", "attribution")


def image_source_lines(records: Iterable[ImageRecord]) -> Iterator[bytes]:
    """Yield the lines of the table: a header and one line per image with a source, in record order."""
    yield _line(["image_id", "file", *COLUMNS])
    for record in records:
        if record.source is not None:
            stated = (getattr(record.source, name) or "" for name in COLUMNS)
            yield _line([record.image_id, record.source.uri, *stated])


def _line(cells: list[str]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow([harmless(cell) for cell in cells])
    return text.getvalue().encode("utf-8", "surrogatepass")
