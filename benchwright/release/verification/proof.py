"""Statements of what a check of a release proves and does not prove.

A consistent release proves little, because anyone who changes a release can rewrite its manifest. Only external
evidence ties it to the release that was frozen: its id or a signature.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError
from benchwright.release.format.manifest import MANIFEST, SIGNATURE
from benchwright.release.verification.signature import AllowedSigners, Signer, read_signature, signer_of, signing_key

_ID = re.compile(r"[0-9a-f]{12,64}")
_FULL = 64

AGREES = (
    f"every file has the size and SHA-256 that {MANIFEST} states, and the folder contains nothing else",
    "every row matches the statements of the release: content, pictures, splits, counts, canary, content id, "
    "provenance",
)
_OPEN = (
    f"that this is the frozen release: an author of changes can also rewrite {MANIFEST}. Give --expect ID with the id "
    "that the authors published, or --signed-by FILE with their key"
)


@dataclass
class Proof:
    """Evidence of a release's origin.

    Attributes:
        proven: What is proven, as sentences without a full stop.
        not_proven: What is not proven, as sentences without a full stop.
        problems: Contradictions, one line each, beginning with the file.
        signer: The signer, if the signature was checked or can be read.
    """

    proven: list[str] = field(default_factory=list)
    not_proven: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    signer: Signer | None = None


def checked_id(text: str) -> str:
    """Return a release id or content id, or a prefix of one, in the form used for comparison.

    Raises:
        BenchwrightError: The text is not an id, or is too short.
    """
    wanted = text.strip().lower()
    if not _ID.fullmatch(wanted):
        raise BenchwrightError(
            f"{text!r} is not an id of a release; give its 64 hexadecimal digits, or the first 12 or more of them, as "
            "`release freeze` and `release show` print them"
        )
    return wanted


def prove_origin(
    root: Path,
    manifest: bytes,
    *,
    content_id: str | None,
    expect: str | None,
    signers: AllowedSigners | None,
) -> Proof:
    """Return the result of comparing a manifest with an expected id and a signature.

    Args:
        root: Folder of the release.
        manifest: Bytes of its manifest.
        content_id: Content id of the current items; None if they could not be read.
        expect: Expected release id or content id, as `checked_id` returns it.
        signers: Signers whose signature is accepted.

    Raises:
        BenchwrightError: `expect` is not an id.
        PrerequisiteError: A signature must be checked and `ssh-keygen` is missing.
    """
    proof = Proof()
    _expected(proof, bytes_digest(manifest), content_id, None if expect is None else checked_id(expect))
    _signed(proof, root, manifest, signers)
    if not any(MANIFEST in line for line in proof.proven):
        proof.not_proven.insert(0, _OPEN)
    return proof


def _expected(proof: Proof, release_id: str, content_id: str | None, expect: str | None) -> None:
    if expect is None:
        return
    digits = "" if len(expect) == _FULL else f", by its first {len(expect)} digits"
    if release_id.startswith(expect):
        proof.proven.append(f"{MANIFEST} is the one with the expected release id{digits}")
    elif content_id is not None and content_id.startswith(expect):
        proof.proven.append(f"questions, pictures, keys and splits are those of the expected content id{digits}")
        proof.not_proven.append(
            "that card, license, provenance, agreement and errata are unchanged, which a content id does not cover; "
            "give the release id"
        )
    else:
        proof.problems.append(
            f"{MANIFEST}: is not the expected one: {expect} begins neither its release id {release_id} nor the content "
            f"id {content_id or '(not all items could be read)'}"
        )
        return
    if digits:
        proof.not_proven.append(
            f"that this is not a release forged to match {len(expect)} of {_FULL} digits, which takes "
            f"{4 * len(expect)} bits of trying; give all digits"
        )


def _signed(proof: Proof, root: Path, manifest: bytes, signers: AllowedSigners | None) -> None:
    name = SIGNATURE if signers is None or signers.signature is None else str(signers.signature)
    try:
        signature = read_signature(root, None if signers is None else signers.signature)
    except DataError as error:
        if signers is not None:
            proof.problems.append(f"{name}: {str(error).partition(': ')[2]}; the signer of this release is unknown")
        return
    try:
        if signers is None:
            proof.signer = signing_key(manifest, signature)
            proof.not_proven.append(f"whose signature {name} is ({proof.signer.key}); give --signed-by FILE")
        else:
            proof.signer = signer_of(manifest, signature, signers)
            proof.proven.append(f"{MANIFEST} is signed by {proof.signer.identity} ({proof.signer.key})")
    except DataError as error:
        proof.problems.append(f"{name}: {error}")
    except PrerequisiteError as error:
        if signers is not None:
            raise
        proof.not_proven.append(f"whose signature {name} is: {error}")
