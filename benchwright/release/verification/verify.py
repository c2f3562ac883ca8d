"""Verification that all files of a release are unchanged since freezing, and that all rows match its statements.

The folder may come from anyone, so the check trusts nothing in it. It reports links and devices without opening them,
checks sizes before reading bytes, and parses Parquet in a separate process, only after the manifest and the listed
files have passed. Every problem becomes a line, never a traceback.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.release.format import agreement, blind_strategy, documents, errata, identity
from benchwright.release.format import human_baseline as human
from benchwright.release.format import manifest as manifests
from benchwright.release.format.files import listing, open_inside, read_inside, read_whole, shown
from benchwright.release.format.manifest import Manifest
from benchwright.release.verification.key_check import KeyCheck, check_key
from benchwright.release.verification.problems import Problems, ReleaseContents
from benchwright.release.verification.proof import AGREES, Proof, checked_id, prove_origin
from benchwright.release.verification.signature import AllowedSigners, Signer
from benchwright.release.verification.subprocess_check import check_contents_apart

_DOCUMENTS = {
    manifests.AGREEMENT: (agreement.FORMAT, agreement.FORMAT_VERSION),
    manifests.ERRATA: (errata.FORMAT, errata.VERSION),
    manifests.BLIND_STRATEGY: (blind_strategy.FORMAT, blind_strategy.FORMAT_VERSION),
    manifests.HUMAN_BASELINE: (human.FORMAT, human.FORMAT_VERSION),
}
"""Format and newest version of each document."""

_UNLISTED = {manifests.MANIFEST, manifests.SEAL, manifests.SIGNATURE}
"""Files that belong to a release and are not listed in its manifest."""


@dataclass(frozen=True)
class Verification:
    """The result of `verify_release`.

    Args:
        ok: Whether there is no problem.
        release_id: SHA-256 of the current manifest; None if it is missing.
        content_id: Root hash of the current items; None if the manifest or listed files were changed, or some items
            could not be read.
        problems: Problems, one line each, beginning with the file; a long list is truncated and the rest counted.
        proven: What the check proves, one sentence each; empty if there are problems.
        not_proven: What the check does not prove, each to be read as "Not proven: ...".
        signer: Signer of the manifest, if known.
    """

    ok: bool
    release_id: str | None
    content_id: str | None
    problems: list[str]
    proven: list[str] = field(default_factory=list)
    not_proven: list[str] = field(default_factory=list)
    signer: Signer | None = None


def verify_release(
    path: Path | str,
    *,
    expect: str | None = None,
    signers: AllowedSigners | None = None,
    key: Path | None = None,
) -> Verification:
    """Compare a release folder with its manifest, its rows with their own hashes, and its card with both.

    It reports every changed, shortened, added, missing, renamed or linked file. Only an external id or signature proves
    that the manifest is the frozen one.

    Args:
        path: Folder of the release.
        expect: Expected release id or content id, or at least 12 digits of one.
        signers: Signers whose signature of the manifest is accepted.
        key: Key file of the sealed splits, compared with the release if the release is self-consistent.

    Raises:
        BenchwrightError: `expect` is not an id.
        PrerequisiteError: A signature must be checked and `ssh-keygen` is missing.
    """
    root, problems = Path(path), Problems()
    if expect is not None:
        checked_id(expect)
    if not root.is_dir():
        return Verification(False, None, None, [f"{shown(str(root))}: not a folder"])
    manifest, data = _manifest(root, problems)
    if manifest is not None:
        _check_manifest(manifest, problems)
        _check_files(root, manifest, problems)
    vouched_for = not problems.found
    try:
        _tree(root, manifest, problems)
    except OSError as error:
        problems.add(f"the folder cannot be listed: {error.strerror}")
    contents = ReleaseContents(None, [])
    if vouched_for:
        contents = check_contents_apart(root)
        for line in contents.problems:
            problems.add(line)
    proof = (
        Proof()
        if data is None
        else prove_origin(root, data, content_id=contents.content_id, expect=expect, signers=signers)
    )
    for line in proof.problems:
        problems.add(line)
    keyed = KeyCheck() if manifest is None or problems.found else check_key(root, manifest, key)
    for line in keyed.problems:
        problems.add(line)
    lines = problems.all()
    release_id = None if data is None else bytes_digest(data)
    proven = [] if lines else [*AGREES, *contents.proven, *keyed.proven, *proof.proven]
    not_proven = [*proof.not_proven, *keyed.not_proven, *contents.not_proven]
    return Verification(not lines, release_id, contents.content_id, lines, proven, not_proven, proof.signer)


def _manifest(root: Path, problems: Problems) -> tuple[Manifest | None, bytes | None]:
    """Return the manifest and its bytes, each None if it is unreadable."""
    try:
        data = read_inside(root, manifests.MANIFEST, max_bytes=documents.MAX_BYTES)
    except DataError as error:
        problems.add(str(error))
        return None, None
    try:
        if read_inside(root, manifests.SEAL, max_bytes=1024) != manifests.seal(data):
            problems.add(
                f"{manifests.MANIFEST}: its SHA-256 is {bytes_digest(data)}, but {manifests.SEAL} states another; one "
                "of the two was changed"
            )
    except DataError as error:
        problems.add(str(error))
    try:
        return manifests.parse_manifest(data), data
    except DataError as error:
        problems.add(str(error))
        return None, data


def _tree(root: Path, manifest: Manifest | None, problems: Problems) -> None:
    """Report every unexpected entry in the folder without opening it."""
    listed = set(manifest.files) if manifest else set()
    folders = frozenset(name.split("/")[0] for name in listed if "/" in name)
    for entry in sorted(listing(root, folders), key=lambda folder_entry: os.fsencode(folder_entry.name)):
        name = shown(entry.name)
        if entry.kind == "folder":
            if entry.name not in folders:
                problems.add(f"{name}: a folder that does not belong to the release")
        elif entry.kind != "file":
            problems.add(f"{name}: a {entry.kind}, but a release contains only regular files")
        elif entry.name not in listed and entry.name not in _UNLISTED and manifest:
            problems.add(f"{name}: not in the manifest; it was added or renamed")


def _check_manifest(manifest: Manifest, problems: Problems) -> None:
    for name in manifests.ALWAYS_THERE:
        if name not in manifest.files:
            problems.add(f"{manifests.MANIFEST}: does not list {name}")
    for name in sorted(manifest.files):
        if name.startswith("data/") and manifests.split_of(name) is None:
            problems.add(f"{name}: not a name of a data file of a release")
    named = manifest.name, manifest.release_version
    if manifest.canary not in (identity.canary_of(*named), identity.earlier_canary_of(*named)):
        problems.add(f"{manifests.MANIFEST}: the canary does not match this name and version")
    for split, counts in sorted(manifest.counts.splits.items()):
        if counts.items != sum(counts.tasks.values()):
            problems.add(f"{manifests.MANIFEST}: the items of split {split} do not equal the sum over its tasks")
    if assigned := _assigned_splits(manifest.recipe):
        names = ", ".join(sorted(assigned))
        for split in sorted(manifest.counts.splits.keys() - assigned):
            problems.add(
                f"{manifests.MANIFEST}: has items in split {split}, but its recipe assigns {names} only: the table of "
                "splits was damaged before it was frozen, or the manifest was changed"
            )
    if manifest.counts.items != sum(counts.items for counts in manifest.counts.splits.values()):
        problems.add(f"{manifests.MANIFEST}: the number of items does not equal the sum over the splits")


def _assigned_splits(recipe: Mapping[str, Any]) -> set[str]:
    """Return the names of splits that a recipe's `splits` steps assign; empty if no such step states them."""
    steps = recipe.get("steps")
    entries = [entry for entry in steps if isinstance(entry, dict)] if isinstance(steps, list) else []
    fractions = [entry.get("fractions") for entry in entries if entry.get("step") == "splits"]
    return {str(split) for shares in fractions if isinstance(shares, dict) for split in shares}


def _check_files(root: Path, manifest: Manifest, problems: Problems) -> None:
    """Check every listed file against the manifest."""
    for name in sorted(manifest.files):
        try:
            with open_inside(root, name) as handle:
                _check_bytes(handle, name, manifest)
                if name in _DOCUMENTS:
                    _check_document(handle, name)
        except DataError as error:
            problems.add(str(error))
        except OSError as error:
            problems.add(f"{name}: cannot be read: {error.strerror}")


def _check_bytes(handle: BufferedReader, name: str, manifest: Manifest) -> None:
    expected = manifest.files[name]
    size = os.fstat(handle.fileno()).st_size
    if size != expected.size_bytes:
        raise DataError(f"{name}: has {size} bytes, but the manifest states {expected.size_bytes}")
    sha256 = hashlib.file_digest(handle, "sha256").hexdigest()
    if sha256 != expected.sha256:
        raise DataError(f"{name}: its SHA-256 is {sha256}, but the manifest states {expected.sha256}")
    handle.seek(0)


def _check_document(handle: BufferedReader, name: str) -> None:
    data = read_whole(handle, name, max_bytes=documents.MAX_BYTES)
    documents.stated(documents.parse(data, title=name), *_DOCUMENTS[name], title=name)
    if name == manifests.ERRATA:
        errata.parse_errata(data, title=name)
