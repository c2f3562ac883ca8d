"""Publishing a release with `publish(release, to=...)` to a folder or to the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import BenchwrightError
from benchwright.release import Release
from benchwright.release.format.identity import DRAFT

from .plan import Publication, plan_publication

HUB = "hub:"
"""Prefix of targets that are dataset repositories of the Hub; all others are folders."""


def publish(release: Release, *, to: str, private: bool = False, dry_run: bool = False) -> Publication:
    """Publish a release completely or not at all; sends only the files that the target lacks.

    Args:
        release: Release to publish; it is verified first.
        to: `hub:ORG/NAME`, a dataset repository of the Hugging Face Hub, or the path of a folder that does not exist,
            is empty, or already contains this release.
        private: Whether only members may see the repository. If so, an existing public repository is refused.
        dry_run: Whether to only determine what would be sent.

    Raises:
        BenchwrightError: The release is a draft and the target is the Hub, the target contains something else, or the
            Hub refuses.
        CheckFailed: The release fails verification.
        PrerequisiteError: `huggingface_hub` or a token for the Hub is missing.
    """
    if not to.startswith(HUB):
        if private:
            raise BenchwrightError(f"only Hub repositories can be private, but {to} is a folder")
        from .folder import publish_to_folder

        return publish_to_folder(plan_publication(release, to), Path(to), dry_run=dry_run)
    from .hub import publish_to_hub, repository_of

    if release.version.startswith(DRAFT):
        raise BenchwrightError(
            f"{release.path} is a draft, which the next one replaces; freeze with a version such as 1.0 to publish"
        )
    repository = repository_of(to.removeprefix(HUB))
    return publish_to_hub(plan_publication(release, to), repository, private=private, dry_run=dry_run)
