"""Mapping of picture names to files: by the last folders, and never the same file for two different paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from benchwright.errors import BenchwrightError
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.picture_names import (
    PictureName,
    are_kin,
    composed,
    folded,
    has_picture_suffix,
    may_be_the_same,
    names_of,
    names_of_one_format,
    number_of,
    stem,
)
from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.refusals import AMBIGUOUS_PICTURE, MISSING_PICTURE
from benchwright.source_files.rows import BadRow
from benchwright.texts.normalization import counted

_SHOWN = 3
_LEAST_FOLDERS = 2
"""Smallest number of matching last folders by which to find a picture whose first folder has another name."""
OTHER_END, OTHER_FOLDER = "another end of the same format", "another first folder"
"""Ways of finding a picture that are reported in notes."""


class _Found(NamedTuple):
    """The file that a name denotes.

    Args:
        path: Path of the file in the folder.
        name: The interpreted name; None if it is the path.
        rank: 0 if the name states the file's location, 1 if the file is elsewhere in the folder and its whole name
            matches, 2 for any other way.
        is_own: Whether the file is in the folder of the question file, at the location that the name states.
        is_shortened: Whether folders of the name are neither those of the file nor those above the whole folder.
        by: How the file was found, if that is worth a note, such as `OTHER_END`; otherwise empty.
    """

    path: str
    name: PictureName | None = None
    rank: int = 0
    is_own: bool = False
    is_shortened: bool = False
    by: str = ""

    @property
    def whole(self) -> PictureName:
        """Return the name, or the path if there is no name."""
        return self.name or PictureName(tuple(self.path.split("/")))


class _Fit(NamedTuple):
    """How well a file fits a name; a larger value is better.

    Args:
        folders: Number of matching folders, counted from the last.
        is_exact: Whether the case of letters matches and the name includes the suffix.
        near: Number of folders that it shares with the question file.
    """

    folders: int
    is_exact: bool
    near: int


class PicturePaths:
    """Resolves picture names to files in one folder.

    A name is a path from the folder of the question file, or from the folder's root, or from `images` in either.
    Otherwise, a file fits if its folders agree with those of the name, counted from the last and as far as both go; the
    last part alone never matches a name with folders. Unicode normalization is ignored. If only one file is possible,
    case is ignored, the suffix may be absent or another one of the same format (`.jpg`, `.jpeg`), and a number matches
    a zero-padded name (`COCO_val2014_000000123456.jpg`). A first folder with a different name (`vqa`, `pics`) is
    ignored if two or more of the folders after it agree, unless the two names denote parts of the same whole. Such a
    match is withdrawn if another name also resolves to the file (`refutation`).

    Args:
        files: The folder.
    """

    def __init__(self, files: DatasetFiles) -> None:
        self._files = files
        self._index: _PicturesByPath | None = None
        self._paths: dict[tuple[str, str], _Found | BadRow] = {}
        self._refuted: dict[tuple[str, str], str] | None = None

    def path_of(self, name: str, file: str) -> str:
        """Return the path of the file that a name denotes.

        Args:
            name: A picture's name in a question file.
            file: Path of the question file.

        Raises:
            BadRow: No file or several files match.
        """
        found = self._found(name, file)
        if isinstance(found, BadRow):
            raise BadRow(str(found), found.reason)
        return found.path

    def is_there(self, name: str, file: str) -> bool:
        """Return whether a name denotes at least one file."""
        found = self._found(name, file)
        return not isinstance(found, BadRow) or found.reason == AMBIGUOUS_PICTURE

    def is_guess(self, name: str, file: str) -> bool:
        """Return whether `refutation` may reject the result of `path_of` once all names are known."""
        found = self._found(name, file)
        return not isinstance(found, BadRow) and found.rank > 0

    def notes(self) -> Iterator[str]:
        """Yield a note for each way in which names differ from the names of their files."""
        refuted = dict(self._all_refuted())
        found = [
            (text, its)
            for (text, folder), its in self._paths.items()
            if isinstance(its, _Found) and its.by and (text, folder) not in refuted
        ]
        for way in dict.fromkeys(its.by for _, its in found):
            names = dict.fromkeys((text, its.path) for text, its in found if its.by == way)
            text, path = next(iter(names))
            yield f"{counted(len(names), 'picture')} found under {way}, such as {path} for {text!r}"

    def refutation(self, name: str, file: str) -> str | None:
        """Return why a name does not denote the result of `path_of`; None if it does.

        Call it after the lookup of all names of the source.
        """
        if self._refuted is None:
            self._refuted = dict(self._all_refuted())
        return self._refuted.get((name, file.rpartition("/")[0]))

    def _found(self, name: str, file: str) -> _Found | BadRow:
        place = (name, file.rpartition("/")[0])
        if place not in self._paths:
            self._refuted = None
            try:
                self._paths[place] = self._looked_up(*place)
            except BadRow as error:
                self._paths[place] = error
        return self._paths[place]

    def _all_refuted(self) -> Iterator[tuple[tuple[str, str], str]]:
        guessed = {found.path for found in self._paths.values() if isinstance(found, _Found) and found.rank > 0}
        by_path: dict[str, dict[tuple[_Found, str], str]] = defaultdict(dict)
        for (text, folder), found in self._paths.items():
            if isinstance(found, _Found) and found.path in guessed:
                by_path[found.path].setdefault((found, folder), text)
        for (text, folder), found in self._paths.items():
            if isinstance(found, _Found) and found.rank > 0:
                others = by_path[found.path].items()
                other = next((its for (one, at), its in others if _excludes(one, at, found, folder)), None)
                if other is not None:
                    where = f"picture {text!r} is missing in {self._files.shown('')}"
                    yield (text, folder), f"{where}: {found.path} may be {other!r} as well"

    def _looked_up(self, text: str, folder: str) -> _Found:
        names = names_of(text)
        places = list(dict.fromkeys((*([folder, f"{folder}/images"] if folder else []), "", "images")))
        for name in names:
            for under in _above(folder, name.up) if name.up else places:
                path = "/".join((under, *name.parts)) if under else "/".join(name.parts)
                if self._files.has(path):
                    is_own = bool(folder) and path.startswith(f"{folder}/")
                    return _Found(path, name, 2) if name.origin else _Found(path, is_own=is_own)
        if self._index is None:
            self._index = _PicturesByPath(self._files)
        for name in names:
            if (found := self._index.best(name, folder)) is not None:
                return found
        for name in names:
            # Files without a suffix are in no index.
            for start in range(1, len(name.parts) - 1):
                for under in dict.fromkeys((folder, "")):
                    path = "/".join((under, *name.parts[start:])) if under else "/".join(name.parts[start:])
                    if self._files.has(path):
                        return _Found(path, name, 2, is_shortened=True)
        namesakes = self._index.namesakes(names)
        only = f"; {' and '.join(namesakes[:_SHOWN])} has only the last part of its name" if namesakes else ""
        raise BadRow(
            f"picture {text!r} is missing in {self._files.shown('')}{only}{self._files.damage()}", MISSING_PICTURE
        )


def _above(folder: str, up: int) -> list[str]:
    """Return the folder a number of levels above another; empty if it would be outside the searched folder."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[: len(parts) - up])] if up <= len(parts) else []


def _excludes(one: _Found, its_folder: str, guess: _Found, folder: str) -> bool:
    """Return whether a file that one name denotes cannot also be that of a guess.

    Args:
        one: The file found for a name.
        its_folder: Folder of the question file with that name.
        guess: The file found for another name, of rank 1 or 2.
        folder: Folder of the question file with the other name.
    """
    if one.rank > guess.rank:
        return False
    if not may_be_the_same(one.whole, guess.whole):
        return True
    if guess.is_shortened and one.rank < guess.rank:
        return True  # the longer path is another place, since the shorter one states where the file is
    # A name from an adjacent folder whose questions use it for the file denotes a file of that folder.
    return (
        one.is_own
        and not f"{its_folder}/".startswith(f"{folder}/" if folder else "")
        and not (f"{folder}/".startswith(f"{its_folder}/"))
    )


class _PicturesByPath:
    """The pictures in a folder, indexed by the last parts of their paths."""

    def __init__(self, files: DatasetFiles) -> None:
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._by_number: dict[int, list[str]] = defaultdict(list)
        above = files.root.resolve().parts
        self._above = (*above[1:-1], files.root.stem) if files.root.is_file() else above[1:]
        self._above += tuple(filter(None, files.under.split("/")))
        try:
            for path in files.walk(suffixes=PICTURE_SUFFIXES):
                name = _parts(path)[-1]
                for known_as in {folded(name), folded(unquote(name))}:
                    self._by_name[known_as].append(path)
                self._by_stem[folded(stem(name))].append(path)
                if (number := number_of(name, of_file=True)) is not None:
                    self._by_number[number].append(path)
        except BenchwrightError:
            pass  # an unreadable folder has no pictures, which the question files report

    def best(self, name: PictureName, folder: str) -> _Found | None:
        """Return the file that fits a name best; None if no file does.

        Raises:
            BadRow: Several files fit equally well.
        """
        for paths, by in self._ways(name.parts[-1]):
            found = ((p, self._fit_below(p, name) if by == OTHER_FOLDER else self._fit(p, name, folder)) for p in paths)
            fits = {path: fit for path, fit in found if fit is not None}
            if not fits:
                continue
            best = max(fits.values())
            if not best.is_exact:
                best = best._replace(near=-1)
            chosen = [path for path, fit in fits.items() if fit == best or (best.near < 0 and fit[:2] == best[:2])]
            if len(chosen) > 1:
                shown = " or ".join(chosen[:_SHOWN])
                raise BadRow(f"the picture {'/'.join(name.whole)!r} may be {shown}; state the path", AMBIGUOUS_PICTURE)
            is_shortened = best.folders < len(name.parts) - 1
            exact = best.is_exact and not (is_shortened or name.origin or name.up)
            return _Found(chosen[0], name, 1 if exact else 2, is_shortened=is_shortened, by=by)
        return None

    def _ways(self, last: str) -> Iterator[tuple[list[str], str]]:
        """Yield the files that match the last part of a name, for each way of comparing, and the way to be reported."""
        known = self._by_name.get(folded(last), [])
        yield known, ""
        if not has_picture_suffix(last):
            yield self._by_stem.get(folded(last), []), ""
        if (number := number_of(last, of_file=False)) is not None:
            yield self._by_number.get(number, []), ""
        yield [path for other in names_of_one_format(last) for path in self._by_name.get(folded(other), [])], OTHER_END
        yield known, OTHER_FOLDER

    def namesakes(self, names: list[PictureName]) -> list[str]:
        """Return files with the last part of a name, in any folders."""
        return next((found for name in names if (found := self._by_name.get(folded(name.parts[-1])))), [])

    def _fit(self, path: str, name: PictureName, folder: str) -> _Fit | None:
        parts = _parts(path)
        its, named, asked = parts[:-1], name.parts[:-1], tuple(folder.split("/")) if folder else ()
        near = _in_common(its, asked)
        same = _in_common(_upwards(self._above + its), _upwards(named))
        has_none = not named and not name.up
        # Both paths must agree as far as both go: up to the first folder of the name, or up to the searched folder or
        # the folder of the question file.
        if not has_none and same < len(named) and (same == 0 or same < len(its) - near):
            return None
        if name.up and same == 0:
            return None
        spelled = tuple(map(composed, (*its[len(its) - min(same, len(its)) :], parts[-1])))
        wanted = tuple(map(composed, (*named[len(named) - min(same, len(its)) :], name.parts[-1])))
        return _Fit(same, spelled == wanted, near)

    def _fit_below(self, path: str, name: PictureName) -> _Fit | None:
        """Return how well a file fits below its first folder, if that folder has another name in the question file."""
        its, named = _parts(path)[:-1], name.parts[:-1]
        same = _in_common(_upwards(its), _upwards(named))
        are_first = same == len(its) - 1 == len(named) - 1 and not name.up
        if same < _LEAST_FOLDERS or not are_first or are_kin(its[0], named[0]):
            return None
        return _Fit(same, is_exact=False, near=0)


def _parts(path: str) -> tuple[str, ...]:
    """Return the parts of a file's path; some programs unpack Windows folders as backslashes within names."""
    return tuple(path.replace("\\", "/").split("/"))


def _in_common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many leading parts two paths have in common."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    return same


@lru_cache(maxsize=4096)  # pictures share folders
def _upwards(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return a path's folders from the innermost outwards, in the form used for comparison."""
    return tuple(map(folded, reversed(folders)))
