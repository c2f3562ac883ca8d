"""Report of the battery on a release or a workspace: each solver's accuracy without doing the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.engines.local import processors
from benchwright.engines.record_jobs import map_on_this_machine
from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images import decode_rgb
from benchwright.record_map import map_here
from benchwright.source_files.item_files import SourceItem
from benchwright.steps import CueFamily
from benchwright.texts.normalization import printable

from ..adversary.learning import MOST_ITEMS
from ..models.model_questions import PixelsOf
from .battery import SolverResult, TaskResult, run_battery
from .edited_pictures import EditedPictures, PairAnswers, edited_pictures
from .forest import require_forests
from .item_source import ItemSource, LeftOutItem
from .measuring import ALONE, NO_PICTURE, learned_from, measure_items
from .model_solvers import PicturelessAsker, PicturelessModel, PlannedRequests, SolverReply, plan_requests
from .picks import Bounds
from .pruning import PruneSettings, Pruning, prunings
from .refusal_cues import RefusableQuestion, RefusalCues, refusable, refusal_cues

_ASKED_TOGETHER = 64
"""Number of items whose pictures are in memory while a model is being asked about them."""


class ShortcutReport(NamedTuple):
    """The results of the battery.

    Args:
        source: Source of the items.
        seed: Seed of the forests.
        bounds: Conditions under which items carry a cue.
        tasks: Results, one per task, sorted by task.
        whole: Results on the items of all tasks together; None for a single task.
        left_out: Items that were not measured.
        pruning: Items that pruning would remove, per task whose forest carries a cue; empty unless requested.
        words_alone: Number of items with missing pictures, for which only words and letters were measured.
        own_ids: Ids of questions in their files, by item id; empty for a release or workspace.
        model: Name of the model that answered without pictures; None if no model did.
        refusals: How well questions alone reveal whether they are answerable; None if not enough items of either kind
            have a refusal choice.
        edited: Whether single pictures of pairs reveal that they were edited; None if no pair has separate questions on
            its pictures.
    """

    source: ItemSource
    seed: int
    bounds: Bounds
    tasks: tuple[TaskResult, ...]
    left_out: tuple[LeftOutItem, ...]
    pruning: tuple[Pruning, ...] = ()
    words_alone: int = 0
    own_ids: Mapping[str, str] = {}
    model: str | None = None
    whole: TaskResult | None = None
    refusals: RefusalCues | None = None
    edited: EditedPictures | None = None

    @property
    def results(self) -> tuple[TaskResult, ...]:
        """Return the results of the tasks and of the whole set."""
        return self.tasks if self.whole is None else (*self.tasks, self.whole)

    @property
    def items(self) -> int:
        """Return the number of items measured."""
        return sum(len(task.table.items) for task in self.tasks)

    def flagged(self) -> dict[str, tuple[SolverResult, ...]]:
        """Return the solvers whose cue each item carries, by item id; items without a cue are omitted."""
        return flagged_over(self.results)

    def pruned(self) -> frozenset[str]:
        """Return the ids of the items that pruning would remove."""
        return frozenset(item_id for pruning in self.pruning for item_id in pruning.item_ids)

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values, without the items."""
        reasons = Counter(item.reason for item in self.left_out)
        return {
            "items": self.items,
            "words_alone": self.words_alone,
            "flagged": len(self.flagged()),
            "left_out": dict(sorted(reasons.items())),
            "seed": self.seed,
            **self.bounds._asdict(),
            "model": self.model,
            "tests": sum(len(task.solvers) for task in self.results),
            "tasks": [task.to_json() for task in self.tasks],
            "whole": None if self.whole is None else self.whole.to_json(),
            "pruning": [pruning.to_json(self.own_ids) for pruning in self.pruning],
            "refusals": None if self.refusals is None else self.refusals.to_json(self.own_ids),
            "edited_pictures": None if self.edited is None else self.edited.to_json(),
        }


def flagged_items(task: TaskResult) -> dict[str, tuple[SolverResult, ...]]:
    """Return the solvers that a cue helps with each item of a task, by item id; other items are omitted.

    Solvers that only mark an option as wrong count only if no other solver carries a cue, because they help a little
    with most items.
    """
    carried = [result for result in task.carried if result.answers] or task.carried
    flagged: dict[str, tuple[SolverResult, ...]] = {}
    for row, item in enumerate(task.table.items):
        if solvers := tuple(result for result in carried if result.helped[row]):
            flagged[item.item_id] = solvers
    return flagged


def flagged_over(results: Sequence[TaskResult]) -> dict[str, tuple[SolverResult, ...]]:
    """Return the solvers that a cue helps with each item on its task and on the whole set, by item id."""
    flagged: dict[str, tuple[SolverResult, ...]] = {}
    for task in results:
        for item_id, solvers in flagged_items(task).items():
            named = {each.solver for each in flagged.get(item_id, ())}
            flagged[item_id] = flagged.get(item_id, ()) + tuple(each for each in solvers if each.solver not in named)
    return flagged


def find_shortcuts(
    source: Path | ItemSource,
    *,
    task_cues: Mapping[str, Sequence[CueFamily]] | None = None,
    bounds: Bounds | None = None,
    prune_most: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    learn_from: int = MOST_ITEMS,
    model: PicturelessModel | None = None,
    replies: Path | None = None,
) -> ShortcutReport:
    """Return the results that solvers that do not do the task achieve on the items.

    Args:
        source: Folder of a release or of a workspace whose run is finished, or file, archive or folder of questions in
            a form that the step `items` reads; an `ItemSource` if pictures are elsewhere, or columns have other names.
        task_cues: Families of cues that a task asks about, by task, replacing the declarations of its step; default
            None.
        bounds: Conditions under which items carry a cue; default `Bounds()`.
        prune_most: Proportion of a task's items, 0-1, that pruning may remove; None if there is no pruning.
        seed: Seed of the forests.
        workers: Number of processes; default one per processor.
        learn_from: Maximum number of items per task from which the adversary learns; 0 for none.
        model: Model that answers without pictures; None if no model is asked.
        replies: File in which the model's replies are kept, so that no request is paid for twice; None keeps none.

    Raises:
        BenchwrightError: The source is none of these, the workspace's run is not finished, or `task_cues` names a task
            that no item has.
        DataError: A file is damaged.
        PrerequisiteError: scikit-learn is not installed, or no request to the model can succeed.
        BudgetSpent: The model's budget does not cover all requests; the replies received so far are kept.
    """
    require_forests()
    bounds = bounds or Bounds()
    source = source if isinstance(source, ItemSource) else ItemSource(source)
    own_ids: dict[str, str] = {}
    declinable: list[RefusableQuestion] = []
    answers = PairAnswers()
    with map_on_this_machine("shortcuts", workers=processors() if workers is None else workers) as record_map:
        measured = measure_items(
            _noted(source.rows(), own_ids, declinable, answers),
            record_map=record_map,
            in_order=source.is_files,
            most_learned=learn_from,
            learned=(
                None if source.is_files or not learn_from else learned_from(source.keyed_items(), most=learn_from)
            ),
        )
        _check_named(task_cues or {}, {item.task for item in measured.cues}, source.path)
        is_small = len(measured.cues) <= ALONE or len({item.task for item in measured.cues}) == 1
        map_of_tasks = map_here if is_small else record_map  # a worker that grows forests takes a second to start
        answered = {} if model is None else _ask_model(source, model, seed=seed, replies=replies)
        battery = run_battery(
            measured.cues,
            measured.group_keys,
            seed=seed,
            bounds=bounds,
            task_cues=task_cues or {},
            replies=answered,
            evidence=measured.evidence,
            rows=measured.rows,
            record_map=map_of_tasks,
        )
        settings = None if prune_most is None else PruneSettings(most=prune_most)
        pruned = [] if settings is None else list(prunings(battery.tasks, settings, seed, bounds, map_of_tasks))
        edited = edited_pictures(
            source.rows(), answers, seed=seed, bounds=bounds, most_learned=learn_from, record_map=record_map
        )
    pruning = tuple(each for each in pruned if each is not None)
    return ShortcutReport(
        source,
        seed,
        bounds,
        battery.tasks,
        measured.left_out,
        pruning,
        words_alone=measured.words_alone,
        own_ids=own_ids,
        model=None if model is None else model.chat.model,
        whole=battery.whole,
        refusals=refusal_cues(declinable),
        edited=edited,
    )


def _check_named(task_cues: Mapping[str, Sequence[CueFamily]], tasks: Collection[str], source: Path) -> None:
    """Raise an error if cues are declared for a task that no item has; all tasks pass if nothing was measured."""
    unknown = sorted(task_cues.keys() - set(tasks))
    if unknown and tasks:
        known = ", ".join(printable(task) for task in sorted(tasks))
        raise BenchwrightError(
            f"{source}: no item has the task {printable(unknown[0])}, for which cues are allowed; "
            f"the items' tasks are {known}"
        )


def _noted(
    rows: Iterator[SourceItem | LeftOutItem],
    own_ids: dict[str, str],
    declinable: list[RefusableQuestion],
    answers: PairAnswers,
) -> Iterator[SourceItem | LeftOutItem]:
    """Yield all rows, and record the questions' own ids, questions with a refusal choice, and answers about pairs."""
    for row in rows:
        if isinstance(row, SourceItem):
            answers.note(row.item)
        if isinstance(row, SourceItem) and row.own_id is not None:
            own_ids[row.item.item_id] = row.own_id
        if isinstance(row, SourceItem) and (question := refusable(row.item)) is not None:
            declinable.append(question)
        yield row


def _ask_model(
    source: ItemSource, model: PicturelessModel, *, seed: int, replies: Path | None
) -> dict[str, tuple[SolverReply, ...]]:
    """Return a model's replies to the items of a source, by item id.

    Args:
        source: Source of the items.
        model: The model.
        seed: Seed of the order of options.
        replies: File in which replies are kept; None keeps none.

    Raises:
        PrerequisiteError: No request can succeed.
        BudgetSpent: The budget does not cover all requests; the replies received so far are kept.
    """
    from benchwright.models.endpoints.reply_store import ReplyStore

    answered: dict[str, tuple[SolverReply, ...]] = {}
    with ExitStack() as stack:
        store = None if replies is None else stack.enter_context(closing(ReplyStore(replies, tmp=replies.parent)))
        asker = stack.enter_context(closing(PicturelessAsker(model, seed=seed, replies=store)))
        items = source.items()
        while batch := list(islice(items, _ASKED_TOGETHER)):
            files = {image_id: data for each in batch for image_id, data in each.files.items()}
            of_batch = asker.replies_to([each.item for each in batch], _decoder(files))
            answered |= {each.item.item_id: reply for each, reply in zip(batch, of_batch, strict=True)}
    return answered


def _decoder(files: Mapping[str, bytes]) -> PixelsOf:
    def pixels(image_id: str) -> NDArray[np.uint8]:
        if image_id not in files:
            raise UnreadableImage(NO_PICTURE, "the picture is missing")
        return decode_rgb(files[image_id])

    return pixels


def plan_model(source: Path | ItemSource, model: PicturelessModel, *, seed: int = 0) -> PlannedRequests:
    """Return the cost of asking a model about items, without sending any request.

    Args:
        source: Source of the items, as for `find_shortcuts`.
        model: The model.
        seed: Seed of the order of options.
    """
    source = source if isinstance(source, ItemSource) else ItemSource(source)
    return plan_requests((each.item for each in source.items()), model, seed=seed)
