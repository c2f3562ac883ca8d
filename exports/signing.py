"""Signing of a release so that others can verify its identity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.errors import CheckFailed

if TYPE_CHECKING:
    from benchwright.release.verification.signature import Signer


def sign_release(folder: Path, key: Path, *, out: Path | None = None) -> tuple[Path, Signer, str]:
    """Sign a valid release; return the path of the signature, the key that made it, and the release id.

    Args:
        folder: Folder of the release.
        key: Private SSH key, or the public key if an SSH agent holds the private one.
        out: File for the signature; if None, a file next to the manifest.

    Raises:
        CheckFailed: The release fails verification, so it must not be signed.
        BenchwrightError: The key cannot sign, or a signature already exists.
        PrerequisiteError: No `ssh-keygen` that can sign is installed.
    """
    from benchwright.canonical import bytes_digest
    from benchwright.release import verify_release
    from benchwright.release.format import documents
    from benchwright.release.format.files import read_inside
    from benchwright.release.format.manifest import MANIFEST, SIGNATURE
    from benchwright.release.verification.signature import sign, signing_key, store

    checked = verify_release(folder)
    if not checked.ok:
        raise CheckFailed(f"{folder} fails verification ({checked.problems[0]}) and is not signed; get a fresh copy")
    manifest = read_inside(folder, MANIFEST, max_bytes=documents.MAX_BYTES)
    if bytes_digest(manifest) != checked.release_id:
        raise CheckFailed(f"{folder} changed while it was checked and is not signed; try again")
    signature = sign(manifest, key)
    place = folder / SIGNATURE if out is None else out
    store(signature, place)
    return place, signing_key(manifest, signature), bytes_digest(manifest)
