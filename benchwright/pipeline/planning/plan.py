"""The plan of a run: a recipe's steps as stages, checked before anything runs, and stages grouped into phases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from benchwright.canonical import digest
from benchwright.errors import RecipeError
from benchwright.release.format.estimates import require_decisions
from benchwright.steps import CampaignStep, EarlierStage, FinalStep, Resources, Step
from benchwright.workspace.stage_input import GROUP, INGEST
from benchwright.workspace.stages import Stage, stages_of


class Phase(NamedTuple):
    """Stages that run together: consecutive map stages as one pass, any other stage alone.

    On every engine, a pass has only stages that need a GPU or only stages that do not. No GPU is idle during work that
    does not need it, and a batch contains the same records wherever it runs.
    """

    stages: tuple[Stage, ...]

    @property
    def kind(self) -> str:
        """Return the kind of the phase's stages."""
        return self.stages[0].kind

    @property
    def needs(self) -> Resources:
        """Return the resources that a worker needs to run every stage of the phase.

        A worker keeps the models of all stages of a phase on its GPU, so their memory there adds up, as does the memory
        of the models that workers share.
        """
        needs = [stage.needs for stage in self.stages if stage.role != "judge"]
        return Resources(
            max(resources.gpus for resources in needs),
            max(resources.memory_mb for resources in needs),
            sum(resources.gpu_memory_mb for resources in needs),
            sum(resources.shared_gpu_memory_mb for resources in needs),
        )


def plan(steps: Iterable[tuple[str, Step]]) -> list[Stage]:
    """Return the stages of the steps, after checking that the input of every stage exists.

    Raises:
        RecipeError: A step reads items before any are made, reads a value that no earlier step provides, filters images
            that already have items, or freezes items made from estimated ground truth without a campaign that decides
            on them.
    """
    stages: list[Stage] = []
    made_items_by: str | None = None
    identities: dict[str, str] = {}
    for entry, step in steps:
        placed = step.placed({stage.id: stage.values for stage in stages})
        for stage in stages_of(entry, placed):
            _check(stage, stages, made_items_by, is_of_maker="items" in placed.makes)
            opened_beside(stage, stages)
            if "items" in stage.makes and stage.kind == "map" and not stage.step.tells_apart:
                _check_identity(stage, identities)
            stages.append(stage)
            if "items" in stage.makes and stage.consumes == "images":
                made_items_by = made_items_by or entry
        if isinstance(placed, FinalStep) and placed.consumes == "items":
            _check_estimates(stages)
    return stages


def _check_estimates(stages: Sequence[Stage]) -> None:
    """Check that a campaign decides on the items of every entry that reads estimated ground truth."""
    for entry, later in makers_of_estimates(stages):
        require_decisions(entry, [stage.step.name for stage in later])


def makers_of_estimates(stages: Sequence[EarlierStage]) -> Iterator[tuple[str, Sequence[EarlierStage]]]:
    """Yield each entry that makes items from estimated ground truth, with the stages from that entry on."""
    estimating = {stage.id for stage in stages if stage.step.estimates}
    makers = {stage.entry for stage in stages if "items" in stage.makes}
    for place, stage in enumerate(stages):
        givers = {wanted.rpartition(".")[0] for wanted in stage.reads.values()}
        if stage.entry in makers and not estimating.isdisjoint(givers):
            yield stage.entry, stages[place:]


def _check(stage: Stage, before: Sequence[Stage], made_items_by: str | None, *, is_of_maker: bool) -> None:
    known = {earlier.id: earlier for earlier in before}
    if stage.id == INGEST or stage.id in known:
        raise RecipeError(f"step {stage.id!r}: the name is taken; give the entry another one with `as:`")
    if isinstance(stage.step, FinalStep):
        return
    if stage.consumes == "items" and made_items_by is None:
        raise RecipeError(
            f"step {stage.entry!r} works on items, but no earlier step makes any; add one, such as jigsaw"
        )
    if stage.consumes == "images" and not stage.makes and made_items_by is not None and not is_of_maker:
        raise RecipeError(
            f"step {stage.entry!r} filters images, but {made_items_by!r} before it has made items from them; "
            f"move {stage.entry!r} before {made_items_by!r}"
        )
    for wanted in stage.reads.values():
        giver, _, value = wanted.rpartition(".")
        if giver not in known or value not in known[giver].values:
            hint = _hint(known.get(giver))
            raise RecipeError(f"step {stage.entry!r} reads {wanted!r}, which no earlier step provides{hint}")
    if GROUP in stage.values and stage.values[GROUP] != "string":
        raise RecipeError(f"step {stage.entry!r}: its value 'group' must be of type string")


def opened_beside(stage: Stage, before: Sequence[Stage]) -> Sequence[Stage]:
    """Return the preceding campaigns alongside which a stage opens; empty for a stage that waits for all of them.

    Args:
        stage: The stage.
        before: The stages before it.

    Raises:
        RecipeError: The stage names an unknown campaign, one of another stream, or one whose values it reads.
    """
    if not isinstance(stage.step, CampaignStep) or (wanted := stage.step.beside) is None:
        return ()
    known = [earlier.entry for earlier in before if earlier.kind == "campaign"]
    if wanted not in known:
        near = get_close_matches(wanted, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"campaigns before it are {', '.join(known) or 'none'}"
        raise RecipeError(f"step {stage.entry!r} opens with {wanted!r}, which is not an earlier campaign; {hint}")
    first = [earlier.entry for earlier in before].index(wanted)
    beside = [*opened_beside(before[first], before[:first]), *before[first:]]
    of_other = [one.entry for one in beside if one.kind != "campaign" or one.consumes != stage.consumes]
    waits = [one.entry for one in before[first + 1 :] if isinstance(one.step, CampaignStep) and one.step.beside is None]
    if of_other or waits:
        raise RecipeError(
            f"step {stage.entry!r} opens with {wanted!r}, but {(of_other or waits)[0]!r} between them waits, or has "
            f"another stream; put campaigns that open together next to each other"
        )
    entries = {one.entry for one in beside}
    read = [name.rpartition(".")[0] for name in stage.reads.values()]
    if needed := sorted(entries & {*read, *stage.step.heeds}):
        raise RecipeError(
            f"step {stage.entry!r} opens with {wanted!r}, but needs decisions of {needed[0]!r}; leave out `opens_with`"
        )
    return beside


def _hint(giver: Stage | None) -> str:
    """Return the remedy for a step that reads facts from a campaign of marks or of statements."""
    if giver is None or giver.values.keys().isdisjoint({"regions", "statements"}):
        return ""
    return f"; add `- {{step: facts, stated_by: [{giver.entry}]}}` between them, which turns its results into facts"


def _check_identity(stage: Stage, identities: dict[str, str]) -> None:
    """Reject a step whose items would have the same ids as those of an earlier step.

    A task over photographs and its class for datasets (`Step.placed`) share a name. Their ids still differ, because the
    former makes items from an image, the latter from an image and a record of the dataset.
    """
    step, parameters = stage.step, stage.step.parameters()
    maker = f"{type(step).__module__}.{type(step).__qualname__}"
    identity = digest([step.name, maker, {name: parameters[name] for name in step.identity}])
    if identity in identities:
        settings = ", ".join(stage.step.identity) or "it has no settings"
        raise RecipeError(
            f"step {stage.entry!r} makes items of the same identity as {identities[identity]!r}; "
            f"they must differ in a setting that is part of the identity ({settings})"
        )
    identities[identity] = stage.entry


def check_final_steps(stages: Sequence[Stage], *, seed: int) -> None:
    """Reject final steps that could not finish after the steps before them.

    Raises:
        RecipeError: A final step's settings do not fit the steps before it, or the seed.
    """
    for place, stage in enumerate(stages):
        if isinstance(stage.step, FinalStep):
            stage.step.check_place(stages[:place], seed=seed)


def phases(stages: Sequence[Stage]) -> list[Phase]:
    """Group consecutive map stages by whether they need a GPU; a judge stays with the stage that it judges."""
    groups: list[list[Stage]] = []
    for stage in stages:
        if groups and stage.kind == groups[-1][0].kind == "map" and _wants_gpu(stage) == _wants_gpu(groups[-1][0]):
            groups[-1].append(stage)
        else:
            groups.append([stage])
    return [Phase(tuple(group)) for group in groups]


def _wants_gpu(stage: Stage) -> bool:
    return stage.step.needs().gpus > 0
