"""The pictures of each split, laid out as folders: of a release, or of a workspace before anything is frozen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.errors import BenchwrightError
from benchwright.release import Release

_VALUE = ".split"


def split_folders(place: Path, root: Path) -> dict[str, Path]:
    """Return a folder for each split, by its name, that holds the pictures which its items show, named by their ids.

    Args:
        place: A release, or a workspace whose recipe assigns splits and has run to its end.
        root: An empty folder to make them in.

    Raises:
        BenchwrightError: The place is neither, or no step of the workspace names splits.
    """
    shown = _of_workspace if (place / "workspace.json").is_file() else _of_release
    found: dict[str, Path] = {}
    for split, image_id, data in shown(place):
        if split not in found:
            found[split] = root / f"{len(found):03}"
            found[split].mkdir()
        (found[split] / image_id).write_bytes(data)
    return dict(sorted(found.items()))


def _of_release(place: Path) -> Iterator[tuple[str, str, bytes]]:
    opened = Release.open(place)
    for split in opened.splits:
        for released in opened.items(split):
            for image_id, data in released.images.items():
                yield split, image_id, data


def _of_workspace(place: Path) -> Iterator[tuple[str, str, bytes]]:
    from benchwright.pipeline.run import open_view

    view = open_view(place)
    for item, values in view.items():
        named = sorted(name for name in values if name.endswith(_VALUE))
        if len(named) != 1:
            raise BenchwrightError(
                f"{len(named)} steps of the recipe in {place} name splits ({', '.join(named) or 'none'}); "
                "one has to, such as `splits`, for splits to be checked against each other"
            )
        for image in item.images:
            yield str(values[named[0]]), image.image_id, view.image_bytes(view.image(image.image_id))
