"""Steps, which a recipe lists in order, and the method that each kind of step must have.

A step is settings (typed fields, unknown keys refused) plus one method. The engine owns batching, resuming,
retries, counting and writing; a step never sees a worker or a file of the workspace.

| kind           | the one method                        | sees                                          |
|----------------|---------------------------------------|-----------------------------------------------|
| `MapStep`      | `one(record, ctx) -> Outcome`         | one record at a time, with its pixels         |
| `Filter`       | `measure(...)` and `judge(...)`       | as a map step; thresholds only in `judge`     |
| `GatherStep`   | `gather(columns, ctx) -> Gathered`    | declared columns of all records, in one process |
| `CampaignStep` | `advance(records, ctx) -> Verdicts`   | all records; may reply that it waits for people |
| `FinalStep`    | `finish(view, ctx) -> dict`           | the whole workspace; makes a release or results |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from benchwright.progress import Progress, Silent
from benchwright.record_map import RecordMap, map_here
from benchwright.records import ImageRecord, Item, Operation, Scalar
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.images.decode import ImageReader
    from benchwright.images.formats.walking import Limits
    from benchwright.images.made_pictures import PictureRule
    from benchwright.models.endpoints.reply_store import ReplyStore
    from benchwright.models.endpoints.usage import RequestPlan
    from benchwright.workspace.photographs import BroughtPhotograph

Verdict = Literal["keep", "drop", "ask", "failed"]
Stream = Literal["images", "items"]
AnyRecord = ImageRecord | Item
CueFamily = Literal[
    "letter", "position", "reference_position", "box", "file", "reference_file", "pixels", "reference_pixels", "text",
    "number", "question", "words_to_model", "captions_to_model", "name", "id", "order", "marks",
    "combination",
]  # fmt: skip
"""Source of a cue with which a solver may answer without doing the task (`filter shortcuts`).

`letter`: the option's letter; `position`: the place of its mark; `reference_position`: that place relative to the
reference's mark; `box`: the size of its mark; `file`: bytes, format, size and compression of a picture; `pixels`: its
brightness, contrast, color and sharpness; `reference_file` and `reference_pixels`: how far these are from the reference
picture's; `text` and `number`: length, words and form of the option's text, and its value as a number; `question`: the
words of the question; `words_to_model`: a language model's answer from question and options, or from the options alone;
`captions_to_model`: its answer from them with a caption of each picture; `name`: name, folder and time of a picture's
file; `id`: the item's own id; `order`: the place of the item among the others, the keys before it, and the order of its
options; `marks`: the picture under the option's mark, without the reference's; `combination`: two measures of any
families other than the task, which reveal the key together.
"""

Side = Literal["top", "left", "bottom", "right"]


class TaskRegion(NamedTuple):
    """The part of an item's pictures that the task concerns; a learner that sees only the rest must not find the key.

    Args:
        join: Sides of an option's picture that the task compares with the reference, if `reference_pixels` is the task.
            Whether the other sides fit the reference, in the halves away from these, is then a shortcut. Empty for a
            task that compares whole pictures.
        under_marks: Whether the picture under an option's mark is itself the task, as for boxes, or for points of which
            one is nearer. False if it must be compared with the picture under the reference's mark, so that it must not
            reveal the key alone.
    """

    join: tuple[Side, ...] = ()
    under_marks: bool = True


PictureFidelity = Literal["exact", "visual"]
"""The relevant content of a task's pictures: each exact pixel (`exact`), or what is visible (`visual`)."""

FOLDER = "folder"
"""Key of the validation context that holds the base folder of the recipe's relative paths."""

SCENES = "scenes"
"""Value of type `list<string>`: names of the scenes of which an image is an intended view, among several."""


class Resources(NamedTuple):
    """Resources that a single worker needs to run a step.

    Args:
        gpus: Number of GPUs that a worker takes on a Ray cluster.
        memory_mb: Memory in MB, which limits the default number of workers.
        gpu_memory_mb: Memory of a GPU, if present, for the step's model, including its batches and torch's own share,
            in MB. It limits the number of workers on this machine that run the step at a time.
        shared_gpu_memory_mb: The same for models that all workers of a machine share (`MapStep.shares_model`). A step
            states it only if its workers need GPU memory besides; otherwise `gpu_memory_mb` is that of its shared
            model.
    """

    gpus: float = 0.0
    memory_mb: int = 512
    gpu_memory_mb: int = 0
    shared_gpu_memory_mb: int = 0


class BringContext(NamedTuple):
    """The resources of a step that brings pictures into a run, before any other work of the run.

    Args:
        stage: Id of the step's stage.
        workspace: Folder of the workspace, which is locked.
        seed: The run's seed.
        limits: Limits of an image file.
    """

    stage: str
    workspace: Path
    seed: int
    limits: Limits


class ForecastContext(NamedTuple):
    """The resources of a step for forecasting how many items it makes.

    Args:
        before: Earlier steps that are not omitted, by their entry, as they run over the image folder.
        photographs: Files of the image folder that are themselves images of the run.
        seed: The run's seed.
    """

    before: Mapping[str, Step]
    photographs: Sequence[Path]
    seed: int


class ItemForecast(NamedTuple):
    """The number of items that a step is expected to make, before later steps remove some.

    Args:
        mode: Mode of the task; None for a task without modes.
        is_set: Whether the step's settings name this mode.
        items: Number of items.
        least: Lower end of the 95 % interval; equal to `items` if every record was examined.
        most: Upper end.
        looked_at: Number of records or pictures that were examined.
        of: Number of all records or pictures.
        left_out: Number of examined records or pictures that yield no item, by reason.
        advice: Cause of a low number, and the remedy; None for enough items.
        pictures: Number of pictures with facts, if each fact is about one; None if unknown. A task that shows a picture
            once makes at most that many items.
    """

    mode: str | None
    is_set: bool
    items: int
    least: int
    most: int
    looked_at: int
    of: int
    left_out: Mapping[str, int] = {}
    advice: str | None = None
    pictures: int | None = None

    def __str__(self) -> str:
        ends = (
            f"{self.items:,}" if self.least == self.most else f"about {self.items:,} ({self.least:,} to {self.most:,})"
        )
        base = f"{self.of:,}" if self.looked_at == self.of else f"{self.of:,}, {self.looked_at:,} looked at"
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in sorted(self.left_out.items(), key=lambda one: -one[1]))
        pictures = (
            "" if self.pictures is None or self.pictures == self.of else f" in {counted(self.pictures, 'picture')}"
        )
        said = f"{ends} of {base}{pictures}" + (f"; {reasons}" if reasons else "")
        return said if self.mode is None else f"{self.mode} {said}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a step for one record.

    Args:
        verdict: Records with `keep` or `ask` continue (people should examine `ask`); those with `drop` or `failed` do
            not.
        reason: Stable code for anything but `keep`, such as `near_duplicate`.
        values: Measurements that the step declares in `Step.values`; each becomes a column.
        evidence: Anything else worth keeping, as JSON values.
        images: Images made from the record, already stored with `Context.store_image`.
        items: Items made from the record.

    Reasons:
        same_bytes (drop): Another file has equal bytes; the one with the shortest path represents all.
        changed (failed): The source file has changed since ingest; the next run tries again.
        out_of_memory (failed): Not enough memory for this record; the next run tries again.
        worker_died (failed): The record ended its worker three times.
        step_error (failed): The step raised an exception: its name is in the evidence, its text in the run's log. The
            next run tries again. If every record fails this way, the run ends.
        reversed (keep): A curator restored the record.
        by_hand (drop): A curator dropped the record.
    """

    verdict: Verdict = "keep"
    reason: str | None = None
    values: Mapping[str, Scalar | list[str]] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    images: tuple[ImageRecord, ...] = ()
    items: tuple[Item, ...] = ()

    def __post_init__(self) -> None:
        if (self.verdict == "keep") != (self.reason is None):
            raise ValueError(
                f"an outcome {self.verdict!r} with reason {self.reason!r}: every verdict but keep needs a reason"
            )


class Step(BaseModel):
    """Settings of a step in a recipe; one frozen model per step.

    Class attributes:
        name: Name in recipes.
        version: Version number, raised when equal settings would give other results.
        consumes: Stream that the step reads and judges.
        makes: Streams to which it adds. Images that only serve as pictures of items may be omitted.
        revises: Whether its outcomes may hold new versions of the items it judges, which later steps then see.
        values: Columns that its outcomes carry: name to Arrow type, such as `{"phash": "uint64"}`. A value named
            `group`, of type string, is a group key: items, and items made from such images, get it among their
            `group_keys`.
        reads: Values of earlier stages that `one` uses, as `<part>.<value>` (see `parts`) or `<recipe entry>.<value>`.
        identity: Settings that are part of the `item_id` of made items.
        tells_apart: Whether the step itself ensures that no item has the id of another entry's, so that several entries
            may have the same identity.
        brings_pictures: Whether it brings its own pictures into a run (`bring`), which then needs no image folder.
        estimates: Whether its values are ground truth estimated by a model; people must decide on items made from them.
        task_cues: Families of cues that the task of this name asks about, so that they are not shortcuts in its items.
        task_region: The part of the pictures that is the task of this name (`TaskRegion`).
        picture_fidelity: Relevant content of the pictures it makes, and of those its items show with marks: each pixel
            (`exact`), or visible content (`visual`). The latter are made and released as high-quality JPEG, the former
            as lossless WebP.
        pixels_compared: Whether other steps compare the pixels of its pictures with a source's one by one, as
            `pair_gates` does. Its pictures are then stored without loss until a release is frozen.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: ClassVar[str]
    version: ClassVar[int] = 1
    consumes: ClassVar[Stream]
    makes: ClassVar[tuple[Stream, ...]] = ()
    revises: ClassVar[bool] = False
    values: ClassVar[Mapping[str, str]] = {}
    reads: ClassVar[tuple[str, ...]] = ()
    identity: ClassVar[tuple[str, ...]] = ()
    tells_apart: ClassVar[bool] = False
    resources: ClassVar[Resources] = Resources()
    brings_pictures: ClassVar[bool] = False
    estimates: ClassVar[bool] = False
    task_cues: ClassVar[frozenset[CueFamily]] = frozenset()
    task_region: ClassVar[TaskRegion] = TaskRegion()
    picture_fidelity: ClassVar[PictureFidelity] = "exact"
    pixels_compared: ClassVar[bool] = False

    def bring(self, ctx: BringContext) -> Sequence[BroughtPhotograph]:
        """Return pictures that the step brings into the run, which ingest adds to those of the image folder."""
        del ctx
        return ()

    def in_folder(self, folder: Path) -> Step:
        """Return the step as adapted to an image folder; the same step unless a setting depends on the folder.

        Args:
            folder: The run's image folder.
        """
        del folder
        return self

    def takes(self, uri: str) -> bool:
        """Return whether a file of the image folder belongs to the step's input, and is not itself an image.

        Ingest omits such files. The run calls this method after `bring`.

        Args:
            uri: URI of the file: its path below the image folder.
        """
        del uri
        return False

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return a line that names the step's missing input and how to get it; None if the step can run.

        A recipe with `fitted` uses it, and omits steps that lack an input.

        Args:
            before: Earlier steps that are not omitted, by their entry, as they run over the image folder.
        """
        del before
        return None

    def advice(self, made: int, dropped: Mapping[str, int]) -> str | None:
        """Return the cause of few items and the remedy, in one line; None if there are enough or no remedy exists.

        The run calls it at its end for each entry that ran.

        Args:
            made: Number of items made.
            dropped: Number of records without an item, by reason.
        """
        del made, dropped
        return None

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Return the number of items that the step will make in each of its modes; empty if it cannot be predicted."""
        del ctx
        return ()

    def parts(self) -> tuple[Step, ...]:
        """Return the steps that make up this one, in order; only the step itself unless it is a chain of several.

        A part is a stage named `<entry>.<part name>`; a filter is two stages, `<its name>.measure` and
        `<its name>.judge`. Parts of one entry refer to each other's values by `<part name>.<value>`.
        """
        return (self,)

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step as adapted to its position in a recipe; the same step unless its input depends on earlier
        steps.

        Args:
            given: Values of each stage before it, by the stage's id, each name with its type.

        Raises:
            RecipeError: A step named in its settings does not precede it, or provides no value that it can read.
        """
        del given
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, as JSON values; they enter the fingerprint and `Operation`."""
        return self.model_dump(mode="json")

    def planned_requests(self, images: int) -> Sequence[RequestPlan] | None:
        """Return the number of requests that the step sends to models behind endpoints for some images, and their
        maximum cost.

        Returns None if it sends none, or if their number cannot be predicted.
        """
        del images
        return None

    def weights_hash(self) -> str | None:
        """Return the hash of the model weights that determine the result; None if there are no weights."""
        return None

    def needs(self) -> Resources:
        """Return the resources that a worker needs to run the step as configured; by default `resources`."""
        return self.resources

    def speaks_of(self, uri: str) -> bool | None:
        """Return whether the step's facts cover an image file; None if the step needs no facts.

        Args:
            uri: URI of the image file in a run: its path below the image folder.
        """
        del uri
        return None

    def operation(self, seed: int) -> Operation:
        """Return the description of this step, as configured, for the provenance of the records that it makes."""
        return Operation(
            step=self.name,
            version=self.version,
            parameters=self.parameters(),
            weights_hash=self.weights_hash(),
            seed=seed,
        )


class Context(Protocol):
    """The resources that a map step has besides the record."""

    @property
    def images(self) -> ImageReader:
        """Reader of decoded pixels; decodes each image at most once."""

    @property
    def opened(self) -> Any:
        """The return value of the step's `open` in this worker."""

    @property
    def operation_id(self) -> str:
        """Return the id of the step's `Operation`, for the records that the step makes."""

    def rng(self, record_id: str, *more: str | int) -> np.random.Generator:
        """Return a random generator that depends only on the run's seed, the step and the record."""

    def item_id(self, *parents: str, ordinal: int = 0) -> str:
        """Return the id for an item that this step makes from these parents, in this order."""

    def value(self, record_id: str, name: str) -> Any:
        """Return a value of an earlier stage that the step lists in `reads`; None if that stage provided none."""

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of any source image, or of an image made from the current record's source image."""

    def store_image(self, pixels: NDArray[np.uint8], *, parents: Sequence[ImageRecord]) -> ImageRecord:
        """Encode and store a made image, (height, width, 3) RGB, once; return its record for `Outcome.images`.

        If the step's pictures are `visual`, the file is a JPEG: the record's pixels are those that will be released,
        and differ slightly from the given ones.
        """


class OpenContext(Protocol):
    """The resources that a map step has for opening its models, once per worker."""

    @property
    def seed(self) -> int:
        """Return the run's seed."""

    @property
    def cache_dir(self) -> Path:
        """Return a folder for files that the step can recreate."""

    @property
    def replies(self) -> ReplyStore:
        """Return the workspace's store of model replies, for `Chat`."""


class MapStep(Step):
    """A step that processes one record at a time."""

    costly: ClassVar[bool] = False
    """Whether to journal each finished record, so that a killed shard resumes where it stopped."""

    def open(self, ctx: OpenContext) -> Any:
        """Load the resources for all records; called once per worker. The result is passed to `one` as `ctx.opened`."""
        del ctx

    def shares_model(self) -> bool:
        """Return whether the workers of a machine with a GPU share the model that `open_shared` loads.

        One process per GPU then opens it, and workers send it pictures.
        """
        return False

    def open_shared(self, ctx: OpenContext) -> Any:
        """Load the model that workers may share, a `models.PictureBatches`; by default, what `open` loads."""
        return self.open(ctx)

    def open_with(self, shared: Any, ctx: OpenContext) -> Any:
        """Return a worker's `ctx.opened` with a shared model; by default, the model alone.

        Args:
            shared: The model of `open_shared`, as a `models.picture_batches.PictureModel`.
            ctx: Resources for loading what the worker needs in addition.
        """
        del ctx
        return shared

    def one(self, record: Any, ctx: Context) -> Outcome:
        """Return the outcome of one record. A raised exception is recorded as that record's failure."""
        raise NotImplementedError

    def together(self) -> int | None:
        """Return the largest number of records per call of `many`; None lets the engine choose.

        A costly step writes to its journal after each call of `many`, and a worker that reports nothing for too long is
        replaced.
        """
        return None

    def many(self, records: Sequence[Any], ctx: Context) -> Sequence[Outcome]:
        """Return one outcome per record, in order. If this raises, the engine falls back to `one`."""
        return [self.one(record, ctx) for record in records]


class Measured(NamedTuple):
    """Values that a filter measured, with the evidence to store with them.

    Args:
        values: Values as declared in `Step.values`.
        evidence: Anything else worth keeping, as JSON values; `judge` does not see it.
    """

    values: Mapping[str, Scalar | list[str]]
    evidence: Mapping[str, Any] = {}


class Filter(Step):
    """A step that measures (costly) and then judges (pure), so that a new threshold does not repeat measurements."""

    thresholds: ClassVar[frozenset[str]] = frozenset()
    """Settings that only `judge` reads."""

    bounds: ClassVar[Mapping[str, str]] = {}
    """Value that each threshold bounds, if the name does not show it: `max_ratio` and `min_ratio` bound `ratio`."""

    costly: ClassVar[bool] = False
    """Whether to journal each measured record, so that a killed shard resumes where it stopped."""

    def open(self, ctx: OpenContext) -> Any:
        """Load the resources for all records, as in `MapStep.open`."""
        del ctx

    def measure(self, record: Any, ctx: Context) -> Mapping[str, Scalar | list[str]] | Measured:
        """Return the measured values that `values` declares, alone or with evidence."""
        raise NotImplementedError

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Return the outcome, which depends only on the measured values."""
        raise NotImplementedError


@dataclass(frozen=True)
class Gathered:
    """Result of a gather step, keyed by row indices of its input columns.

    Args:
        rows: Indices of rows with a result, each at most once; every other row is kept with empty values.
        verdicts: Verdicts, one per entry of `rows`; None keeps all.
        reasons: Reasons, one per entry of `rows`.
        values: Columns declared in `Step.values`, one entry per entry of `rows`.
        evidence: JSON values, one per entry of `rows`.
    """

    rows: NDArray[np.int64]
    verdicts: Sequence[Verdict] | None = None
    reasons: Sequence[str | None] | None = None
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    evidence: Sequence[Mapping[str, Any]] | None = None


class GatherContext(NamedTuple):
    """The resources that a gather step has besides its columns."""

    seed: int
    stage: str
    record_map: RecordMap = map_here
    """Mapper of a function over records on the run's engine, for work on single records, such as on each task."""


class GatherStep(Step):
    """A step that must see all records at once, and therefore receives only the columns that it declares.

    Class attributes:
        columns: Columns of the record table (`image_id`, `width`, `task`, ...) or values of earlier stages
            (`measure.phash`).
        imports: Modules that `gather` imports, which the engine imports first if installed: an interrupt during an
            import from compiled code is lost, or becomes another error. Arrow imports pandas whenever it makes or reads
            a NumPy array; a step that does neither saves 45 MB with `()`.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    imports: ClassVar[tuple[str, ...]] = ("pandas",)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the result for all live records, sorted by shard and id, so that equal input has equal row indices."""
        raise NotImplementedError


@dataclass(frozen=True)
class Verdicts:
    """State and verdicts of a campaign.

    Args:
        waiting: Pending work of people and how to do it, in one line; None once the campaign is closed.
        outcomes: Outcomes by record id; a revised item has verdict `keep` and its new revision in `Outcome.items`.
        summary: Agreement and counts, without times, for the release's agreement report.
        rerun: Whether the campaign waits only for the next run, because of added images that this run has not seen.
    """

    waiting: str | None
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    rerun: bool = False


class Flag(NamedTuple):
    """A question about a record raised by a check before a campaign: the reason code and all evidence."""

    reason: str
    evidence: Mapping[str, Any]


class CampaignContext(NamedTuple):
    """The resources of a campaign; the review store holds all answers that people give."""

    seed: int
    stage: str
    workspace: Path
    store_url: str
    values: Mapping[str, Mapping[str, Any]] = {}
    """Values of earlier stages, as listed in `reads`, by record id; complete only after the last record is read."""
    flags: Mapping[str, Mapping[str, Flag]] = {}
    """Records flagged by the entries in `heeds`, by entry and record id; complete only after the last record."""


class CampaignStep(Step):
    """A step carried out by people. It inserts or updates tasks, then waits or returns verdicts."""

    @property
    def heeds(self) -> Sequence[str]:
        """Return the earlier entries whose flags the step considers; none by default."""
        return ()

    @property
    def beside(self) -> str | None:
        """Return the entry of the earlier campaign alongside which it opens; None if it waits for all of them."""
        return None

    def asks_about(self, record: Any, earlier: Sequence[CampaignStep]) -> bool:
        """Return whether the campaign asks about a record; all others are kept unchanged.

        Args:
            record: The record.
            earlier: Earlier campaigns of the recipe, in order.
        """
        del record, earlier
        return True

    def advance(self, records: Iterable[Any], ctx: CampaignContext) -> Verdicts:
        """Update the review store to these records and return the campaign's state; safe to repeat."""
        raise NotImplementedError


class WorkspaceView(Protocol):
    """A final step's view of a workspace."""

    @property
    def fingerprint(self) -> str:
        """Return the digest of everything in this view that determines the bytes of results."""

    def items(self) -> Iterator[tuple[Item, Mapping[str, Any]]]:
        """Yield live items sorted by shard and id, each with the values of stages over items, as `stage.value`."""

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of an image that belongs to the item last yielded."""

    def image_bytes(self, record: ImageRecord) -> bytes:
        """Return the bytes of an image's file, checked against its SHA-256.

        Raises:
            DataError: The source file has changed since ingest.
        """

    def operations(self) -> Sequence[Operation]:
        """Return the operations of all stages, in order."""

    def stages(self) -> Sequence[Mapping[str, Any]]:
        """Return a mapping per stage: `stage` (id), `entry`, `step`, `fingerprint`, `counts`, `consumes`, `makes`."""

    def campaigns(self) -> Mapping[str, Mapping[str, Any]]:
        """Return each campaign's summary, by stage name."""


class FinalContext(NamedTuple):
    """The resources of a final step besides the view; `recipe` is resolved and contains only steps that led to the
    view.
    """

    seed: int
    stage: str
    workspace: Path
    recipe: Mapping[str, Any]
    artifacts: Mapping[str, str]
    """Artifacts of earlier final steps, as paths relative to the workspace, such as `{"release": "releases/demo"}`."""
    workers: int = 1
    """Largest number of processes for the step's own work; its result does not depend on it."""
    progress: Progress = Silent()
    record_map: RecordMap = map_here
    """Mapper of a function over records on the run's engine, for work on single items or pictures."""
    part: Callable[[str], AbstractContextManager[object]] = nullcontext
    """Meter, for the profile, of a named part of the step's work in the main process, such as asking one model."""


class EarlierStage(Protocol):
    """The view that a final step has of an earlier stage; a `Stage` provides it."""

    @property
    def id(self) -> str:
        """Id, unique in the recipe."""

    @property
    def entry(self) -> str:
        """Name of the recipe entry to which the stage belongs."""

    @property
    def step(self) -> Step:
        """Step with settings and code."""

    @property
    def kind(self) -> str:
        """Kind, which decides how the stage runs: `map`, `gather`, `campaign` or `final`."""

    @property
    def makes(self) -> tuple[Stream, ...]:
        """Kinds of records that the stage makes."""

    @property
    def values(self) -> Mapping[str, str]:
        """Types of the values that the stage provides, by name."""

    @property
    def reads(self) -> Mapping[str, str]:
        """Full names of the values that the stage reads, by the step's own names for them."""


class FinalStep(Step):
    """A step at the end of a recipe, which freezes a release or scores a model."""

    @property
    def picture_rule(self) -> PictureRule | None:
        """Rule that governs pictures made by steps in its output; None if there is no rule."""
        return None

    def check_place(self, before: Sequence[EarlierStage], *, seed: int) -> None:
        """Refuse settings that cannot work after the earlier steps, before people work for weeks.

        Args:
            before: Stages of the recipe before it, in order.
            seed: The recipe's seed.

        Raises:
            RecipeError: The settings cannot work; the message states what to change.
        """

    def split_names(self, before: Sequence[EarlierStage]) -> frozenset[str] | None:
        """Return the split names of the release that the step makes; None if it makes none, or if they are unknown.

        Args:
            before: Stages of the recipe before it, in order.
        """
        del before
        return None

    def finish(self, view: WorkspaceView, ctx: FinalContext) -> Mapping[str, str]:
        """Do the work and return named paths, relative to the workspace; not called again for unchanged input."""
        raise NotImplementedError
