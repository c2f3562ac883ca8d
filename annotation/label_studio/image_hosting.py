"""Where Label Studio finds the pictures of tasks: uploaded, in a folder that it serves, or published elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchwright.workspace.atomic import write_bytes

from .label_config import pictures_config
from .projects import Projects
from .server import Server


class ImageHosting(Protocol):
    """Where Label Studio finds pictures."""

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Put pictures there and return the URL of each, by name."""


@dataclass(frozen=True)
class UploadedImages:
    """Pictures sent to the server, which keeps them in a project of their own.

    A project with a form of several fields takes no uploads as they are.
    """

    server: Server
    projects: Projects
    campaign: str

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Upload them."""
        held_in = self.projects.pictures_of(self.campaign)
        if held_in is None or not self.server.has_project(held_in):
            title = f"Pictures of project {project}"
            held_in = self.server.make_project(title, config=pictures_config(), annotators_per_task=1)
            self.projects.remember_pictures(self.campaign, held_in)
        return self.server.upload(held_in, files)


@dataclass(frozen=True)
class LocalFiles:
    """Pictures in a folder below the server's document root (`LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT`)."""

    server: Server
    root: Path
    folder: str

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write them and let the project serve the folder."""
        target = self.root / self.folder
        target.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            if not (target / name).exists():
                write_bytes(target / name, data)
        self.server.serve_folder(project, target.resolve())
        return {name: f"/data/local-files/?d={self.folder}/{name}" for name in files}


@dataclass(frozen=True)
class CloudUrl:
    """Pictures written to a folder that is published under a URL, such as a bucket's."""

    folder: Path
    url: str

    def put(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write them; whoever runs this publishes the folder."""
        del project
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            if not (self.folder / name).exists():
                write_bytes(self.folder / name, data)
        return {name: f"{self.url.rstrip('/')}/{name}" for name in files}
