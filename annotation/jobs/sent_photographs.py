"""Photographs that curators send from the browser, stored under their own names in the folder `sent-photographs`.

    sent-photographs/FOLDER/cat/1.jpg

A file is stored completely or not at all, after it has been identified as a picture, and is never overwritten. Sending
it again changes nothing; another picture under its name is refused.
"""

from __future__ import annotations

import os
import tempfile
import threading
import unicodedata
from pathlib import Path, PurePosixPath

from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.identify import identify
from benchwright.texts.hidden_characters import escaped
from benchwright.texts.normalization import counted
from benchwright.workspace.private_files import make_private_folder
from benchwright.workspace.written_once import written_once

MOST_BYTES = 64 << 20
"""Maximum size of one photograph in bytes."""
MOST_FILES = 20_000
"""Maximum number of photographs in all folders."""
_FOLDER = "sent-photographs"
_DEEPEST, _LONGEST = 4, 100


def sent_folder(workspace: Path) -> Path:
    """Return the folder of all sent photographs; it is created if it is missing."""
    folder = workspace / _FOLDER
    make_private_folder(folder)
    return folder


class SentPhotographs:
    """The photographs sent to a workspace.

    Args:
        workspace: Folder of the workspace.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._count: int | None = None

    def folders(self) -> dict[str, int]:
        """Return the number of photographs in each folder, by the folder's name."""
        root = sent_folder(self._workspace)
        return {
            path.name: sum(1 for _ in _files(path))
            for path in sorted(root.iterdir())
            if path.is_dir() and not path.name.startswith(".")
        }

    def keep(self, folder: str, path: str, data: bytes) -> bool:
        """Store a photograph, and return whether it is a new one.

        Args:
            folder: Name of the target folder.
            path: Path of the photograph in that folder, with `/` between its parts.
            data: Its bytes.

        Raises:
            BenchwrightError: A name is invalid, the file is too large or not a picture, another picture has its place,
                the workspace has `MOST_FILES` photographs already, or the disk is full; the message gives the reason.
        """
        parts = [_composed_name(part) for part in (folder, *PurePosixPath(path).parts)]
        if not 2 <= len(parts) <= _DEEPEST:
            raise BenchwrightError(
                f"{escaped(path[:_LONGEST])!r} lies too deep, or has no name; at most {_DEEPEST - 1} parts"
            )
        shown = "/".join(parts[1:])
        if len(data) > MOST_BYTES:
            raise BenchwrightError(f"{shown!r} has more than {MOST_BYTES >> 20} MB; send a smaller picture")
        root = sent_folder(self._workspace)
        target = root.joinpath(*parts)
        with self._lock:
            is_new = not os.path.lexists(target)
            if is_new and self._counted(root) >= MOST_FILES:
                raise BenchwrightError(f"{counted(MOST_FILES, 'photograph')} exist already; remove some first")
            try:
                _write(root, target, data)
            except UnreadableImage as error:
                raise BenchwrightError(f"{shown!r} is left out ({error.reason}): {error.detail}") from None
            except OSError as error:
                raise BenchwrightError(
                    f"{shown!r} cannot be written: {error.strerror or error}; send it again"
                ) from None
            self._count = self._counted(root) + is_new
        return is_new

    def _counted(self, root: Path) -> int:
        if self._count is None:
            self._count = sum(1 for _ in _files(root))
        return self._count


def _write(root: Path, target: Path, data: bytes) -> None:
    """Identify a file as a picture, then write it below `root`, either completely or not at all."""
    with tempfile.TemporaryDirectory(prefix=".", dir=root) as place:
        first = Path(place) / target.name
        first.write_bytes(data)
        identify(first, root=Path(place))
        for folder in reversed(target.relative_to(root).parents):
            make_private_folder(root / folder)
        with written_once(target, otherwise="send this one under another name", private=True) as draft:
            draft.write_bytes(data)


def _composed_name(name: str) -> str:
    """Return the name of a file or folder in composed Unicode form.

    Raises:
        BenchwrightError: Not every file system can store the name.
    """
    composed = unicodedata.normalize("NFC", name).strip()
    is_fit = (
        0 < len(composed) <= _LONGEST
        and len(os.fsencode(composed.encode("utf-8", "replace"))) <= 2 * _LONGEST
        and composed.isprintable()
        and not composed.startswith((".", "@", "__"))
        and not set(composed) & set('/\\:*?"<>|')
    )
    if not is_fit:
        raise BenchwrightError(
            f"{escaped(name[:_LONGEST])!r} is not a valid name for a file or folder; names have at most {_LONGEST} "
            'letters, none of \\ / : * ? " < > |, and do not begin with a dot'
        )
    return composed


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
