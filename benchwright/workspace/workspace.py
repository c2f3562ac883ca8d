"""A workspace: the folder that a run reads and writes.

workspace.json      format, version, seed, shard count, image folder, resolved recipe
tables/STAGE/       the stage's shards, markers and `current.json`
objects/            made images by hash
releases/, results/ output of final steps
collected/          uploaded photographs, by hash
review-pictures/    pictures of releases whose items annotators review again
review.sqlite       annotators' work; or review-store.json, which names the database that holds it
datasets/           rows refused by the steps `dataset`, one list per entry
overrides/          snapshots of curators' overrides of step verdicts
replies/            models' replies: to steps in steps.sqlite, to scoring in a folder per model
takedowns.json      images withdrawn from the next releases
runs/               one folder per run, with all that varies (times, workers, versions, messages)
cache/ journal/ tmp/  may be deleted while nothing runs
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError, DamagedError, DataError
from benchwright.images.made_pictures import MadeRule, PictureRule
from benchwright.machine.file_locks import lock
from benchwright.workspace.checked_files import CheckedFiles, checked_files
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.private_files import keep_private, make_private_folder
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.store_place import store_url

FORMAT = "benchwright/workspace"
VERSION = 1
COPIED = "copied"
"""Key in `workspace.json` that states whether the last run stored the source pictures in the workspace."""
NO_IMAGES = "no_images"
"""Folder under `cache` that is used in place of the image folder if steps bring all pictures."""


class Workspace:
    """Paths and settings of one workspace folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tables = root / "tables"
        self.runs = root / "runs"
        self.cache = root / "cache"
        self.journal = root / "journal"
        self.overrides = root / "overrides"
        self.tmp = root / "tmp"
        self.step_replies = root / "replies" / "steps.sqlite"
        self.objects = ObjectStore(root / "objects", tmp=self.tmp)

    @classmethod
    def open(cls, root: Path) -> Workspace:
        """Open an existing workspace.

        Raises:
            DataError: The folder is not a workspace, or was made by a newer version.
        """
        workspace = cls(root)
        workspace.settings()
        return workspace

    @classmethod
    def create(cls, root: Path) -> Workspace:
        """Create the folders of a workspace, or open an existing one.

        Raises:
            BenchwrightError: The folder contains other files.
        """
        if root.exists() and not root.is_dir():
            raise BenchwrightError(f"{root} is a file; give a folder for the workspace")
        is_known = (root / "workspace.json").exists() or (root / "tables" / "ingest" / "markers").is_dir()
        if root.exists() and any(root.iterdir()) and not is_known:
            left_by_us = {"tables", "objects", "runs", "cache", "journal", "tmp", "lock", ".gitignore"}
            if strange := sorted({entry.name for entry in root.iterdir()} - left_by_us):
                raise BenchwrightError(
                    f"{root} is not a workspace and not empty (it contains {strange[0]!r}); give an empty or new folder"
                )
        workspace = cls(root)
        make_private_folder(root)
        keep_private(root)
        for folder in (workspace.tables, workspace.runs, workspace.cache, workspace.journal, workspace.tmp):
            folder.mkdir(parents=True, exist_ok=True)
        return workspace

    def settings(self) -> dict[str, Any]:
        """Return the content of `workspace.json`.

        Raises:
            DataError: The file is missing, damaged or newer than this program.
        """
        path = self.root / "workspace.json"
        try:
            document = read_sealed(path)
        except FileNotFoundError:
            raise DataError(
                f"{self.root} is not a workspace (no workspace.json); make one with `benchwright run`"
            ) from None
        except DamagedError as error:
            raise DamagedError(path, f"{error.what}; `benchwright run` with its recipe rewrites it") from error
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error}") from error
        if document.get("format") != FORMAT:
            raise DataError(f"{path} does not state format {FORMAT!r}; this folder belongs to another program")
        if document.get("version", 0) > VERSION:
            raise DataError(
                f"{path} has version {document['version']}, but this program reads {VERSION}; upgrade benchwright"
            )
        return document

    def copies_sources(self) -> bool:
        """Return whether the workspace has its own copies of all source pictures."""
        settings = self.settings()
        return bool(settings.get(COPIED)) or settings.get("images") == str(self.cache.resolve() / NO_IMAGES)

    def picture_rule(self) -> PictureRule:
        """Return the rule for step-made pictures in releases of this workspace, unless a recipe overrides it.

        The first run fixes the rule. A workspace older than the choice, and a folder that is not a workspace, use
        `lossless`.
        """
        if not (self.root / "workspace.json").exists():
            return "lossless"
        return "by_content" if self.settings().get("pictures") == "by_content" else "lossless"

    def made_rule(self) -> MadeRule:
        """Return the workspace's rule for storing step-made pictures; `png` for a workspace that predates this choice.

        The first run fixes the rule, so that a lost picture can be made again with the same bytes.
        """
        rule = self.settings().get("made")
        return rule if rule in ("by_content", "lossless") else "png"

    def save_settings(self, settings: Mapping[str, Any]) -> None:
        """Write `workspace.json` atomically."""
        write_sealed(self.root / "workspace.json", {"format": FORMAT, "version": VERSION, **settings}, tmp=self.tmp)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the workspace for one run; the kernel releases the lock when the process ends for any reason.

        Raises:
            BenchwrightError: Another run has locked it.
        """
        with (self.root / "lock").open("w") as handle:
            try:
                lock(handle, self.root / "lock", waits=False)
            except BlockingIOError:
                raise BenchwrightError(
                    f"another benchwright run is using {self.root}; wait for it or give another --workspace"
                ) from None
            for stray in self.tmp.iterdir():
                shutil.rmtree(stray) if stray.is_dir() else stray.unlink(missing_ok=True)
            yield

    @property
    def checked(self) -> CheckedFiles:
        """Return the cache of this workspace's checked files."""
        return checked_files(self.root)

    @property
    def store_url(self) -> str:
        """Return the review store's database URL, from `store_place.store_url`."""
        return store_url(self.root)
