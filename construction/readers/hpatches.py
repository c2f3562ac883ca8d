"""HPatches, full image sequences (Balntas et al. 2017): six pictures of a plane and their homographies.

    hpatches-sequences-release/{i_*,v_*}/1.ppm .. 6.ppm    i_: the light changes; v_: the viewpoint
    hpatches-sequences-release/{i_*,v_*}/H_1_2 .. H_1_6    three lines of three numbers

`H_1_k` maps pixels of picture 1 to picture k; coordinates start at the center of the first pixel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import ClassVar, Literal

from benchwright.errors import DataError
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, guarded

from ..ground_truth.truths import IDENTITY, GroundTruth, Homographies, Matrix3, at_pixel_centres, is_invertible
from ..ground_truth.truths import PICTURES as NUMBERS
from .reader import DatasetPicture, DatasetReader, DatasetRecord, NeededFiles

PICTURES = 6
_LARGE = frozenset(
    {
        "i_contruction", "i_crownnight", "i_dc", "i_pencils", "i_whitebuilding", "v_artisans", "v_astronautis",
        "v_talent",
    }
)  # fmt: skip
"""Sequences larger than 1600 x 1200 pixels, as spelled on disk, which the usual matching benchmark leaves out."""
_SEQUENCE = re.compile(r"[iv]_\w+")
_CHANGES: dict[str, Literal["illumination", "viewpoint"]] = {"i": "illumination", "v": "viewpoint"}


class HPatches(DatasetReader):
    """Sequences of HPatches.

    Args:
        change: Sequences to read: those with a change of `viewpoint`, of `illumination`, or `both`.
        without_large: Whether to leave out the eight sequences above 1600 x 1200 pixels.
    """

    name: ClassVar[str] = "hpatches"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "HPatches, full image sequences (Balntas et al. 2017)"
    home: ClassVar[str] = "https://github.com/hpatches/hpatches-dataset"
    licence: ClassVar[str] = "MIT (repository)"
    pictures_licence: ClassVar[str] = "MIT (repository); the sources listed in its references.txt are to be cited"
    needs: ClassVar[tuple[NeededFiles, ...]] = (
        NeededFiles(
            "<i|v>_<name>/<1..6>.ppm", "pictures", "hpatches-sequences-release.tar.gz of the repository, unpacked"
        ),
        NeededFiles("<i|v>_<name>/H_1_<2..6>", "homographies from picture 1", "the same archive"),
    )
    gives: ClassVar[tuple[type[GroundTruth], ...]] = (Homographies,)
    landmarks: ClassVar[tuple[str, ...]] = ()

    change: Literal["both", "viewpoint", "illumination"] = "both"
    without_large: bool = False

    def located(self, files: DatasetFiles) -> DatasetFiles:
        """Return the files in the folder of the sequences; refuse the patch stacks, which have the same folders."""
        for folder in files.nested():
            names = [name.rstrip("/") for name in folder.listing() if _SEQUENCE.fullmatch(name.rstrip("/"))]
            if any(folder.has(f"{name}/ref.png") and not folder.has(f"{name}/1.ppm") for name in names):
                raise DataError(
                    f"{folder.shown('')} contains the patch stacks of HPatches (hpatches-release); expected the full "
                    "image sequences, hpatches-sequences-release, with 1.ppm and H_1_2 in each folder"
                )
            if any(folder.has(f"{name}/H_1_2") for name in names):
                return folder
        raise DataError(
            f"{files.shown('')} is not laid out as {self.title}: expected folders such as v_abstract with 1.ppm to "
            f"6.ppm and H_1_2 to H_1_6; {files.contents()}"
        )

    def _sequences(self, files: DatasetFiles) -> list[str]:
        names = map(_folder_name, files.listing())
        return [
            name
            for name in names
            if name is not None
            and self.change in ("both", _CHANGES[name[0]])
            and not (self.without_large and name in _LARGE)
        ]

    def annotations(self, files: DatasetFiles) -> Iterator[str]:
        """Yield the homographies of all sequences."""
        for name in self._sequences(files):
            paths = (f"{name}/H_1_{number}" for number in range(2, PICTURES + 1))
            yield from (path for path in paths if files.has(path))

    def read(self, files: DatasetFiles, pictures: DatasetFiles) -> Iterator[DatasetRecord | RefusedRow]:
        """Yield one record for each sequence; if a picture's matrix is wrong, only that picture is left out."""
        del pictures
        for name in self._sequences(files):
            matrices: dict[int, Matrix3] = {1: IDENTITY}
            for number in range(2, PICTURES + 1):
                with guarded(name, f"H_1_{number}") as guard:
                    matrices[number] = _matrix(files, name, number)
                if guard.refusal is not None:
                    yield guard.refusal
            with guarded(name) as guard:
                if len(matrices) < 2:
                    raise BadRow("none of its homographies can be used", "too_few_pictures")
                original = {} if len(matrices) == PICTURES else {NUMBERS: list(matrices)}
                truth = Homographies(change=_CHANGES[name[0]], matrices=tuple(matrices.values()), original=original)
                shown = tuple(
                    DatasetPicture(f"{name}/{number}.ppm", f"hpatches:{name}/{number}", self.pictures_licence)
                    for number in matrices
                )
                yield DatasetRecord(f"hpatches:{name}", name, "", shown, (truth,), len(shown) - 1)
            if guard.refusal is not None:
                yield guard.refusal
        yield from self._not_wanted(files)

    def _not_wanted(self, files: DatasetFiles) -> Iterator[RefusedRow]:
        """Yield the sequences that the settings leave out."""
        wanted = set(self._sequences(files))
        for name in map(_folder_name, files.listing()):
            if name is not None and name not in wanted:
                rule = "other_change" if self.change not in ("both", _CHANGES[name[0]]) else "large_pictures"
                yield RefusedRow(name, "", rule, f"change is {self.change!r}, without_large {self.without_large}",
                                 PICTURES, by_rule=True)  # fmt: skip


def _folder_name(name: str) -> str | None:
    """Return the sequence name of a folder entry; None for any other entry."""
    return name[:-1] if name.endswith("/") and _SEQUENCE.fullmatch(name[:-1]) else None


def _matrix(files: DatasetFiles, name: str, number: int) -> Matrix3:
    words = files.read(f"{name}/H_1_{number}", max_bytes=4096).decode("utf-8", "replace").split()
    try:
        numbers = [float(word) for word in words]
    except ValueError as error:
        raise BadRow(str(error)) from None
    if len(numbers) != 9 or not all(map(isfinite, numbers)):
        raise BadRow(f"it contains {len(numbers)} numbers; a homography needs nine finite ones")
    a, b, c, d, e, f, g, h, i = numbers
    matrix = at_pixel_centres(((a, b, c), (d, e, f), (g, h, i)))
    if not is_invertible(matrix):
        raise BadRow(f"the homography cannot be inverted: {matrix}")
    return matrix
