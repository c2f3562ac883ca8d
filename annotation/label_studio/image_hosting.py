"""Hosting of task pictures for Label Studio: by upload, in a folder that it serves, or by publication elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from benchwright.workspace.atomic import write_bytes

from .label_config import pictures_config
from .projects import Projects
from .server import Server


class ImageHosting(Protocol):
    """Makes pictures available to Label Studio."""

    @property
    def is_lost(self) -> bool:
        """Return whether pictures that were hosted earlier are gone, so that existing tasks show no pictures."""

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Store pictures for a project, and return their URLs by name."""


@dataclass(frozen=True)
class UploadedImages:
    """Pictures that are uploaded to a separate project on the server.

    A project whose tasks have several data fields does not accept picture files.
    """

    server: Server
    projects: Projects
    campaign: str
    is_lost: bool = False

    @classmethod
    def of(cls, server: Server, projects: Projects, campaign: str) -> UploadedImages:
        """Return the hosting for a campaign's pictures, after checking whether their project was deleted there."""
        before = projects.pictures_of(campaign)
        return cls(server, projects, campaign, before is not None and not server.has_project(before))

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Upload the pictures and return their URLs."""
        pictures_project = self.projects.pictures_of(self.campaign)
        if pictures_project is None or not self.server.has_project(pictures_project):
            title = f"Pictures of project {project}"
            pictures_project = self.server.make_project(title, config=pictures_config(), annotators_per_task=1)
            self.projects.remember_pictures(self.campaign, pictures_project)
        return self.server.upload(pictures_project, files)


@dataclass(frozen=True)
class LocalFiles:
    """Pictures in a folder below the server's document root (`LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT`)."""

    server: Server
    root: Path
    folder: str
    is_lost: ClassVar[bool] = False

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write the pictures, let the project serve the folder, and return their URLs."""
        target = self.root / self.folder
        target.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            if not (target / name).exists():
                write_bytes(target / name, data)
        self.server.serve_folder(project, target.resolve())
        return {name: f"/data/local-files/?d={self.folder}/{name}" for name in files}


@dataclass(frozen=True)
class CloudUrl:
    """Pictures written to a folder that is published under a URL, such as that of a bucket."""

    folder: Path
    url: str
    is_lost: ClassVar[bool] = False

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write the pictures and return their URLs; the user must publish the folder."""
        del project
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            if not (self.folder / name).exists():
                write_bytes(self.folder / name, data)
        return {name: f"{self.url.rstrip('/')}/{name}" for name in files}
