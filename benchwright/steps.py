"""Steps, which a recipe lists in order, and the method that each kind of step must have.

A step is settings (typed fields, unknown keys refused) plus one method. The engine owns batching, resuming,
retries, counting and writing; a step never sees a worker or a file of the workspace.

| kind           | the one method                        | sees                                          |
|----------------|---------------------------------------|-----------------------------------------------|
| `MapStep`      | `one(record, ctx) -> Outcome`         | one record at a time, with its pixels         |
| `Filter`       | `measure(...)` and `judge(...)`       | as a map step; thresholds only in `judge`     |
| `GatherStep`   | `gather(columns, ctx) -> Gathered`    | declared columns of all records, in one process |
| `CampaignStep` | `advance(records, ctx) -> Verdicts`   | all records; may answer that it waits for people |
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
"""What a cue is measured of, by which a solver may answer without doing the task (`filter shortcuts`).

`letter`: the option's letter; `position`: the place of its mark; `reference_position`: that place beside the place of
the reference's mark; `box`: the size of its mark; `file`: bytes, format, size and compression of a picture; `pixels`:
its brightness, contrast, color and sharpness; `reference_file` and `reference_pixels`: how far these are from the
reference picture's; `text` and `number`: length, words and form of the option's text, and the number that it is;
`question`: the words of the question; `words_to_model`: what a language model makes of question and options, or of the
options alone; `captions_to_model`: what it makes of them with a caption of each picture; `name`: name, folder and time
of a picture's file; `id`: the item's own id; `order`: the place of the item among the others, the keys before it, and
the order of its options; `marks`: what the picture shows under the option's mark, without the reference's;
`combination`: two measures of any families that are not the task, which tell together.
"""

Side = Literal["top", "left", "bottom", "right"]


class TaskRegion(NamedTuple):
    """The part of an item's pictures that is the task; a learner that sees all else must not find the key.

    Args:
        join: Sides of an option's picture that the task compares with the reference, where `reference_pixels` is the
            task: whether the other sides fit the reference, in the halves away from these, is then a shortcut. Empty
            for a task that compares whole pictures.
        under_marks: Whether what lies under an option's mark is the task by itself, as of boxes or of points of which
            one is nearer; False where it must be compared with what lies under the reference's mark, so that it may
            not tell by itself.
    """

    join: tuple[Side, ...] = ()
    under_marks: bool = True


PictureFidelity = Literal["exact", "visual"]
"""What counts of a task's pictures: each pixel, or what people see."""

FOLDER = "folder"
"""Key of the validation context that holds the folder from which relative paths of the recipe start."""

SCENES = "scenes"
"""Value, of type `list<string>`, with the names of the scenes of which an image is one of several views on purpose."""


class Resources(NamedTuple):
    """Resources that one worker needs to run a step.

    Args:
        gpus: GPUs that a worker takes on a Ray cluster.
        memory_mb: Memory, which limits the default number of workers.
        gpu_memory_mb: Memory of a GPU that the step's model takes where there is one, its batches and torch's own share
            included; it limits how many workers of this machine run the step at a time.
        shared_gpu_memory_mb: The same of models that all workers of a machine share (`MapStep.shares_model`).
    """

    gpus: float = 0.0
    memory_mb: int = 512
    gpu_memory_mb: int = 0
    shared_gpu_memory_mb: int = 0


class BringContext(NamedTuple):
    """What a step may use to bring pictures into a run, before anything else of the run happens.

    Args:
        stage: Id of the step's stage.
        workspace: Folder of the workspace, which is locked.
        seed: The run's seed.
        limits: Largest size of an image file.
    """

    stage: str
    workspace: Path
    seed: int
    limits: Limits


class ForecastContext(NamedTuple):
    """What a step may use to say how many items it will make.

    Args:
        before: Steps before it that are not left out, by their entry, as they run over the image folder.
        photographs: Files of the image folder that are images of the run by themselves.
        seed: The run's seed.
    """

    before: Mapping[str, Step]
    photographs: Sequence[Path]
    seed: int


class ItemForecast(NamedTuple):
    """How many items a step is expected to make, before steps after it take some of them out.

    Args:
        mode: Mode of the task; None for a task without modes.
        is_set: Whether the step's settings name this mode.
        items: Number of items.
        least: Lower end of the 95 % interval; `items` where each record was looked at.
        most: Upper end.
        looked_at: Number of records or pictures that were looked at.
        of: Number of those that there are.
        left_out: Number of those looked at that make no item, by reason.
        advice: Why there are few, and what to do; None where there are enough.
        pictures: Number of pictures of which these state something, where each is about one; None where it is not
            known. A task that shows a picture once makes no more items than that.
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
        verdict: `keep` and `ask` go on (`ask` is what people should look at), `drop` and `failed` do not.
        reason: Stable code for anything but `keep`, such as `near_duplicate`.
        values: Measurements that the step declares in `Step.values`; each becomes a column.
        evidence: Anything else worth keeping, as JSON values.
        images: Images made from the record, already stored with `Context.store_image`.
        items: Items made from the record.

    Reasons:
        same_bytes (drop): Another file has equal bytes; the one with the shortest path stands for all.
        changed (failed): The source file is no longer the one taken in; tried again by the next run.
        out_of_memory (failed): Not enough memory for this record; tried again by the next run.
        worker_died (failed): The record ended its worker three times.
        step_error (failed): The step raised an exception: its name is in the evidence, its text in the run's log; tried
            again by the next run. If every record fails so, the run ends.
        reversed (keep): A curator brought the record back.
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
    """Settings of a step as a recipe gives them; one frozen model per step.

    Class attributes:
        name: Name as recipes call it.
        version: Raised when equal settings would give other results.
        consumes: Which stream the step reads and judges.
        makes: Streams that it adds to. Images that only serve as pictures of items need not be named.
        revises: Whether its outcomes may hold new versions of the very items that it judges; later steps see these.
        values: Columns that its outcomes carry: name to Arrow type, such as `{"phash": "uint64"}`. A value
            named `group`, of type string, is a group key: items, and items made from such images, get it among
            their `group_keys`.
        reads: Values of earlier stages that `one` looks at, as `<part>.<value>` (see `parts`) or
            `<recipe entry>.<value>`.
        identity: Settings that take part in the `item_id` of what is made.
        tells_apart: Whether it sees to it itself that none of its items has the id of another entry's, so that several
            entries may have the same identity.
        brings_pictures: Whether it brings pictures of its own into a run (`bring`); a run then needs no image folder.
        estimates: Whether its values are truths that a model estimated; people must decide on items made of them.
        task_cues: Families of cues that are what the task of this name asks for, and so no shortcut in its items.
        task_region: The part of the pictures that is the task of this name (`TaskRegion`).
        picture_fidelity: What counts of the pictures that it makes, and of those that its items show with marks: each
            pixel (`exact`), or what people see (`visual`); the latter are made and released as JPEG of high quality,
            the former as WebP without loss.
        pixels_compared: Whether other steps compare the pixels of what it makes with those of a source one by one, as
            `pair_gates` does; its pictures are then kept without loss until a release is frozen.
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
        """Return pictures that the step brings into the run, which ingest takes in beside those of the image folder."""
        del ctx
        return ()

    def in_folder(self, folder: Path) -> Step:
        """Return the step as it runs over an image folder; itself unless a setting is taken from there.

        Args:
            folder: The run's image folder.
        """
        del folder
        return self

    def takes(self, uri: str) -> bool:
        """Return whether a file of the image folder belongs to what the step reads, and is no image by itself.

        Ingest leaves such files out; asked after `bring`.

        Args:
            uri: URI of the file: its path below the image folder.
        """
        del uri
        return False

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return what the step needs and has not, in one line with how to get it; None where it can run.

        Asked in a recipe with `fitted`, which leaves out steps that lack something.

        Args:
            before: Steps before it that are not left out, by their entry, as they run over the image folder.
        """
        del before
        return None

    def advice(self, made: int, dropped: Mapping[str, int]) -> str | None:
        """Return in one line why the step made few items, and what to do; None where it made enough or knows no remedy.

        Asked after a run, of each entry of its recipe that ran.

        Args:
            made: Number of items that it made.
            dropped: Number of records of which it made none, by reason.
        """
        del made, dropped
        return None

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Return how many items the step will make in each mode that it has; empty where that cannot be said."""
        del ctx
        return ()

    def parts(self) -> tuple[Step, ...]:
        """Return the steps that this one is made of, in order; itself unless it is a chain of several.

        A part is a stage named `<entry>.<part name>`; a filter is two stages, `<its name>.measure` and
        `<its name>.judge`. Parts of one entry refer to each other's values by `<part name>.<value>`.
        """
        return (self,)

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step as it runs at its place in a recipe; itself unless what it reads depends on earlier steps.

        Args:
            given: Values of each stage before it, by the stage's id, each name with its type.

        Raises:
            RecipeError: A step that its settings name is not before it, or gives nothing that it could read.
        """
        del given
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the result, as JSON values; they enter fingerprint and `Operation`."""
        return self.model_dump(mode="json")

    def planned_requests(self, images: int) -> Sequence[RequestPlan] | None:
        """Return what the step would ask models behind endpoints about so many images, and would cost at most.

        None where it asks none, or cannot say beforehand how often.
        """
        del images
        return None

    def weights_hash(self) -> str | None:
        """Return the hash of the model weights that decide the result, if any."""
        return None

    def needs(self) -> Resources:
        """Return the resources that a worker needs to run the step as configured; `resources` unless overridden."""
        return self.resources

    def speaks_of(self, uri: str) -> bool | None:
        """Return whether the step's facts cover an image file; None where the step needs no facts.

        Args:
            uri: URI of the image file in a run: its path below the image folder.
        """
        del uri
        return None

    def operation(self, seed: int) -> Operation:
        """Return the description of this step, as configured, for the provenance of what it makes."""
        return Operation(
            step=self.name,
            version=self.version,
            parameters=self.parameters(),
            weights_hash=self.weights_hash(),
            seed=seed,
        )


class Context(Protocol):
    """What a map step may use besides the record."""

    @property
    def images(self) -> ImageReader:
        """Reader of decoded pixels; decodes each image at most once."""

    @property
    def opened(self) -> Any:
        """Return value of the step's `open` in this worker."""

    @property
    def operation_id(self) -> str:
        """Return the id of the step's `Operation`, for the records that it makes."""

    def rng(self, record_id: str, *more: str | int) -> np.random.Generator:
        """Return a random generator that depends only on run seed, step and record."""

    def item_id(self, *parents: str, ordinal: int = 0) -> str:
        """Return the id for an item that this step makes from these parents, in this order."""

    def value(self, record_id: str, name: str) -> Any:
        """Return a value of an earlier stage that the step lists in `reads`; None where that stage gave none."""

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of any source image, or of an image made from the same source image."""

    def store_image(self, pixels: NDArray[np.uint8], *, parents: Sequence[ImageRecord]) -> ImageRecord:
        """Encode and store a made image, (height, width, 3) RGB, once; return its record for `Outcome.images`.

        Where the step's pictures are `visual` the file is a JPEG: whoever reads the record's pixels sees what is
        released, and not quite the pixels that were given.
        """


class OpenContext(Protocol):
    """What a map step may use to open its models, once per worker."""

    @property
    def seed(self) -> int:
        """Return the run's seed."""

    @property
    def cache_dir(self) -> Path:
        """Return a folder for files that can be made again."""

    @property
    def replies(self) -> ReplyStore:
        """Return the replies that the workspace keeps, for `Chat`."""


class MapStep(Step):
    """A step that looks at one record at a time."""

    costly: ClassVar[bool] = False
    """Whether to journal each finished record, so that a killed shard resumes where it stopped."""

    def open(self, ctx: OpenContext) -> Any:
        """Load what all records need; called once per worker, passed to `one` as `ctx.opened`."""
        del ctx

    def shares_model(self) -> bool:
        """Return whether the workers of a machine share what `open` returns, where there is a GPU: one process a GPU
        opens it, and workers send it pictures (`models.PictureBatches`).
        """
        return False

    def one(self, record: Any, ctx: Context) -> Outcome:
        """Return the outcome of one record. A raised exception is recorded as that record's failure."""
        raise NotImplementedError

    def together(self) -> int | None:
        """Return the largest number of records for one call of `many`; None leaves it to the engine.

        A costly step is journalled after each call of `many`, and a worker that reports nothing for too long is
        replaced.
        """
        return None

    def many(self, records: Sequence[Any], ctx: Context) -> Sequence[Outcome]:
        """Return one outcome per record, in order. If this raises, the engine falls back to `one`."""
        return [self.one(record, ctx) for record in records]


class Measured(NamedTuple):
    """Values that a filter measured, with evidence to keep beside them.

    Args:
        values: Values as declared in `Step.values`.
        evidence: Anything else worth keeping, as JSON values; `judge` does not see it.
    """

    values: Mapping[str, Scalar | list[str]]
    evidence: Mapping[str, Any] = {}


class Filter(Step):
    """A step that measures (costly) and then judges (pure), so that a new threshold measures nothing again."""

    thresholds: ClassVar[frozenset[str]] = frozenset()
    """Settings that only `judge` reads."""

    bounds: ClassVar[Mapping[str, str]] = {}
    """Value that a threshold bounds, where its name does not say so: `max_ratio` and `min_ratio` bound `ratio`."""

    costly: ClassVar[bool] = False
    """Whether to journal each measured record, so that a killed shard resumes where it stopped."""

    def open(self, ctx: OpenContext) -> Any:
        """Load what all records need, as in `MapStep.open`."""
        del ctx

    def measure(self, record: Any, ctx: Context) -> Mapping[str, Scalar | list[str]] | Measured:
        """Return the measurements declared in `values`, alone or with evidence."""
        raise NotImplementedError

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Return the outcome, decided from measured values alone."""
        raise NotImplementedError


@dataclass(frozen=True)
class Gathered:
    """Result of a gather step, by row number of the columns it was given.

    Args:
        rows: Row numbers with a result, each at most once; every other row is kept with empty values.
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
    """What a gather step may use besides its columns."""

    seed: int
    stage: str
    record_map: RecordMap = map_here
    """What maps a function over records on the run's engine, for what a step computes of each task, say, alone."""


class GatherStep(Step):
    """A step that must see all records at once, and so gets only the columns it declares.

    Class attributes:
        columns: Columns of the record table (`image_id`, `width`, `task`, ...) or values of earlier stages
            (`measure.phash`).
        imports: Modules that `gather` brings in on its way, imported before it where they are installed: an interrupt
            in the middle of an import from compiled code is lost, or comes out as another error. Arrow imports pandas
            whenever it makes or reads an array of NumPy's; a step that does neither saves 45 MB with `()`.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    imports: ClassVar[tuple[str, ...]] = ("pandas",)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the result for all live records, sorted by shard and id, so that equal input has equal row numbers."""
        raise NotImplementedError


@dataclass(frozen=True)
class Verdicts:
    """State and verdicts of a campaign.

    Args:
        waiting: One line that says what people have to do and how; None once the campaign is closed.
        outcomes: Outcomes by record id; a revised item has verdict `keep` and its new revision in `Outcome.items`.
        summary: Agreement and counts, without times, for the release's agreement report.
        rerun: Whether the campaign waits only for the next run, because images were added that this run has not seen.
    """

    waiting: str | None
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    rerun: bool = False


class Flag(NamedTuple):
    """That a check before a campaign asks about a record: its reason code, and all evidence that it gave."""

    reason: str
    evidence: Mapping[str, Any]


class CampaignContext(NamedTuple):
    """What a campaign may use; everything that people answer is in the review store."""

    seed: int
    stage: str
    workspace: Path
    store_url: str
    values: Mapping[str, Mapping[str, Any]] = {}
    """Values of earlier stages, as listed in `reads`, by record id; complete only after the last record is read."""
    flags: Mapping[str, Mapping[str, Flag]] = {}
    """What the entries in `heeds` ask about, by entry and record id; complete only after the last record is read."""


class CampaignStep(Step):
    """A step that people take. It upserts tasks, then waits or hands over verdicts."""

    @property
    def heeds(self) -> Sequence[str]:
        """Return the entries before it of which the step looks at what they ask about; none by default."""
        return ()

    @property
    def beside(self) -> str | None:
        """Return the entry of the campaign before it beside which it opens; None where it waits for all before it."""
        return None

    def asks_about(self, record: Any, earlier: Sequence[CampaignStep]) -> bool:
        """Return whether the campaign asks about a record; one that it does not ask about is kept as it is.

        Args:
            record: The record.
            earlier: Campaigns before it in the recipe, in order.
        """
        del record, earlier
        return True

    def advance(self, records: Iterable[Any], ctx: CampaignContext) -> Verdicts:
        """Update the review store to these records and return the campaign's state; safe to repeat."""
        raise NotImplementedError


class WorkspaceView(Protocol):
    """What a final step reads of a workspace."""

    @property
    def fingerprint(self) -> str:
        """Digest of everything in this view that decides the bytes of what is made."""

    def items(self) -> Iterator[tuple[Item, Mapping[str, Any]]]:
        """Yield live items sorted by shard and id, each with the values of stages over items, as `stage.value`."""

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of an image that belongs to the item last yielded."""

    def image_bytes(self, record: ImageRecord) -> bytes:
        """Return an image's file, checked against its SHA-256.

        Raises:
            DataError: The source file changed after it was taken in.
        """

    def operations(self) -> Sequence[Operation]:
        """Return the operations of all stages, in order."""

    def stages(self) -> Sequence[Mapping[str, Any]]:
        """Return a mapping per stage: `stage` (id), `entry`, `step`, `fingerprint`, `counts`, `consumes`, `makes`."""

    def campaigns(self) -> Mapping[str, Mapping[str, Any]]:
        """Return each campaign's summary, by stage name."""


class FinalContext(NamedTuple):
    """What a final step may use besides the view; `recipe` is resolved and has only the steps that made the view."""

    seed: int
    stage: str
    workspace: Path
    recipe: Mapping[str, Any]
    artifacts: Mapping[str, str]
    """Paths that earlier final steps made, relative to the workspace, such as `{"release": "releases/demo"}`."""
    workers: int = 1
    """Largest number of processes for the step's own work; its result does not depend on it."""
    progress: Progress = Silent()
    record_map: RecordMap = map_here
    """What maps a function over records on the run's engine, for work that is one item or one picture at a time."""
    part: Callable[[str], AbstractContextManager[object]] = nullcontext
    """What measures a named part of the step's work in the main process, such as asking one model, for the profile."""


class EarlierStage(Protocol):
    """What a final step may ask of a stage before it; a `Stage` is one."""

    @property
    def id(self) -> str:
        """Id, unique in the recipe."""

    @property
    def entry(self) -> str:
        """Name of the recipe entry that the stage belongs to."""

    @property
    def step(self) -> Step:
        """Step with settings and code."""

    @property
    def kind(self) -> str:
        """Kind, which decides how the stage is run: `map`, `gather`, `campaign` or `final`."""

    @property
    def makes(self) -> tuple[Stream, ...]:
        """Kinds of records that the stage makes."""

    @property
    def values(self) -> Mapping[str, str]:
        """Types of the values that the stage gives, by name."""

    @property
    def reads(self) -> Mapping[str, str]:
        """Full names of the values that the stage reads, by the name that its step has for each."""


class FinalStep(Step):
    """A step at the end: freezes a release, scores a model."""

    @property
    def picture_rule(self) -> PictureRule | None:
        """How what it writes is to hold pictures that steps make; None where it says nothing about it."""
        return None

    def check_place(self, before: Sequence[EarlierStage], *, seed: int) -> None:
        """Refuse settings that cannot work behind the steps before it: people may work for weeks until it is reached.

        Args:
            before: Stages of the recipe before it, in order.
            seed: The recipe's seed.

        Raises:
            RecipeError: The settings, and what to change.
        """

    def split_names(self, before: Sequence[EarlierStage]) -> frozenset[str] | None:
        """Return the names of the splits of the release that it makes; None where it makes none, or they are not known.

        Args:
            before: Stages of the recipe before it, in order.
        """
        del before
        return None

    def finish(self, view: WorkspaceView, ctx: FinalContext) -> Mapping[str, str]:
        """Do the work and return named paths, relative to the workspace; not called while its input is unchanged."""
        raise NotImplementedError
