"""Folders that the browser may name: the folders given to `review serve --sources`, and those below them.

A name from the browser is the number of a given folder and a path below it. It is accepted only if the resulting
folder, with all links resolved, is still below the given one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchwright.errors import BenchwrightError

MOST_LISTED = 500
"""Maximum number of folders to offer; a typed path may lead to any other folder below the given ones."""
_DEEPEST = 4
_LONGEST = 1000


class AllowedFolders:
    """The folders given to a server.

    Args:
        roots: The folders; each must exist.

    Raises:
        BenchwrightError: One of them is not a folder.
    """

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        for root in roots:
            if not root.is_dir():
                raise BenchwrightError(f"--sources {root} is not a folder; name an existing one")
        self._roots = tuple(dict.fromkeys(root.resolve() for root in roots))

    def __bool__(self) -> bool:
        return bool(self._roots)

    def names(self) -> list[str]:
        """Return the names of the offered folders; each given folder precedes those below it."""
        return [name for name, _ in zip(self._walk(), range(MOST_LISTED), strict=False)]

    def releases(self) -> list[str]:
        """Return the offered folders that contain a release."""
        return [name for name in self.names() if (self.folder(name) / "manifest.json").is_file()]

    def folder(self, name: str) -> Path:
        """Return the folder that a name refers to, with all links resolved.

        Args:
            name: Name as `names` returns it, such as `photographs/holiday`.

        Raises:
            BenchwrightError: The name does not lead to a folder, or leads outside the given ones.
        """
        for number, root in enumerate(self._roots):
            title = self._title(number)
            if name != title and not name.startswith(f"{title}/"):
                continue
            found = _below(root, name[len(title) :].strip("/"))
            if found is not None:
                return found
        raise BenchwrightError(f"folder {name[:100]!r} is not below the folders that the server was started with")

    def name_of(self, folder: Path) -> str | None:
        """Return the name of a folder, or None if it is outside the given folders."""
        for number, root in enumerate(self._roots):
            if folder.resolve().is_relative_to(root):
                below = folder.resolve().relative_to(root).as_posix()
                return self._title(number) + ("" if below == "." else f"/{below}")
        return None

    def _title(self, number: int) -> str:
        """Return the title of a given folder: its name, with a number added if another folder has the same name."""
        own = self._roots[number].name or self._roots[number].as_posix()
        before = sum((root.name or root.as_posix()) == own for root in self._roots[:number])
        return own if not before else f"{own} ({before + 1})"

    def _walk(self) -> Iterator[str]:
        for number, root in enumerate(self._roots):
            for place, folders, _ in os.walk(root, followlinks=False):
                below = Path(place).relative_to(root)
                folders[:] = sorted(name for name in folders if not name.startswith((".", "@", "__")))
                if len(below.parts) >= _DEEPEST:
                    folders.clear()
                yield "/".join((self._title(number), *below.parts))


def _below(root: Path, path: str) -> Path | None:
    """Return the folder at a path below another; None if it does not exist or the path leads outside."""
    if len(path) > _LONGEST or not path.isprintable() or any(part in {"..", "."} for part in path.split("/")):
        return None
    try:
        found = (root / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    return found if found.is_relative_to(root) and found.is_dir() else None
