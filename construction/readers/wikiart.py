"""WikiArt, refined (Tan et al. 2019, ArtGAN): paintings by style.

    wikiart/<Style_Name>/<artist-slug>_<title-slug>.jpg
    wikiart_csv/style_class.txt        "0 Abstract_Expressionism" .. "26 Ukiyo_e"
    wikiart_csv/style_{train,val}.csv  path, number of the style; no header

709 names are not ASCII. File systems and archivers encode these in several ways, so they are compared in a normalized
form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar, Literal

from benchwright.errors import DataError
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, table_rows

from ..ground_truth.truths import ArtStyle, GroundTruth
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles, records_of_rows

_CLASSES = "wikiart_csv/style_class.txt"


class WikiArt(DatasetReader):
    """Paintings of WikiArt.

    Args:
        parts: Lists to read.
    """

    name: ClassVar[str] = "wikiart"
    title: ClassVar[str] = "WikiArt, refined (ArtGAN release)"
    home: ClassVar[str] = "https://github.com/cs-chan/ArtGAN/tree/master/WikiArt%20Dataset"
    licence: ClassVar[str] = "non-commercial research only"
    pictures_licence: ClassVar[str] = "non-commercial research only; terms of WikiArt.org"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles("wikiart_csv/style_class.txt", "names of the styles", "wikiart_csv.zip of the repository"),
        NeededFiles("wikiart_csv/style_<part>.csv", "paintings with their style", "the same archive"),
        NeededFiles("wikiart/<Style>/<artist>_<title>.jpg", "the paintings", "wikiart.zip of the repository's page"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (ArtStyle,)
    landmarks: ClassVar[tuple[str, ...]] = (_CLASSES,)

    parts: tuple[Literal["train", "val"], ...] = ("train", "val")

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the names of the styles and the lists."""
        del files
        yield _CLASSES
        yield from (f"wikiart_csv/style_{part}.csv" for part in self.parts)

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each painting."""
        styles = _styles(files)
        spellings: dict[str, dict[str, str]] = {}
        for part in self.parts:
            path = f"wikiart_csv/style_{part}.csv"
            rows = table_rows(files, path, columns=("path", "class"))
            yield from records_of_rows(rows, path, partial(self._record, path, styles, pictures, spellings))

    def _record(
        self,
        path: str,
        styles: Mapping[str, str],
        pictures: DatasetFiles,
        spellings: dict[str, dict[str, str]],
        row: Row,
    ) -> DatasetRecord:
        name, number = row.document["path"], row.document["class"]
        folder, _, file = name.partition("/")
        if not folder or not re.fullmatch(r"[^/\0]+\.jpg", file):
            raise BadRow(f"path is {name!r}; expected Style_Name/<artist>_<title>.jpg")
        style = styles.get(number.strip())
        if style is None or style != folder:
            raise BadRow(f"class {number!r} is {style or 'no style'}, but the painting is in {folder!r}")
        shown = DatasetPicture(
            f"wikiart/{_spelled(name, pictures, spellings)}",
            f"wikiart:{unicodedata.normalize('NFC', name)}",
            self.pictures_licence,
            _artist_of(file),
        )
        truth = ArtStyle(style=style.replace("_", " "), artist=_artist_of(file))
        return DatasetRecord(f"wikiart:{name}", path, row.entry, (shown,), (truth,))


def _artist_of(file: str) -> str | None:
    """Return the artist in a file's name, or None if there is none.

    Example:
        >>> artist_of("edgar-degas_landscape-on-the-orne.jpg")
        'edgar degas'
    """
    artist, is_named, _ = file.partition("_")
    return artist.replace("-", " ") if artist and is_named else None


def _styles(files: DatasetFiles) -> dict[str, str]:
    styles: dict[str, str] = {}
    lines = files.read(_CLASSES, max_bytes=1 << 16).decode("utf-8-sig", "replace").splitlines()
    for number, line in enumerate(filter(str.strip, lines), start=1):
        words = line.split()
        if len(words) != 2 or not words[0].isdecimal() or words[0] in styles:
            raise DataError(
                f"{files.shown(_CLASSES)}: line {number} is {line!r}; expected a line such as 12 Impressionism"
            )
        styles[words[0]] = words[1]
    return styles


def _spelled(name: str, pictures: DatasetFiles, spellings: dict[str, dict[str, str]]) -> str:
    """Return a painting's path as spelled on disk or, if the file is missing, as in the list."""
    if name.isascii() or pictures.has(f"wikiart/{name}"):
        return name
    folder, _, file = name.partition("/")
    if folder not in spellings:
        there = [entry for entry in pictures.listing(f"wikiart/{folder}") if not entry.isascii()]
        spellings[folder] = {unicodedata.normalize("NFC", entry): entry for entry in there}
    return f"{folder}/{spellings[folder].get(unicodedata.normalize('NFC', file), file)}"
