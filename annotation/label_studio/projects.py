"""The projects of campaigns on a server, recorded in a file of the workspace."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.workspace.atomic import write_json

FILE = "label-studio.json"
FORMAT, VERSION = "benchwright/label-studio", 1


class TakenAnnotation(NamedTuple):
    """An annotation from the server that is in the store.

    Attributes:
        annotation: Its id on the server.
        task: Id of its task there.
        project: Id of its project there.
        key: Key of the item, which changes with its content; None if the task has no item.
        item_id: Item; None if the task has none.
        author: Name of its author in the store.
        is_moved: Whether it was in a deleted project that `project` replaced; default False.
    """

    annotation: int
    task: int
    project: int
    key: str | None
    item_id: str | None
    author: str
    is_moved: bool = False


class Projects:
    """The Label Studio projects of a workspace's campaigns."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE
        self._known: dict[str, dict[str, object]] = {}
        try:
            document = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise DataError(f"{self._path} cannot be read: {error}") from error
        if not isinstance(document, dict) or (document.get("format"), document.get("version")) != (FORMAT, VERSION):
            raise DataError(f"{self._path} does not state format {FORMAT!r} in version {VERSION}; upgrade benchwright")
        self._known = document["campaigns"]

    def of(self, campaign: str, url: str) -> int | None:
        """Return a campaign's project, or None if there is none.

        Raises:
            BenchwrightError: The project is on another server.
        """
        entry = self._known.get(campaign)
        if entry is None:
            return None
        if entry["url"] != url:
            raise BenchwrightError(
                f"campaign {campaign!r} is on {entry['url']} (project {entry['project']}); give that --url, or remove "
                f"{self._path} to start over on {url}"
            )
        return int(str(entry["project"]))

    def pictures_of(self, campaign: str) -> int | None:
        """Return the project that contains a campaign's uploaded pictures, or None if there is none."""
        return self._also(campaign, "pictures")

    def votes_of(self, campaign: str) -> int | None:
        """Return the project for a review's votes, which follow the answers in the campaign's own project."""
        return self._also(campaign, "votes")

    def photographs_of(self, campaign: str) -> dict[str, str]:
        """Return the ids of photographs that were downloaded from a campaign's project, by path on the server."""
        entry = self._known.get(campaign, {}).get("photographs")
        return {str(path): str(image_id) for path, image_id in entry.items()} if isinstance(entry, dict) else {}

    def remember_photographs(self, campaign: str, image_ids: dict[str, str]) -> None:
        """Store the ids of downloaded photographs by their paths."""
        self._known[campaign]["photographs"] = image_ids
        self._save()

    def taken_of(self, campaign: str) -> dict[int, TakenAnnotation]:
        """Return the annotations pulled for a campaign, by id, except those pulled by earlier program versions."""
        rows = self._known.get(campaign, {}).get("taken")
        taken = [TakenAnnotation(*row) for row in rows] if isinstance(rows, list) else []
        return {annotation.annotation: annotation for annotation in taken}

    def remember_taken(self, campaign: str, taken: Mapping[int, TakenAnnotation]) -> None:
        """Store the pulled annotations of a campaign."""
        self._known[campaign]["taken"] = [list(taken[number]) for number in sorted(taken)]
        self._save()

    def remember(self, campaign: str, url: str, project: int) -> None:
        """Store a campaign's project; annotations pulled from the project that it replaces then count as its own."""
        before = self._known.setdefault(campaign, {"url": url})
        self._move_taken(campaign, before.get("project"), project)
        self._known[campaign] |= {"url": url, "project": project}
        self._save()

    def remember_pictures(self, campaign: str, project: int) -> None:
        """Store the project that contains a campaign's pictures."""
        self._known[campaign]["pictures"] = project
        self._save()

    def remember_votes(self, campaign: str, project: int) -> None:
        """Store the project for a review's votes, as `remember` does."""
        self._move_taken(campaign, self._known[campaign].get("votes"), project)
        self._known[campaign]["votes"] = project
        self._save()

    def _move_taken(self, campaign: str, before: object, project: int) -> None:
        """Assign annotations pulled from a deleted project to its replacement, where annotators label again."""
        if "taken" in self._known[campaign]:
            taken = self.taken_of(campaign).values()
            moved = [one._replace(project=project, is_moved=True) if one.project == before else one for one in taken]
            self._known[campaign]["taken"] = [list(one) for one in moved]

    def _also(self, campaign: str, role: str) -> int | None:
        entry = self._known.get(campaign, {}).get(role)
        return None if entry is None else int(str(entry))

    def _save(self) -> None:
        write_json(self._path, {"format": FORMAT, "version": VERSION, "campaigns": self._known})
