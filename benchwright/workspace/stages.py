"""Stages: the units that a run executes, made from a recipe's steps, in the order in which they run.

A filter becomes two stages, so that its thresholds are not part of the fingerprint of its measurements. A run handles
only stages, all through the same methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from benchwright.canonical import digest
from benchwright.steps import (
    CampaignStep,
    Context,
    Filter,
    FinalStep,
    GatherStep,
    MapStep,
    Measured,
    OpenContext,
    Outcome,
    Resources,
    Step,
    Stream,
)

Role = Literal["whole", "measure", "judge"]
Kind = Literal["map", "gather", "campaign", "final"]

_OUTCOME_FORMAT = 1
"""Version of the layout of a stage's files, which is part of every fingerprint."""


@dataclass(frozen=True)
class Stage:
    """One stage of a run.

    Args:
        id: Id, unique in the recipe; names the stage's table.
        entry: Name of the recipe entry that the stage belongs to.
        step: Step with settings and code.
        role: The stage's half of a filter, or `whole`.
        siblings: Names of all parts of the entry, to which `step` may refer.
    """

    id: str
    entry: str
    step: Step
    role: Role = "whole"
    siblings: frozenset[str] = frozenset()

    @cached_property
    def kind(self) -> Kind:
        """Return the kind of the stage, which determines how it runs."""
        if isinstance(self.step, GatherStep):
            return "gather"
        if isinstance(self.step, CampaignStep):
            return "campaign"
        return "final" if isinstance(self.step, FinalStep) else "map"

    @property
    def consumes(self) -> Stream:
        """Return the stream that the stage reads and judges."""
        return self.step.consumes

    @property
    def makes(self) -> tuple[Stream, ...]:
        """Return the streams to which the stage adds records."""
        return () if self.role == "measure" else self.step.makes

    @property
    def values(self) -> Mapping[str, str]:
        """Return the value columns of the stage's outcomes."""
        return {} if self.role == "judge" else self.step.values

    @property
    def costly(self) -> bool:
        """Return whether each record is written to the journal as soon as it is finished."""
        return self.role != "judge" and isinstance(self.step, MapStep | Filter) and self.step.costly

    @property
    def shares_model(self) -> bool:
        """Return whether the workers of a machine with a GPU share the model that the stage opens."""
        return isinstance(self.step, MapStep) and self.step.shares_model()

    def removes(self, verdict: str) -> bool:
        """Return whether a record with the given verdict leaves its stream.

        A step that makes items from images drops an image only from its own use: the next such step still sees it.
        """
        return verdict == "failed" or (verdict == "drop" and not self.makes)

    @cached_property
    def reads(self) -> Mapping[str, str]:
        """Return the values of earlier stages that the stage reads: `<stage id>.<value>` by the step's own name for
        each.
        """
        if self.role == "judge":
            measure = self.id.removesuffix("judge") + "measure"
            return {name: f"{measure}.{name}" for name in self.step.values}
        wanted: Sequence[str] = self.step.columns if isinstance(self.step, GatherStep) else self.step.reads
        return {name: self._full_name(name) for name in wanted if "." in name}

    def _full_name(self, name: str) -> str:
        part, _, value = name.partition(".")
        # `items.asked.asked` is a value of the entry `items`, also for the entry that has a part `items`.
        return f"{self.entry}.{name}" if part in self.siblings and "." not in value else name

    @cached_property
    def config(self) -> str:
        """Return the digest of everything except the input that determines the output."""
        parameters = self.step.parameters()
        if self.role == "measure" and isinstance(self.step, Filter):
            parameters = {key: value for key, value in parameters.items() if key not in self.step.thresholds}
        return digest(
            {
                "format": _OUTCOME_FORMAT,
                "stage": self.id,
                "step": self.step.name,
                "version": self.step.version,
                "role": self.role,
                "parameters": parameters,
                "weights": self.step.weights_hash(),
                "values": dict(self.values),
            }
        )

    @property
    def needs(self) -> Resources:
        """Return the resources of a worker, without the memory of shared models, which the result states separately."""
        needs = self.step.needs()
        if self.shares_model and not needs.shared_gpu_memory_mb:
            return needs._replace(gpu_memory_mb=0, shared_gpu_memory_mb=needs.gpu_memory_mb)
        return needs

    def open(self, ctx: OpenContext, shared: Any = None) -> Any:
        """Load the step's resources, once per worker, in addition to a shared model; judges need none."""
        if shared is not None and isinstance(self.step, MapStep):
            return self.step.open_with(shared, ctx)
        if self.role != "judge" and isinstance(self.step, MapStep | Filter):
            return self.step.open(ctx)
        return None

    def open_shared(self, ctx: OpenContext) -> Any:
        """Load the model that all workers share."""
        assert isinstance(self.step, MapStep), "only map steps share a model"
        return self.step.open_shared(ctx)

    def one(self, record: Any, ctx: Context) -> Outcome:
        """Return the outcome of one record."""
        if isinstance(self.step, Filter):
            if self.role == "measure":
                measured = self.step.measure(record, ctx)
                result = measured if isinstance(measured, Measured) else Measured(measured)
                return Outcome(values=result.values, evidence=result.evidence)
            return self.step.judge({name: ctx.value(record.record_id, name) for name in self.step.values})
        assert isinstance(self.step, MapStep)
        return self.step.one(record, ctx)

    def many(self, records: Sequence[Any], ctx: Context) -> Sequence[Outcome]:
        """Return one outcome per record, in order."""
        if isinstance(self.step, MapStep):
            return self.step.many(records, ctx)
        return [self.one(record, ctx) for record in records]


def stages_of(entry: str, step: Step) -> list[Stage]:
    """Return the stages of one recipe entry, in order."""
    parts = step.parts()
    siblings = frozenset(part.name for part in parts) if len(parts) > 1 else frozenset[str]()
    stages: list[Stage] = []
    for part in parts:
        stem = f"{entry}.{part.name}" if len(parts) > 1 else entry
        if isinstance(part, Filter):
            stages += [Stage(f"{stem}.{role}", entry, part, role, siblings) for role in ("measure", "judge")]
        else:
            stages.append(Stage(stem, entry, part, "whole", siblings))
    return stages
