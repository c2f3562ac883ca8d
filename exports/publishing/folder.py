"""Publishing to a folder by an atomic copy; each file is hashed while it is copied."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from benchwright.errors import BenchwrightError, DataError
from benchwright.release import verify_release
from benchwright.release.format.files import open_inside
from benchwright.release.writing.folder import move_into_place, unfinished

from .plan import FilePlan, Publication

_CHUNK_BYTES = 1 << 20


def publish_to_folder(plan: Publication, folder: Path, *, dry_run: bool) -> Publication:
    """Copy a release into a folder, unless it is already there.

    Raises:
        BenchwrightError: The folder contains something else, or is inside the release.
        DataError: A file changed while it was being copied.
    """
    source = plan.release.path.resolve()
    if folder.resolve() != source and folder.resolve().is_relative_to(source):
        raise BenchwrightError(f"{folder} is inside the release {plan.release.path}; give a folder elsewhere")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BenchwrightError(f"{folder} is not a folder; give one that does not exist")
    if folder.exists() and any(folder.iterdir()):
        if not verify_release(folder, expect=plan.release.release_id).ok:
            raise BenchwrightError(
                f"{folder} contains something other than this release, and nothing in it is overwritten; give a "
                f"folder that does not exist, such as {folder / f'{plan.release.name}-{plan.release.version}'}"
            )
        return replace(plan.with_states({file.path: "there" for file in plan.files}), published=True)
    plan = plan.with_states({file.path: "new" for file in plan.files})
    if dry_run:
        return plan
    with unfinished(folder) as draft:
        for file in plan.files:
            _copy(plan, file, draft)
        move_into_place(draft, folder)
    return replace(plan, published=True)


def _copy(plan: Publication, file: FilePlan, draft: Path) -> None:
    copy = draft / file.path
    copy.parent.mkdir(exist_ok=True)
    digest = hashlib.sha256()
    with open_inside(plan.release.path, file.path) as handle, copy.open("xb") as written:
        while chunk := handle.read(_CHUNK_BYTES):
            digest.update(chunk)
            written.write(chunk)
    if digest.hexdigest() != file.sha256:
        raise DataError(f"{plan.release.path / file.path} changed while it was copied; verify the release, then retry")
