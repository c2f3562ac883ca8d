"""The commands that the app can start, as argument lists; no other commands exist, and no shell interprets them.

The program's packages refer to one another only by name, so `benchwright COMMAND` makes runs, funnel pages, releases
and exports in a separate process.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from benchwright.errors import BenchwrightError

JobKind = Literal["run", "funnel", "freeze", "export", "publish", "likeness"]
FUNNEL_PAGE, EXPORT_FOLDER = "funnel.html", "export"
"""Names of the results of two commands in the folder of their job."""
_RELEASE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,30}")


@dataclass(frozen=True)
class RunJob:
    """Run the recipe, or resume the run.

    Args:
        recipe: Path of the recipe's file.
        images: Folder of the photographs; None if the recipe's steps supply all pictures.
    """

    kind: ClassVar[JobKind] = "run"
    recipe: Path
    images: Path | None

    def arguments(self, workspace: Path, folder: Path) -> list[str]:
        """Return the arguments of the command; `folder` is the job folder."""
        del folder
        images = [] if self.images is None else [f"--images={self.images}"]
        return ["run", *images, f"--workspace={workspace}", "--json", "--", str(self.recipe)]


@dataclass(frozen=True)
class FunnelJob:
    """Write the page of the funnel."""

    kind: ClassVar[JobKind] = "funnel"

    def arguments(self, workspace: Path, folder: Path) -> list[str]:
        """Return the arguments of the command."""
        return ["filter", "funnel", f"--out={folder / FUNNEL_PAGE}", "--json", "--", str(workspace)]


@dataclass(frozen=True)
class FreezeJob:
    """Freeze a release.

    Args:
        name: Name of the benchmark: lower-case letters, digits and hyphens.
        version: Version such as `1.0`; empty for a draft.

    Raises:
        BenchwrightError: One of them is invalid.
    """

    kind: ClassVar[JobKind] = "freeze"
    name: str
    version: str = ""

    def __post_init__(self) -> None:
        if not _RELEASE_NAME.fullmatch(self.name):
            raise BenchwrightError(
                "a release name consists of lowercase letters, digits and hyphens, such as my-benchmark"
            )
        if self.version and not _VERSION.fullmatch(self.version):
            raise BenchwrightError("a version begins with a digit, such as 1.0; leave it empty for a draft")

    def arguments(self, workspace: Path, folder: Path) -> list[str]:
        """Return the arguments of the command."""
        del folder
        version = [f"--version={self.version}"] if self.version else []
        return ["release", "freeze", f"--workspace={workspace}", f"--name={self.name}", *version, "--json"]


@dataclass(frozen=True)
class ExportJob:
    """Export all tasks and decisions, or those of a single campaign, as tables.

    Args:
        is_pseudonymous: Whether to replace names by numbers; default False.
        campaign: Name of the only campaign to export; default all.
    """

    kind: ClassVar[JobKind] = "export"
    is_pseudonymous: bool = False
    campaign: str = ""

    def arguments(self, workspace: Path, folder: Path) -> list[str]:
        """Return the arguments of the command."""
        more = ["--pseudonyms"] if self.is_pseudonymous else []
        more += [f"--campaign={self.campaign}"] if self.campaign else []
        out = f"--out={folder / EXPORT_FOLDER}"
        return ["review", "export", f"--workspace={workspace}", "--all", out, *more, "--json"]


@dataclass(frozen=True)
class PublishJob:
    """Publish a release.

    Args:
        release: Name of its folder below `releases` of the workspace.
        target: Target: a folder that does not exist yet, or `hub:ORG/NAME`.
        is_private: Whether a repository of the Hub is for its members only; default False.
    """

    kind: ClassVar[JobKind] = "publish"
    release: str
    target: str
    is_private: bool = False

    def arguments(self, workspace: Path, folder: Path) -> list[str]:
        """Return the arguments of the command."""
        del folder
        private = ["--private"] if self.is_private else []
        return [
            "release",
            "publish",
            f"--to={self.target}",
            *private,
            "--json",
            "--",
            str(workspace / "releases" / self.release),
        ]


@dataclass(frozen=True)
class LikenessJob:
    """Embed pictures and questions with the models on this machine, to allow comparing items by meaning."""

    kind: ClassVar[JobKind] = "likeness"

    def arguments(self, workspace: Path, folder: Path) -> list[str]:
        """Return the arguments of the command."""
        del folder
        return ["review", "likeness", f"--workspace={workspace}", "--json"]


Job = RunJob | FunnelJob | FreezeJob | ExportJob | PublishJob | LikenessJob


def command_line(job: Job, workspace: Path, folder: Path) -> list[str]:
    """Return the program and its arguments; the program imports nothing from the folder in which it starts."""
    return [sys.executable, "-P", "-m", "benchwright", *job.arguments(workspace, folder)]
