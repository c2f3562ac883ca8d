"""Content of a publication: the files in a release's manifest, the manifest, the seal, and the accompanying texts."""

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
    """One file of a publication.

    Args:
        path: Path relative to both the release and the target.
        size_bytes: Size in bytes.
        sha256: SHA-256 in hexadecimal.
        state: State at the target: `new`, `changed` (a different file has that name) or `there`; None if the target was
            not queried.
    """

    path: str
    size_bytes: int
    sha256: str
    state: FileState | None = None


@dataclass(frozen=True)
class Publication:
    """The plan for, or the result of, publishing a release.

    Args:
        release: Release to publish, which has been verified.
        target: Folder, or `hub:ORG/NAME`.
        files: Every file of the release, sorted by path.
        removed: Files of an earlier version at the target that are not in this version.
        card_errors: Errors in the card's settings for the Hub; any error prevents publication.
        notes: Facts that could not be determined, in one sentence each.
        url: URL of the published release; None for a folder or before publication.
        published: Whether the target now contains the release.
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
        """Return the tag for the version on the Hub, which is the version itself."""
        return self.release.version

    @property
    def to_send(self) -> tuple[FilePlan, ...]:
        """Return the files that the target lacks."""
        return tuple(file for file in self.files if file.state != "there")

    def with_states(self, states: dict[str, FileState]) -> Publication:
        """Return the publication with the state of each file at the target, given by path."""
        return replace(self, files=tuple(file._replace(state=states[file.path]) for file in self.files))


def plan_publication(release: Release, target: str) -> Publication:
    """Return the plan for publishing a release, without querying the target.

    Raises:
        CheckFailed: The release fails verification.
    """
    verification = verify_release(release.path, expect=release.release_id)
    if not verification.ok:
        more = len(verification.problems) - 1
        rest = f" ({more} more; `benchwright release verify` lists them)" if more else ""
        raise CheckFailed(f"{release.path} fails verification and is not published: {verification.problems[0]}{rest}")
    listed = [FilePlan(name, entry.size_bytes, entry.sha256) for name, entry in release.manifest.files.items()]
    unlisted = [MANIFEST, SEAL, *([SIGNATURE] if (release.path / SIGNATURE).exists() else [])]
    return Publication(release, target, tuple(sorted([*listed, *(_hashed(release, name) for name in unlisted)])))


def _hashed(release: Release, name: str) -> FilePlan:
    with open_inside(release.path, name) as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
        return FilePlan(name, handle.tell(), digest)
