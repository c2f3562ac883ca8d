"""The health of a release according to stored results: the single function behind `evaluate health`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..analysis.label_issue_files import suspects_document
from .actions import Advice, advice_of
from .changed_conditions import published_order, without_pictures
from .history import DatedSystem, OtherVersion, dated_systems, older_items, other_versions
from .model_facts import ModelDates
from .reply_texts import completion, texts_in_replies
from .runs import HealthRuns, gather_runs
from .scopes import Scope, scopes_of
from .signs import Sign

if TYPE_CHECKING:
    from benchwright.release import Release

FORMAT, VERSION = "benchwright/health", 1


class Health(NamedTuple):
    """The condition of a release according to stored results.

    Args:
        release: The release.
        runs: The runs, grouped by their roles.
        whole: Ceiling and discrimination across all items.
        tasks: The same for each task, by name.
        signs: Signs of contamination.
        dated: Systems with a date, the earliest first; empty if no dates are given.
        versions: Other releases that have runs among the results.
        advice: Advice on tasks and items.
    """

    release: Release
    runs: HealthRuns
    whole: Scope
    tasks: tuple[Scope, ...]
    signs: tuple[Sign, ...]
    dated: tuple[DatedSystem, ...]
    versions: tuple[OtherVersion, ...]
    advice: tuple[Advice, ...]

    @property
    def systems(self) -> list[str]:
        """Return the titles of the current systems."""
        return [self.runs.sheet.scores[row].title for row in self.runs.systems]

    def items_by_action(self) -> Mapping[str, int]:
        """Return the number of items for each recommended action."""
        return Counter(each.action for each in self.advice if each.kind == "item")

    def document(self) -> dict[str, Any]:
        """Return the health as JSON values."""
        titles = [score.title for score in self.runs.sheet.scores]
        suspects = suspects_document(self.runs.issues, None)
        return {
            "format": FORMAT,
            "version": VERSION,
            "release": f"{self.release.name} {self.release.version}",
            "release_id": self.release.release_id,
            "split": self.runs.sheet.scores[0].split,
            "systems": self.systems,
            "blind_runs": [titles[row] for row in self.runs.blind],
            "ordered_runs": [titles[row] for row in self.runs.ordered],
            "left_out": [run._asdict() for run in self.runs.left_out],
            "whole": self.whole.document(),
            "tasks": [scope.document() for scope in self.tasks],
            "suspects": suspects["suspects"] if self.runs.are_keys_judged else None,
            "doubted_tasks": suspects["tasks"] if self.runs.are_keys_judged else None,
            "signs": [sign.document() for sign in self.signs],
            "dated": [system.document() for system in self.dated],
            "versions": [version._asdict() for version in self.versions],
            "advice": [each.document() for each in self.advice],
        }


def health_of(
    release: Release,
    sources: Sequence[Path],
    *,
    split: str | None = None,
    dates: Mapping[str, ModelDates] | None = None,
) -> Health:
    """Return the health of a release, computed from stored results.

    Args:
        release: The release.
        sources: Stores, folders of results or single results; runs of other releases are used only to list other
            versions.
        split: Split whose runs are used; by default, the split of most runs.
        dates: Dates of models, as `read_model_dates` returns them.

    Raises:
        BenchwrightError: No run belongs to the release, or none to the split.
        DataError: The results or the release are damaged.
    """
    runs = gather_runs(release, sources, split)
    stated = dates or {}
    whole, *tasks = scopes_of(runs, release)
    path = str(release.path)
    signs = (
        without_pictures(runs, path),
        published_order(runs, path),
        *texts_in_replies(runs, release, path),
        completion(),
        older_items(runs, release, stated),
    )
    return Health(
        release,
        runs,
        whole,
        tuple(tasks),
        signs,
        dated_systems(runs, stated, whole),
        other_versions(runs),
        advice_of(runs, tasks, signs),
    )
