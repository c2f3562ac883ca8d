"""Names of a picture in facts: its path below the image folder, its file's name, or its file's SHA-256."""

from __future__ import annotations

from pathlib import PurePosixPath


def names_of(uri: str | None, image_id: str) -> tuple[str, ...]:
    """Return all names that facts may use for a picture, the simplest first.

    A picture from a step has the name `<entry>:<path>`; its path in the folder that the step read is also a name.

    Args:
        uri: URI of the picture in the image folder; None if it is not in a folder.
        image_id: SHA-256 of its file.
    """
    from benchwright.images.identify import path_for

    if uri is None:
        return (image_id,)
    path = path_for(uri)
    brought = PurePosixPath(path.as_posix().partition(":")[2])
    own = (brought.as_posix(), brought.name) if brought.name else ()
    return tuple(dict.fromkeys((path.as_posix(), path.name, *own, image_id)))


def key_of(uri: str | None, image_id: str) -> str:
    """Return the default key of a picture: the first of its names that can be a key in a facts file."""
    return next(name for name in names_of(uri, image_id) if can_be_a_key(name))


def can_be_a_key(name: str) -> bool:
    """Return whether a facts file and a facts table can store a name unchanged."""
    return name.isprintable() and name == name.strip() and not name.startswith("#") and "\\" not in name
