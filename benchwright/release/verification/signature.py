"""Signatures of releases with SSH keys, made and checked by OpenSSH's `ssh-keygen -Y`.

The signature covers the bytes of `manifest.json`, and with it every other file, whose SHA-256 the manifest states.
A signature can be checked without Benchwright:
`ssh-keygen -Y verify -n benchwright-release -f ALLOWED -I NAME -s manifest.json.sig < manifest.json`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchwright.errors import BenchwrightError, DataError, PrerequisiteError
from benchwright.release.format.files import read_inside, shown
from benchwright.release.format.manifest import SIGNATURE
from benchwright.workspace.atomic import write_bytes

_NAMESPACE = "benchwright-release"
"""Namespace of the SSH signatures; a signature for another purpose, such as a Git commit, is not accepted."""

MAX_BYTES = 64 * 1024
_GOOD = re.compile(r'^Good "[^"]*" signature(?: for (?P<identity>.*))? with (?P<key>\S+ key \S+)$', re.MULTILINE)
_NEEDED = "it comes with OpenSSH 8.2 or newer (on Debian and Ubuntu: apt install openssh-client)"


@dataclass(frozen=True)
class AllowedSigners:
    """The signers whose signature is accepted.

    Attributes:
        file: File of names and public keys, as `ssh-keygen` reads it (`ALLOWED SIGNERS` in its manual).
        identity: The only name accepted; None accepts any name in the file.
        revoked: File of keys that are no longer accepted: a key revocation list, or public keys, one per line.
        signature: File of the signature; None for `manifest.json.sig` in the release.
    """

    file: Path
    identity: str | None = None
    revoked: Path | None = None
    signature: Path | None = None


@dataclass(frozen=True)
class Signer:
    """The signer of a manifest.

    Attributes:
        identity: Name in the file of allowed signers; None if it was not looked up.
        key: Kind and fingerprint of the key, such as `ED25519 key SHA256:...`.
    """

    identity: str | None
    key: str


def sign(manifest: bytes, key: Path) -> bytes:
    """Return a signature of a manifest.

    Args:
        manifest: Bytes of the manifest.
        key: File of a private key, or of a public key whose private key an SSH agent holds; `ssh-keygen` asks for a
            passphrase on the terminal.

    Raises:
        BenchwrightError: The key cannot sign.
        PrerequisiteError: No `ssh-keygen` that can sign is installed.
    """
    done = _ssh_keygen("sign", "-f", str(key), "-n", _NAMESPACE, stdin=manifest)
    if done.returncode or not done.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise BenchwrightError(f"{key} cannot sign: {_reason(done)}; give a private key, or add it to your SSH agent")
    return done.stdout


def store(signature: bytes, place: Path) -> None:
    """Write a signature to a new file.

    Raises:
        BenchwrightError: The path exists, or the file cannot be written.
    """
    if place.exists():
        raise BenchwrightError(f"{place} exists and is not overwritten; move it away, or give --out FILE")
    try:
        write_bytes(place, signature)
    except OSError as error:
        raise BenchwrightError(f"{place} cannot be written: {error.strerror or error}") from error


def read_signature(release: Path, place: Path | None = None) -> bytes:
    """Return the signature of a release, from its folder or from elsewhere.

    Raises:
        DataError: The signature is missing, or is not a regular file of a signature's size.
    """
    if place is None:
        return read_inside(release, SIGNATURE, max_bytes=MAX_BYTES)
    return read_inside(place.parent, place.name, max_bytes=MAX_BYTES)


def signer_of(manifest: bytes, signature: bytes, allowed: AllowedSigners) -> Signer:
    """Return the allowed signer who signed a manifest.

    Raises:
        DataError: No allowed signer signed it; the message states the reason.
        PrerequisiteError: No `ssh-keygen` that can check it is installed.
    """
    revoked = [] if allowed.revoked is None else ["-r", str(allowed.revoked)]
    with _as_file(signature) as path:
        common = ["-s", path, "-f", str(allowed.file)]
        names = [allowed.identity] if allowed.identity is not None else _names(common)
        for name in names:
            done = _ssh_keygen("verify", *common, "-I", name, "-n", _NAMESPACE, *revoked, stdin=manifest)
            if done.returncode == 0 and (good := _GOOD.search(done.stdout.decode(errors="replace"))):
                return Signer(name, good["key"])
    raise DataError(f"no signature of this manifest by a signer whom {allowed.file} allows: {_reason(done)}")


def signing_key(manifest: bytes, signature: bytes) -> Signer:
    """Return the key that signed a manifest, whether or not its owner is allowed.

    Raises:
        DataError: The signature is not a signature of this manifest in `_NAMESPACE`.
        PrerequisiteError: No `ssh-keygen` that can check it is installed.
    """
    with _as_file(signature) as path:
        done = _ssh_keygen("check-novalidate", "-s", path, "-n", _NAMESPACE, stdin=manifest)
    if done.returncode or not (good := _GOOD.search(done.stdout.decode(errors="replace"))):
        raise DataError(f"no signature of this manifest: {_reason(done)}")
    return Signer(None, good["key"])


def _names(common: Sequence[str]) -> list[str]:
    """Return the names whose keys made a signature."""
    done = _ssh_keygen("find-principals", *common)
    names = done.stdout.decode(errors="replace").splitlines()
    if done.returncode or not names:
        raise DataError(f"signed with no key that {common[-1]} allows: {_reason(done)}")
    return names


@contextmanager
def _as_file(signature: bytes) -> Iterator[str]:
    with tempfile.NamedTemporaryFile(prefix="benchwright-", suffix=".sig") as handle:
        handle.write(signature)
        handle.flush()
        yield handle.name


def _ssh_keygen(operation: str, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise PrerequisiteError(f"ssh-keygen, which makes and checks signatures, is missing; {_NEEDED}")
    done = subprocess.run(  # noqa: S603 - arguments are a list, paths and names its own elements
        [program, "-Y", operation, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    if done.returncode and b"usage:" in done.stderr:
        raise PrerequisiteError(f"{program} is too old to {operation} signatures; {_NEEDED}")
    return done


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines()]
    messages = [line for line in lines if line and "@@@" not in line and not line.startswith("Signing data")]
    return shown("; ".join(messages)[:300]) or f"ssh-keygen ended with {done.returncode}"
