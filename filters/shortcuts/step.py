"""The step `shortcuts`, which asks about items that can be answered without doing their task."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.canonical import canonical_json
from benchwright.diagnostics.adversary.item_evidence import ItemEvidence
from benchwright.diagnostics.adversary.learning import MOST_ITEMS, power_in_words
from benchwright.diagnostics.shortcuts.battery import BatteryResults, SolverResult, TaskResult, run_battery
from benchwright.diagnostics.shortcuts.cue_table import with_source_image
from benchwright.diagnostics.shortcuts.forest import require_forests
from benchwright.diagnostics.shortcuts.item_cues import ItemCues
from benchwright.diagnostics.shortcuts.measuring import (
    UNKEYED,
    cues_or_reason,
    evidence_or_none,
    facts_reader,
    learned_from,
)
from benchwright.diagnostics.shortcuts.model_solvers import PicturelessAsker, PicturelessModel, SolverReply, share_right
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.diagnostics.shortcuts.pruning import PruneSettings, prunings
from benchwright.diagnostics.shortcuts.report import flagged_over
from benchwright.errors import BenchwrightError, PrerequisiteError, UnreadableImage
from benchwright.images.decode import decode_rgb
from benchwright.raised import RaisedError
from benchwright.records import Item
from benchwright.steps import (
    Context,
    CueFamily,
    GatherContext,
    Gathered,
    GatherStep,
    MapStep,
    OpenContext,
    Outcome,
    Step,
    Stream,
    Verdict,
)

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

_REASON, _PRUNED, _NOT_MEASURED = "carries_shortcut", "pruned", "not_measured"


class _PicturesInRun:
    """The pictures of an item of a run, as read by a worker, which decodes each of them once."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._pixels: dict[str, NDArray[np.uint8]] = {}

    def data(self, image_id: str) -> bytes:
        """Return the bytes of a picture's file."""
        return self._ctx.images.file_bytes(self._ctx.image(image_id))

    def pixels(self, image_id: str) -> NDArray[np.uint8]:
        """Return the upright pixels of a picture."""
        if image_id not in self._pixels:
            self._pixels[image_id] = decode_rgb(self.data(image_id))
        return self._pixels[image_id]


def _measured(item: Item, measure: Callable[[], Outcome]) -> Outcome:
    """Return the outcome of measuring an item.

    If measuring raises an exception, the measurement is at fault: the item is kept, and annotators are asked about it.
    """
    try:
        return measure()
    except (BenchwrightError, OSError, MemoryError):
        raise
    except Exception as error:
        logger.warning("item %s was not measured", item.item_id, exc_info=True)
        return Outcome("ask", _NOT_MEASURED, evidence={"error": RaisedError.of(error)._asdict()})


class MeasuredCues(MapStep):
    """Measure the cues of an item."""

    name: ClassVar[str] = "cues"
    version: ClassVar[int] = 6
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"cues": "string"}

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Measure one item; an item without a right answer has no cues."""

        def measure() -> Outcome:
            cues = cues_or_reason(record, facts_reader(_PicturesInRun(ctx)))
            if isinstance(cues, str):
                return Outcome() if cues in UNKEYED else Outcome("failed", cues)
            return Outcome(values={"cues": cues.to_text()})

        return _measured(record, measure)


class LearnedFrom(GatherStep):
    """Choose the items from which the adversary learns; for a task with many items, choose some by their ids."""

    name: ClassVar[str] = "learned"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"is_learned": "bool"}
    columns: ClassVar[tuple[str, ...]] = ("item_id", "task", "cues.cues")

    learn_from: int = MOST_ITEMS

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Choose among the items that have cues."""
        del ctx
        has_cues = columns["cues.cues"].is_valid().to_pylist()
        ids = columns["item_id"].to_pylist()
        keyed = zip(columns["task"].to_pylist(), ids, has_cues, strict=True)
        chosen = learned_from(((task, item_id) for task, item_id, is_keyed in keyed if is_keyed), most=self.learn_from)
        rows = [row for row, item_id in enumerate(ids) if item_id in chosen]
        return Gathered(rows=np.array(rows, np.int64), values={"is_learned": [True] * len(rows)})


class SeenByAdversary(MapStep):
    """Measure everything about an item from which the adversary learns."""

    name: ClassVar[str] = "seen"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"measures": "string"}
    reads: ClassVar[tuple[str, ...]] = ("learned.is_learned",)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Measure one item; an item that was not chosen gets no evidence."""
        if not ctx.value(record.item_id, "learned.is_learned"):
            return Outcome()

        def measure() -> Outcome:
            try:
                evidence = evidence_or_none(record, _PicturesInRun(ctx))
            except UnreadableImage as error:
                return Outcome("failed", error.reason)
            return Outcome() if evidence is None else Outcome(values={"measures": evidence.to_text()})

        return _measured(record, measure)


class PicturelessReplies(MapStep):
    """Ask a model about items without their pictures."""

    name: ClassVar[str] = "models"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "items"
    costly: ClassVar[bool] = True
    values: ClassVar[Mapping[str, str]] = {"replies": "string"}

    model: PicturelessModel

    def parameters(self) -> dict[str, Any]:
        """Return only the settings that determine the replies."""
        return self.model.deciding()

    def open(self, ctx: OpenContext) -> PicturelessAsker:
        """Connect to the model."""
        return PicturelessAsker(self.model, seed=ctx.seed, replies=ctx.replies)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Ask about one item."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[Item], ctx: Context) -> Sequence[Outcome]:
        """Ask about items; an item that cannot be asked about receives no replies."""
        asker: PicturelessAsker = ctx.opened
        replies = asker.replies_to(records, lambda image_id: ctx.images.rgb(ctx.image(image_id)))
        return [
            Outcome(values={"replies": canonical_json([reply._asdict() for reply in of_item])})
            if of_item
            else Outcome()
            for of_item in replies
        ]


class CheatingSolvers(GatherStep):
    """Let all solvers answer all items, and let the adversary learn from the chosen ones."""

    name: ClassVar[str] = "solvers"
    version: ClassVar[int] = 4
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"bias": "float64", "solvers": "list<string>"}
    columns: ClassVar[tuple[str, ...]] = ("item_id", "root_image_id", "group_keys", "cues.cues", "seen.measures")
    imports: ClassVar[tuple[str, ...]] = (
        "pandas", "sklearn.ensemble", "scipy.fft", "scipy.linalg", "scipy.special", "scipy.stats", "threadpoolctl",
    )  # fmt: skip

    allowed_cues: dict[str, tuple[CueFamily, ...]]
    max_gain: float
    min_p: float
    verdict: Literal["ask", "drop"]
    prune: PruneSettings | None

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Run the battery, and give each item its bias score and the solvers that a cue helps with it."""
        cues: list[ItemCues] = []
        keys: dict[str, tuple[str, ...]] = {}
        row_of: dict[str, int] = {}
        evidence: dict[str, ItemEvidence] = {}
        *names, seen = CheatingSolvers.columns
        described = zip(*(columns[name].to_pylist() for name in names), columns[seen], strict=True)
        for row, (item_id, root, groups, text, seen_text) in enumerate(described):
            if text is not None:
                cues.append(ItemCues.from_text(text))
                keys[item_id] = with_source_image(groups, root)
                row_of[item_id] = row
                if seen_text.is_valid:
                    evidence[item_id] = ItemEvidence.from_text(seen_text.as_py())
        bounds = Bounds(self.max_gain, self.min_p)
        replies = self.replies(columns)
        results = (
            run_battery(
                cues,
                keys,
                seed=ctx.seed,
                bounds=bounds,
                task_cues=self.allowed_cues,
                replies=replies,
                evidence=evidence,
                record_map=ctx.record_map,
            )
            if cues
            else BatteryResults((), None)
        )
        for result in results.all:
            if result.power is not None:
                logger.info("%s: %s", result.table.task, power_in_words(result.power))
        flagged = flagged_over(results.all)
        spoken: dict[int, tuple[Verdict, str | None, float | None, list[str], dict[str, Any]]] = {}
        for result, pruned in zip(results.tasks, self._pruned(results.tasks, bounds, ctx), strict=True):
            for item_id, outcome in self._of_task(result, pruned, flagged).items():
                spoken[row_of[item_id]] = outcome
        rows = sorted(spoken)
        values: dict[str, list[Any]] = {
            "bias": [spoken[row][2] for row in rows],
            "solvers": [spoken[row][3] for row in rows],
        }
        if "blind" in self.values:
            blind = {row_of[cue.item_id]: share_right(replies.get(cue.item_id, ()), cue.right) for cue in cues}
            values["blind"] = [blind[row] for row in rows]
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=[spoken[row][0] for row in rows],
            reasons=[spoken[row][1] for row in rows],
            values=values,
            evidence=[spoken[row][4] for row in rows],
        )

    def replies(self, columns: pa.Table) -> Mapping[str, Sequence[SolverReply]]:
        """Return a model's replies by item id; empty here, because no model is queried."""
        del columns
        return {}

    def _pruned(self, results: Sequence[TaskResult], bounds: Bounds, ctx: GatherContext) -> Iterator[frozenset[str]]:
        """Yield, for each task, the ids of the items that pruning removes."""
        if self.prune is None:
            yield from (frozenset() for _ in results)
            return
        for pruning in prunings(results, self.prune, ctx.seed, bounds, ctx.record_map):
            yield frozenset() if pruning is None else frozenset(pruning.item_ids)

    def _of_task(
        self, result: TaskResult, pruned: frozenset[str], flagged: Mapping[str, Sequence[SolverResult]]
    ) -> dict[str, tuple[Verdict, str | None, float | None, list[str], dict[str, Any]]]:
        """Return the verdict, reason, bias score, solver names and evidence for each item of a task."""
        outcomes: dict[str, tuple[Verdict, str | None, float | None, list[str], dict[str, Any]]] = {}
        for item, bias in zip(result.table.items, result.bias.tolist(), strict=True):
            solvers = flagged.get(item.item_id, ())
            verdict: Verdict = self.verdict if solvers else "keep"
            reason = _REASON if solvers else None
            if item.item_id in pruned:
                verdict, reason = "drop", _PRUNED
            evidence = {"solvers": [solver.to_json() for solver in solvers]} if solvers else {}
            score = None if np.isnan(bias) else round(bias, 6)
            outcomes[item.item_id] = (verdict, reason, score, [solver.solver for solver in solvers], evidence)
        return outcomes


class CheatingSolversWithModel(CheatingSolvers):
    """Let all solvers answer all items, and count a model's replies; `blind` is the proportion of replies that pick the
    key.
    """

    values: ClassVar[Mapping[str, str]] = {**CheatingSolvers.values, "blind": "float64"}
    columns: ClassVar[tuple[str, ...]] = (*CheatingSolvers.columns, "models.replies")

    def replies(self, columns: pa.Table) -> Mapping[str, Sequence[SolverReply]]:
        """Return the model's replies, by item id."""
        return {
            item_id: [SolverReply(**reply) for reply in json.loads(text)]
            for item_id, text in zip(
                *(columns[name].to_pylist() for name in ("item_id", "models.replies")), strict=True
            )
            if text is not None
        }


class Shortcuts(Step):
    """Ask about items that can be answered without doing their task, or drop them.

    Every item is answered by solvers that see its options, but not the pictures with which to compare them. They are
    rules over the place, size, file, light, text or letter of options; a text-only classifier; a random forest over all
    of these, grown on the items of other source images; and an adversary that learns from everything in pictures, files
    and texts outside the task, of at most `learn_from` items of a task. A solver reveals a cue if its accuracy differs
    from chance by more than `max_gain` and its p-value, adjusted over all solvers and tasks (Holm), is below `min_p`;
    rules that are right too rarely count as well. Families of cues that a task requires are left out: steps declare
    them for their tasks, and `allowed_cues` declares them for your own.

    With `model`, a language model answers as well, without the pictures: from question and options, from the options
    alone, or from captions. Its replies are kept, so that none is paid for twice.

    Args:
        allowed_cues: Families of cues that a task requires, by task, in place of the declaration of its step; default
            none. Families: `letter`, `position`, `reference_position`, `box`, `file`, `reference_file`, `pixels`,
            `reference_pixels`, `text`, `number`, `question`, `words_to_model`, `captions_to_model`; of the adversary
            `id`, `marks`, `combination`, and in the command, which reads files, `name`, `order`.
        learn_from: Largest number of items per task that the adversary learns from; 0 leaves the adversary out. The log
            states how large a cue it could have found, and how many items a smaller cue would need.
        max_gain: Largest distance of a solver's accuracy from chance, 0-1, that is tolerated.
        min_p: Adjusted p-value, 0-1, below which a distance counts as significant.
        verdict: Verdict on the items with which a cue helps: `ask` or `drop`.
        prune: Removes the items with the highest bias scores, round by round, if the forest carries a cue: `most` and
            `per_round` are proportions of a task's items. For imported or written items; null removes none.
        model: Model behind an endpoint that answers without the pictures; null for none.

    Reasons:
        not_measured (ask): Measuring raised an exception, recorded in the evidence; the solvers, or only the adversary,
            did not answer the item.
        carries_shortcut (ask or drop): A cue helps a solver that does not do the task with this item.
        pruned (drop): The forest finds it among the most biased items of its task.
    """

    name: ClassVar[str] = "shortcuts"
    consumes: ClassVar[Stream] = "items"

    allowed_cues: dict[str, tuple[CueFamily, ...]] = Field(default_factory=dict)
    learn_from: int = Field(MOST_ITEMS, ge=0)
    max_gain: float = Field(Bounds().max_gain, ge=0, le=1)
    min_p: float = Field(Bounds().min_p, ge=0, le=1)
    verdict: Literal["ask", "drop"] = "ask"
    prune: PruneSettings | None = None
    model: PicturelessModel | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result; the model's timeouts, retries and budgets do not."""
        settings = {name: value for name, value in super().parameters().items() if name != "model"}
        return settings if self.model is None else {**settings, "model": self.model.deciding()}

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return how to install scikit-learn if it is missing, otherwise None."""
        del before
        try:
            require_forests()
        except PrerequisiteError as error:
            return str(error)
        return None

    def parts(self) -> tuple[Step, ...]:
        """Measure, ask the model, then let solvers answer; a changed bound triggers no new measurement or request."""
        measuring = (MeasuredCues(), LearnedFrom(learn_from=self.learn_from), SeenByAdversary())
        bounds = {name: getattr(self, name) for name in CheatingSolvers.model_fields}
        if self.model is None:
            return (*measuring, CheatingSolvers(**bounds))
        return (*measuring, PicturelessReplies(model=self.model), CheatingSolversWithModel(**bounds))
