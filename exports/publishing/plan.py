"""What publishing a release sends: the files of its manifest, manifest and seal, and the words that go along."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from benchwright.errors import CheckFailed
from benchwright.release import Release, verify_release
from benchwright.release.format.files import open_inside
from benchwright.release.format.manifest import MANIFEST, SEAL, SIGNATURE

FileState = Literal["new", "changed", "there"]


class FilePlan(NamedTuple):
    """One file that a publication holds.

    Args:
        path: Path relative to the release, and to the target.
        size_bytes: Size in bytes.
        sha256: SHA-256 in hexadecimal digits.
        state: Whether the target has it: `new`, `changed` (it has another file of that name) or `there`; None where the
            target was not asked.
    """

    path: str
    size_bytes: int
    sha256: str
    state: FileState | None = None


@dataclass(frozen=True)
class Publication:
    """What publishing a release sends, or has sent.

    Args:
        release: Release that is published, already verified.
        target: Folder, or `hub:ORG/NAME`.
        files: Every file of the release, sorted by path.
        removed: Files of an earlier version at the target that this version does not have.
        card_errors: What is wrong with the card's settings for the Hub; nothing is sent while there are any.
        notes: What could not be found out, one sentence each.
        url: Address of the published release; None for a folder, and before it is published.
        published: Whether the target holds the release now.
    """

    release: Release
    target: str
    files: tuple[FilePlan, ...]
    removed: tuple[str, ...] = ()
    card_errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    url: str | None = None
    published: bool = False
    message: str = field(init=False)
    description: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", f"{self.release.name} {self.release.version}")
        object.__setattr__(
            self, "description", f"Release id {self.release.release_id}, content id {self.release.content_id}."
        )

    @property
    def tag(self) -> str:
        """Return the tag of the version on the Hub: the version itself."""
        return self.release.version

    @property
    def to_send(self) -> tuple[FilePlan, ...]:
        """Return the files that the target does not have yet."""
        return tuple(file for file in self.files if file.state != "there")

    def with_states(self, states: dict[str, FileState]) -> Publication:
        """Return the publication with what the target has of each file, by path."""
        return replace(self, files=tuple(file._replace(state=states[file.path]) for file in self.files))


def plan_publication(release: Release, target: str) -> Publication:
    """Return what publishing a release would send, without asking the target.

    Raises:
        CheckFailed: The release does not hold.
    """
    verification = verify_release(release.path, expect=release.release_id)
    if not verification.ok:
        more = len(verification.problems) - 1
        rest = f" ({more} more; `benchwright release verify` lists them)" if more else ""
        raise CheckFailed(f"{release.path} does not hold and is not published: {verification.problems[0]}{rest}")
    listed = [FilePlan(name, entry.size_bytes, entry.sha256) for name, entry in release.manifest.files.items()]
    unlisted = [MANIFEST, SEAL, *([SIGNATURE] if (release.path / SIGNATURE).exists() else [])]
    return Publication(release, target, tuple(sorted([*listed, *(_hashed(release, name) for name in unlisted)])))


def _hashed(release: Release, name: str) -> FilePlan:
    with open_inside(release.path, name) as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
        return FilePlan(name, handle.tell(), digest)
