"""Comparison of a release's sealed splits with its key file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.errors import BenchwrightError
from benchwright.release.format.manifest import Manifest
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from benchwright.release.format.reader import Release
    from benchwright.release.sealing.answer_key import AnswerKey


@dataclass(frozen=True)
class KeyCheck:
    """The result of comparing a release with a key file.

    Attributes:
        problems: Problems, one line each.
        proven: What is proven if there are no problems.
        not_proven: What is not proven.
    """

    problems: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()
    not_proven: tuple[str, ...] = ()


def check_key(root: Path, manifest: Manifest, path: Path | None) -> KeyCheck:
    """Return the result of comparing a self-consistent release with its key file; None if there is no key.

    The commitment binds the key to the release. In addition, each sealed item, when made again from the original item
    and the salt, must equal the released one.
    """
    if path is None:
        if manifest.sealed is None:
            return KeyCheck()
        names = ", ".join(manifest.sealed_splits)
        return KeyCheck(
            not_proven=(f"that the key fits the sealed items of {names}; give its key file with --key FILE",)
        )
    from benchwright.release.format.reader import Release  # loads Arrow, which nothing else here needs
    from benchwright.release.sealing.answer_key import read_answer_key, unsealed

    release = Release.open(root)
    try:
        key = read_answer_key(path)
        unsealed(release, key)
        problems = tuple(_item_problems(release, key))
    except BenchwrightError as error:
        return KeyCheck((str(error),))
    if problems:
        return KeyCheck(problems)
    return KeyCheck(
        proven=(
            f"the key matches the commitment of the manifest, and its {counted(len(key.withheld), 'item')}, with its "
            "salt, make the sealed ones",
        )
    )


def _item_problems(release: Release, key: AnswerKey) -> list[str]:
    sealed = release.manifest.sealed_splits
    released = {
        str(row["item_id"]): str(row["content_hash"])
        for row in release.rows(("item_id", "content_hash", "split"))
        if row["split"] in sealed
    }
    problems = [f"{key.path}: lacks item {item_id}" for item_id in sorted(released.keys() - key.withheld.keys())]
    problems += [
        f"{key.path}: has item {item_id}, which is not sealed"
        for item_id in sorted(key.withheld.keys() - released.keys())
    ]
    return problems + [
        f"{key.path}: its original of item {item_id} gives another item"
        for item_id in sorted(released.keys() & key.withheld.keys())
        if released[item_id] != key.content_hashes[item_id]
    ]
