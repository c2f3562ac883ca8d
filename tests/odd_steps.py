"""Steps that misbehave or record their calls; a separate module because workers import it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from benchwright.errors import PrerequisiteError
from benchwright.records import ImageRecord
from benchwright.steps import (
    Context,
    Filter,
    GatherContext,
    Gathered,
    GatherStep,
    MapStep,
    Measured,
    OpenContext,
    Outcome,
    Resources,
    Step,
)


class Diary(MapStep):
    """Writes a line for each record it runs on."""

    name: ClassVar[str] = "diary"
    consumes: ClassVar[Any] = "images"
    values: ClassVar[Mapping[str, str]] = {"side_px": "int64"}

    lines: str
    """Path of the diary."""
    kill_once_at: int | None = None
    """Kill the worker once, when the diary has this many lines."""

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        path = Path(self.lines)
        with path.open("a") as handle:
            handle.write(f"{record.image_id}\n")
        marker = path.with_suffix(".killed")
        if self.kill_once_at == len(path.read_text().split()) and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Outcome(values={"side_px": ctx.images.rgb(record).shape[1]})


class CostlyDiary(Diary):
    """The same, journalled."""

    name: ClassVar[str] = "costly_diary"
    costly: ClassVar[bool] = True


class Deadly(MapStep):
    """Ends its worker on images of one width."""

    name: ClassVar[str] = "deadly"
    consumes: ClassVar[Any] = "images"

    width: int

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        if record.width == self.width:
            os.kill(os.getpid(), signal.SIGSEGV)
        return Outcome()


class Raising(MapStep):
    """Raises on images wider than a limit: a defect, or an error that the user must fix."""

    name: ClassVar[str] = "raising"
    consumes: ClassVar[Any] = "images"

    wider_than: int = 0
    prerequisite: bool = False

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        if record.width > self.wider_than:
            if self.prerequisite:
                raise PrerequisiteError("the weights of raising are not here; fetch them")
            raise KeyError(id(record))
        return Outcome()


class Batched(MapStep):
    """Takes batches; records for each record whether it came in one. A batch with a wide image raises."""

    name: ClassVar[str] = "batched"
    consumes: ClassVar[Any] = "images"
    values: ClassVar[Mapping[str, str]] = {"batch": "int64"}

    max_width: int = 10_000

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        if record.width > self.max_width:
            return Outcome("drop", "too_wide")
        return Outcome(values={"batch": 1})

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        if any(record.width > self.max_width for record in records):
            raise MemoryError
        return [Outcome(values={"batch": len(records)}) for _ in records]


class FewTogether(MapStep):
    """Takes two images at a time, journalled, and writes the size of each batch; a mark ends the run at the second."""

    name: ClassVar[str] = "few_together"
    consumes: ClassVar[Any] = "images"
    costly: ClassVar[bool] = True

    lines: str
    """Path of the diary; the mark lies next to it, named `stop`."""

    def together(self) -> int:
        return 2

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> list[Outcome]:
        path = Path(self.lines)
        if path.exists() and path.with_name("stop").exists():
            raise PrerequisiteError("something has to be installed first")
        with path.open("a") as handle:
            handle.write(f"{len(records)}\n")
        return [Outcome() for _ in records]


class Partner(GatherStep):
    """Gives each image the id of the next one, which lies in any shard."""

    name: ClassVar[str] = "partner"
    consumes: ClassVar[Any] = "images"
    columns: ClassVar[tuple[str, ...]] = ("image_id", "width")
    values: ClassVar[Mapping[str, str]] = {"next": "string"}

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        ids = columns.column("image_id").to_pylist()
        return Gathered(np.arange(len(ids)), values={"next": [*ids[1:], *ids[:1]]})


class Confirm(MapStep):
    """Reads the pixels of an image and of its partner."""

    name: ClassVar[str] = "confirm"
    consumes: ClassVar[Any] = "images"
    reads: ClassVar[tuple[str, ...]] = ("partner.next",)
    values: ClassVar[Mapping[str, str]] = {"width": "int64", "partner_width": "int64"}

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        partner = ctx.image(ctx.value(record.image_id, "partner.next"))
        widths = [ctx.images.rgb(one).shape[1] for one in (record, partner)]
        return Outcome(values={"width": widths[0], "partner_width": widths[1]})


class Pairs(Step):
    """A chain of a gather step that proposes pairs and a map step that reads them."""

    name: ClassVar[str] = "pairs"
    consumes: ClassVar[Any] = "images"

    def parts(self) -> tuple[Step, ...]:
        return Partner(), Confirm()


class Width(Filter):
    """Drops wide images."""

    name: ClassVar[str] = "width"
    consumes: ClassVar[Any] = "images"
    values: ClassVar[Mapping[str, str]] = {"wide": "int64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"at_most"})

    at_most: int
    diary: str

    def measure(self, record: ImageRecord, ctx: Context) -> Mapping[str, int]:
        with Path(self.diary).open("a") as handle:
            handle.write(f"{record.image_id}\n")
        return {"wide": record.width}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        return Outcome("drop", "too_wide") if measured["wide"] > self.at_most else Outcome()


class WidthTold(Width):
    """The same, journaled, with a further output besides the value; the process is killed once."""

    name: ClassVar[str] = "width_told"
    costly: ClassVar[bool] = True

    kill_once_at: int

    def measure(self, record: ImageRecord, ctx: Context) -> Measured:
        values = super().measure(record, ctx)
        if len(Path(self.diary).read_text().split()) == self.kill_once_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return Measured(values, {"sides": [record.width, record.height]})


class Memory(MapStep):
    """Runs out of a device's memory on wide images, alone or in a batch, with a library's message for it."""

    name: ClassVar[str] = "memory"
    consumes: ClassVar[Any] = "images"

    max_width: int

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[ImageRecord], ctx: Context) -> Sequence[Outcome]:
        if any(record.width > self.max_width for record in records):
            raise RuntimeError("CUDA error: out of memory")
        return [Outcome() for _ in records]


class PowerCut(CostlyDiary):
    """Hangs at a record, once, on the node that the test is about to end; other workers wait until it does."""

    name: ClassVar[str] = "power_cut"

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        outcome = super().one(record, ctx)
        marker = Path(self.lines).with_suffix(".doomed")
        if os.environ.get("TEST_NODE") == "doomed" and not marker.exists():
            marker.touch()
            time.sleep(3600)
        until = time.monotonic() + 120
        while not marker.exists() and time.monotonic() < until:
            time.sleep(0.05)
        return outcome


class OnGpu(MapStep):
    """Requests half a GPU, and records the one that it sees."""

    name: ClassVar[str] = "on_gpu"
    consumes: ClassVar[Any] = "images"
    resources: ClassVar[Resources] = Resources(gpus=0.5)

    lines: str

    def open(self, ctx: OpenContext) -> str:
        with Path(self.lines).open("a") as handle:
            handle.write("opened\n")
        return os.environ.get("CUDA_VISIBLE_DEVICES", "none")

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        with Path(self.lines).open("a") as handle:
            handle.write(f"{os.environ.get('TEST_NODE')}:{ctx.opened}\n")
        return Outcome()
