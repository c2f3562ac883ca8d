"""Freezing: the remaining items become a release, an immutable folder.

The human baseline of the release is made from the answers of campaigns in the workspace. The card says which mode tasks
were made in and, where the step `shortcuts` ran, what it found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import AliasChoices, Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, PrerequisiteError, RecipeError, StepError
from benchwright.images.made_pictures import MadeForm, PictureRule
from benchwright.pipeline.planning.plan import makers_of_estimates
from benchwright.records import ImageRecord, Item, Operation
from benchwright.regions import with_answer_regions
from benchwright.release.format.errata import Corrections, Erratum, read_errata, spelled
from benchwright.release.format.estimates import is_estimated, require_decisions, require_people
from benchwright.release.format.statements import Statements
from benchwright.rooms import catalogue
from benchwright.steps import FOLDER, EarlierStage, FinalContext, FinalStep, Stream, WorkspaceView
from benchwright.texts.normalization import counted
from benchwright.workspace.item_cache import ItemCache, pictures_of
from benchwright.workspace.workspace import Workspace

from .mode_note import mode_note
from .rights.redistribution import Redistribute, Redistribution
from .shortcut_note import SOLVERS, constant_note, shortcut_note
from .splits import Splits

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.release import Release
    from benchwright.release.sealing.sealing import Sealing
    from benchwright.release.writing.expected_size import ExpectedSize

_ANSWERS = "answer"
"""Kind of campaign, as its summary states it, that gives items the values below."""
ASKED, _RIGHT, BY, CONTENT = "asked", "right", "right_by", "asked_content"


def human_baseline(view: WorkspaceView, items: Iterable[tuple[Item, Mapping[str, Any]]]) -> dict[str, Any] | None:
    """Return how often people answered the items that are released, by campaign; None where nobody was asked.

    Items that nobody was asked, and items whose content has changed since, are not counted.

    Args:
        view: Workspace view with the campaigns.
        items: Items as they are released, with their values.
    """
    campaigns = {name: summary for name, summary in view.campaigns().items() if summary.get("kind") == _ANSWERS}
    if not campaigns:
        return None
    answers: dict[str, dict[str, Any]] = {name: {} for name in campaigns}
    for item, values in items:
        for name, answered in answers.items():
            if values.get(f"{name}.{CONTENT}") == item.content_hash:
                answered[item.item_id] = {word: values[f"{name}.{word}"] for word in (ASKED, _RIGHT)}
                if (by := values.get(f"{name}.{BY}")) is not None:
                    answered[item.item_id]["by"] = json.loads(by)
    return {name: _answers(summary, answers[name]) for name, summary in campaigns.items() if answers[name]} or None


def _answers(summary: Mapping[str, Any], items: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "simulated": bool(summary["simulated"]),
        "annotators": len(summary["annotators"]),
        "answers_per_item": summary["answers_per_item"],
        "items": items,
    }


_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_Valued = tuple[Item, Mapping[str, Any]]

_LATER: Mapping[str, Any] = {"metadata": "remove", "redistribute": "permitted", "statements": {}, "pictures": None}
"""Defaults of settings that earlier versions did not have."""

DRAFT = "0+"
"""Versions that begin so are drafts, named by their content and replaced when it is frozen again."""

_ONLY_SPLIT = "test"
_SPLIT_VALUE = "split"
_SEALED_BY_CONTENT = (
    "pictures: by_content cannot be had with sealed splits, since a file's format says which step made it; leave it out"
)


class Freeze(FinalStep):
    """Write the release `releases/<name>-<version>` of the workspace.

    Args:
        release: Name of the benchmark: lower-case letters, digits, `-` and `_`; `name` in recipes, where `release` is
            taken too.
        release_version: Version, such as `"1.0"`, which never changes afterwards; `version` in recipes. Without one, a
            draft named by its content.
        licence: Licence of the release as a whole, such as `cc-by-4.0`.
        description: Markdown for the card.
        split_value: Value that names each item's split, such as `splits.split`; only needed where a recipe has several.
            Without any, all items are in `test`.
        errata: File of errata, relative to the recipe's folder: keys that people found wrong are set right, other items
            that they found wrong are left out. A run writes the digest of its content instead.
        accept_simulated: Whether to take items of what a model estimated though only simulated annotators decided on
            them. The card, `release show` and `release verify` then say so.
        sealed: Splits whose answers stay out of the release, such as `[test]`. They go to a key file in the
            workspace's folder `keys`. The recipe's seed must be a secret one then.
        accept_known_seed: Whether to seal though the recipe's seed can be guessed; only where no answer follows from
            recipe and pictures, because people gave them all. The card then says so.
        metadata: `remove` takes EXIF (with places), XMP, IPTC, comments and further pictures out of JPEG, PNG and WebP
            files, without encoding them anew, but for JPEG files that EXIF turns: these are released upright where
            what people see of them counts; `keep` releases the files as they are.
        redistribute: `permitted` stops with a list where a licence forbids to pass a picture on; `url` releases address
            and hash of such pictures instead, which `release fetch` gets; `all` releases them, where you have been
            permitted to.
        pictures: `by_content` makes and releases pictures, and draws those with marks, as JPEG of quality 95 where what
            people see of them counts, and as WebP without loss where each pixel may; `lossless` has all without loss.
            Steps make pictures as the recipe says when a workspace is begun: JPEGs that are there already stay what
            they are in a `lossless` release. By default what the workspace was begun with: `by_content`, or `lossless`
            where it is older than this setting. Releases with sealed splits are lossless.
        statements: What only you can say: authors, url, languages, consent and pay of annotators, access terms, and
            answers of the data sheet; in your words on the card.
    """

    name: ClassVar[str] = "freeze"
    consumes: ClassVar[Stream] = "items"

    release: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", validation_alias=AliasChoices("name", "release"))
    release_version: str | None = Field(
        None,
        pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$",
        validation_alias=AliasChoices("version", "release_version"),
    )
    licence: str | None = None
    description: str = ""
    split_value: str | None = None

    errata: str | None = None

    accept_simulated: bool = False

    sealed: tuple[str, ...] = ()

    accept_known_seed: bool = False

    metadata: Literal["remove", "keep"] = "remove"

    redistribute: Redistribute = "permitted"

    pictures: PictureRule | None = None

    statements: Statements = Statements()

    _errata: tuple[Erratum, ...] = PrivateAttr(())

    @model_validator(mode="after")
    def _read_errata(self, info: ValidationInfo) -> Freeze:
        if self.errata is not None and not _BY_DIGEST.fullmatch(self.errata):
            self._errata = read_errata((info.context or {}).get(FOLDER, Path()) / self.errata)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings, with errata by what they say, so that the file's place does not matter."""
        settings = super().parameters()
        if self.errata is not None and not _BY_DIGEST.fullmatch(self.errata):
            settings["errata"] = f"sha256:{bytes_digest(spelled(self._errata))}"
        settings["statements"] = self.statements.document()
        # What is left at its default is left out, so that a version that was frozen before is not frozen again.
        return {name: value for name, value in settings.items() if name not in _LATER or value != _LATER[name]}

    @property
    def picture_rule(self) -> PictureRule | None:
        """How the release is to hold pictures that steps make."""
        return "lossless" if self.sealed else self.pictures

    def corrections(self) -> Corrections:
        """Return what sets items right on their way into the release.

        Raises:
            PrerequisiteError: Errata are known by their digest only.
        """
        if self.errata is not None and _BY_DIGEST.fullmatch(self.errata):
            raise PrerequisiteError(f"errata {self.errata} are known by digest only; give the file")
        return Corrections(self._errata)

    @field_validator("release_version")
    @classmethod
    def _no_draft_by_hand(cls, version: str | None) -> str | None:
        if version is not None and version.startswith(DRAFT):
            raise ValueError(f"versions that begin with {DRAFT!r} are drafts; leave release_version out for one")
        return version

    @model_validator(mode="after")
    def _sealed_is_lossless(self) -> Freeze:
        if self.sealed and self.pictures == "by_content":
            raise ValueError(_SEALED_BY_CONTENT)
        return self

    def check_place(self, before: Sequence[EarlierStage], *, seed: int) -> None:
        """Refuse what could not be frozen: splits that nothing or too much names, seeds that give sealed answers away.

        Raises:
            RecipeError: The setting, and what to change.
        """
        self._naming_stage(before)
        if self.sealed:
            from benchwright.release.sealing.sealing import require_secret_seed

            if not self.accept_known_seed:
                require_secret_seed(seed)
            known = self.split_names(before)
            if known is not None and (strange := sorted(set(self.sealed) - known)):
                raise RecipeError(
                    f"step {self.name!r}: sealed names the split {strange[0]!r}, and the splits are "
                    f"{', '.join(sorted(known))}"
                )
        if not self.accept_simulated:
            for entry, later in makers_of_estimates(before):
                named = [{"stage": stage.id, "step": stage.step.name} for stage in later]
                simulated = {stage.id: {"simulated": bool(stage.step.parameters().get("simulate"))} for stage in later}
                require_people(entry, named, simulated)

    def split_names(self, before: Sequence[EarlierStage]) -> frozenset[str] | None:
        """Return the names of the release's splits; None where data say them."""
        stage = self._naming_stage(before)
        if stage is None:
            return frozenset({_ONLY_SPLIT})
        return stage.step.names if isinstance(stage.step, Splits) else None

    def _naming_stage(self, before: Sequence[EarlierStage]) -> EarlierStage | None:
        """Return the stage whose value names the splits; None where none does.

        Raises:
            RecipeError: Several do and the settings choose none, the one that they choose gives no such value, or items
                are made after it, which would have no split.
        """
        given = {f"{stage.id}.{name}": place for place, stage in enumerate(before) for name in stage.values}
        named = _split_values(given)
        if self.split_value is None and len(named) > 1:
            raise RecipeError(
                f"step {self.name!r}: {_several(named)}; set `split_value: {named[-1]}` for the last of them, or "
                "leave a step out"
            )
        chosen = self.split_value or (named[0] if named else None)
        if chosen is None:
            return None
        if chosen not in given:
            raise RecipeError(
                f"step {self.name!r}: no step before it gives {chosen!r}, which split_value names; those that name "
                f"splits are {', '.join(named) or 'none: leave it out, and all items are in ' + repr(_ONLY_SPLIT)}"
            )
        place = given[chosen]
        makers = [stage.entry for stage in before[place + 1 :] if stage.kind == "map" and "items" in stage.makes]
        if self.split_value and makers:
            raise RecipeError(
                f"step {self.name!r}: {makers[0]!r} makes items after {before[place].entry!r} has named their splits; "
                f"move {before[place].entry!r} behind it"
            )
        return before[place]

    def finish(self, view: WorkspaceView, ctx: FinalContext) -> Mapping[str, str]:
        """Write the release and return its path."""
        frozen = freeze(
            self,
            view,
            workspace=ctx.workspace,
            seed=ctx.seed,
            recipe=ctx.recipe,
            workers=ctx.workers,
            progress=ctx.progress,
            announce=lambda size: ctx.progress.beside(f"the release takes {size.text()}"),
        )
        return {"release": frozen.path.relative_to(ctx.workspace).as_posix()}


def freeze(
    settings: Freeze,
    view: WorkspaceView,
    *,
    workspace: Path,
    seed: int,
    recipe: Mapping[str, Any],
    workers: int = 1,
    progress: Progress | None = None,
    announce: Callable[[ExpectedSize], None] | None = None,
) -> Release:
    """Write what the view shows as a release of the workspace and return it opened.

    Marks are drawn by up to `workers` processes, and `progress` counts the items that get them. `announce`
    gets the size of the release before it is written.

    Raises:
        BenchwrightError: The version exists with other content, or nothing is left to release.
        RecipeError: Truths of items were estimated by a model, and nobody decided on these items, or only simulated
            annotators did.
        StepError: Items and the values that name their splits do not fit together.
    """
    with pictures_of(Workspace(workspace).cache) as store:
        return _frozen(
            settings,
            view,
            store,
            workspace=workspace,
            seed=seed,
            recipe=recipe,
            workers=workers,
            progress=progress,
            announce=announce,
        )


def _frozen(
    settings: Freeze,
    view: WorkspaceView,
    store: ItemCache,
    *,
    workspace: Path,
    seed: int,
    recipe: Mapping[str, Any],
    workers: int,
    progress: Progress | None,
    announce: Callable[[ExpectedSize], None] | None,
) -> Release:
    from benchwright.release import content_id_of, write_release
    from benchwright.release.sealing.sealing import key_path

    corrections = settings.corrections()
    stages, campaigns = view.stages(), view.campaigns()
    is_lossless = _picture_rule(settings, workspace) == "lossless"
    seen_by_people = _visual_operations(view.operations())
    visual = frozenset[str]() if is_lossless else seen_by_people
    files = _ReleasedFiles(settings, view, visual, seen_by_people - visual, store, progress)

    def corrected() -> Iterator[_Valued]:
        return _corrected(view, corrections, files)

    files.redistribution.check(item for item, _ in corrected())

    def items() -> Iterator[tuple[Item, str]]:
        for item, split in _with_splits(corrected(), settings.split_value):
            if is_estimated(item):
                require_decisions(item.task, [stage["step"] for stage in stages])
                if not settings.accept_simulated:
                    require_people(item.task, stages, campaigns)
            yield files.item(item), split

    has_shortcuts = any(f".{stage['stage']}".endswith(SOLVERS) for stage in stages)
    notes = [mode_note(item for item, _ in corrected()), shortcut_note(corrected()) if has_shortcuts else ""]
    open_splits = (
        item for item, split in _with_splits(corrected(), settings.split_value) if split not in settings.sealed
    )
    notes.append(constant_note(open_splits))
    baseline = human_baseline(view, corrected())
    operations = [*view.operations(), *files.operations()]
    description = "\n\n".join(filter(None, (settings.description.strip(), *notes)))
    replace = settings.release_version is None
    if settings.sealed:
        sealing = _sealing(settings, items, workspace=workspace, seed=seed)
        public_operations, image = sealing.operations(operations), sealing.image(files.image)
        version = settings.release_version or DRAFT + content_id_of(sealing.public(items(), files.image))[:12]
        return write_release(
            workspace / "releases" / f"{settings.release}-{version}",
            name=settings.release,
            version=version,
            items=sealing.public(items(), files.image),
            image=image,
            image_bytes=lambda record: files.image_bytes(sealing.original(record)),
            operations=public_operations,
            recipe=sealing.recipe(recipe),
            stages=sealing.stages(stages),
            agreement=sealing.agreement(campaigns),
            seed=None,
            licence=settings.licence,
            description=description,
            human_baseline=sealing.human_baseline(baseline),
            corrections=corrections,
            replace=replace,
            sealing=sealing,
            key=key_path(workspace, settings.release, version),
            by_address=files.redistribution.is_by_address if settings.redistribute == "url" else None,
            statements=settings.statements,
            store=store,
            announce=announce,
            workers=workers,
            progress=progress,
        )
    version = settings.release_version or DRAFT + content_id_of(items())[:12]
    return write_release(
        workspace / "releases" / f"{settings.release}-{version}",
        name=settings.release,
        version=version,
        items=items(),
        image=files.image,
        image_bytes=files.image_bytes,
        operations=operations,
        recipe=recipe,
        stages=stages,
        agreement=campaigns,
        seed=seed,
        licence=settings.licence,
        description=description,
        human_baseline=baseline,
        corrections=corrections,
        replace=replace,
        by_address=files.redistribution.is_by_address if settings.redistribute == "url" else None,
        visual=visual,
        exact_tasks=files.exact_tasks,
        statements=settings.statements,
        store=store,
        announce=announce,
        workers=workers,
        progress=progress,
    )


def _picture_rule(settings: Freeze, workspace: Path) -> PictureRule:
    """Return how pictures that steps made are released.

    Raises:
        BenchwrightError: Splits are sealed and pictures are not to be lossless: the format of a file would say by which
            step it was made.
    """
    if settings.sealed:
        if settings.pictures == "by_content":
            raise BenchwrightError(_SEALED_BY_CONTENT)
        return "lossless"
    return settings.pictures or Workspace(workspace).picture_rule()


def _visual_operations(operations: Iterable[Operation]) -> frozenset[str]:
    """Return the ids of the operations of whose pictures people see all that counts, as their steps declare."""
    steps = catalogue("steps")
    return frozenset(
        operation.operation_id
        for operation in operations
        if operation.step in steps and steps[operation.step].load().picture_fidelity == "visual"
    )


def _exact_tasks(tasks: Iterable[str]) -> frozenset[str]:
    """Return the tasks in whose pictures each pixel counts, as the steps of these names declare."""
    steps = catalogue("steps")
    return frozenset(task for task in tasks if task in steps and steps[task].load().picture_fidelity == "exact")


class _ReleasedFiles:
    """Picture files as they are released: changed, as the workspace holds them, or by their address only.

    Args:
        settings: Settings of the release.
        view: View of the workspace; all files are read where metadata is removed, and made ones where they are encoded.
        visual: Ids of the operations whose pictures are encoded.
        kept: Ids of other operations whose pictures may be JPEG, which is told; in sealed releases these are encoded
            without further loss, as other pictures are.
        store: Store of files that were encoded before.
        progress: Receiver of a warning about files whose metadata cannot be removed.
    """

    def __init__(
        self,
        settings: Freeze,
        view: WorkspaceView,
        visual: frozenset[str],
        kept: frozenset[str],
        store: ItemCache,
        progress: Progress | None,
    ) -> None:
        from benchwright.release.writing.file_changes import FileChanges

        self.image, self.image_bytes = view.image, view.image_bytes
        self.redistribution = Redistribution(settings.redistribute, view.image)
        tasks: set[str] = set()
        lossy: set[str] = set()

        def is_lossy(record: ImageRecord) -> bool:
            return record.operation_id in kept and record.media_type == "image/jpeg"

        def surveyed() -> Iterator[Item]:
            for item, _ in view.items():
                tasks.add(item.task)
                if kept:
                    lossy.update(i.image_id for i in item.images if is_lossy(view.image(i.image_id)))
                yield item

        self.redistribution.survey(surveyed())
        self.exact_tasks = _exact_tasks(tasks) if visual else frozenset()
        self._changes: FileChanges | None = None
        if lossy and not settings.sealed and progress is not None:
            progress.warn(
                f"{counted(len(lossy), 'picture')} made as JPEG will stay so: for pictures without loss begin a new "
                "workspace with `pictures: lossless`"
            )
        if settings.metadata == "keep" and not visual and not (lossy and settings.sealed):
            return

        def encodes(record: ImageRecord) -> MadeForm | None:
            if record.operation_id in visual and record.media_type != "image/jpeg":
                return "jpeg"
            return "webp" if settings.sealed and is_lossy(record) else None

        changes = self._changes = FileChanges(
            view.image,
            view.image_bytes,
            removes_metadata=lambda record: (
                settings.metadata == "remove"
                and record.source is not None  # a made file holds nothing but pixels
                and not self.redistribution.is_by_address(record)
            ),
            encodes=encodes,
            turns=lambda record, item: (
                settings.metadata == "remove"
                and item.operation_id in visual
                and item.task not in self.exact_tasks
                and not self.redistribution.is_by_address(record)
            ),
            store=store,
        )
        changes.survey(item for item, _ in view.items())
        self.image, self.image_bytes = changes.image, changes.image_bytes
        if changes.left and progress is not None:
            formats = ", ".join(f"{n} {media_type}" for media_type, n in sorted(changes.left.items()))
            progress.warn(
                f"metadata stays in picture files of which it cannot be cut out ({formats}): convert them to JPEG, PNG "
                "or WebP before they are taken in, if they say what nobody else should know"
            )

    def item(self, item: Item) -> Item:
        """Return an item with the ids of the files that are released."""
        return item if self._changes is None else self._changes.item(item)

    def operations(self) -> Sequence[Operation]:
        """Return the operations that made released files of the workspace's."""
        return () if self._changes is None else self._changes.operations()


def _sealing(
    settings: Freeze, items: Callable[[], Iterator[tuple[Item, str]]], *, workspace: Path, seed: int
) -> Sealing:
    """Return the sealing of a release, with the salt that was used before.

    Raises:
        RecipeError: The seed can be guessed.
        BenchwrightError: A sealed split has no item, or the release is there and its key is not.
    """
    from benchwright.release.sealing.sealing import Sealing, key_path, known_salt

    name, version = settings.release, settings.release_version
    if version is not None:
        path = key_path(workspace, name, version)
        if (workspace / "releases" / f"{name}-{version}").exists() and not path.exists():
            raise BenchwrightError(
                f"the release {name}-{version} is there, and its key file {path} is not; put it back, without which "
                "nothing can be sealed as before, or raise the version"
            )
    salt = known_salt(workspace, name, version)
    sealing = Sealing(settings.sealed, salt=salt, seed=seed, accept_known_seed=settings.accept_known_seed)
    sealing.survey(items())
    return sealing


def _corrected(view: WorkspaceView, corrections: Corrections, files: _ReleasedFiles) -> Iterator[_Valued]:
    """Yield items as they are to be released but for the ids of picture files, with their values."""
    for item, values in view.items():
        if (corrected := corrections.correct(item, released=files.item(item))) is not None:
            yield with_answer_regions(corrected, values), values


def _with_splits(items: Iterable[_Valued], named: str | None) -> Iterator[tuple[Item, str]]:
    """Yield items with their splits; all lie in `test` where no step named splits."""
    for item, values in items:
        key = named or _split_value(values)
        if key is None:
            yield item, _ONLY_SPLIT
            continue
        split = values.get(key)
        if not isinstance(split, str):
            raise StepError(
                f"item {item.item_id} has no value {key!r}; let the step that assigns splits see every item, "
                "after the last step that makes or keeps items"
            )
        yield item, split


def _split_value(values: Mapping[str, Any]) -> str | None:
    names = _split_values(values)
    if len(names) > 1:
        raise StepError(f"{_several(sorted(names))}; say which with split_value")
    return names[0] if names else None


def _split_values(values: Iterable[str]) -> list[str]:
    """Return those of some values, in the order of their stages, that name splits.

    Where several entries have a part of one name, as entries `items` have `own_splits`, the last part sees all items.
    """
    named: dict[str, str] = {}
    for value in values:
        if value.rpartition(".")[2] == _SPLIT_VALUE:
            part = value.partition(".")[2]
            named[part if "." in part else value] = value
    return list(named.values())


def _several(names: Sequence[str]) -> str:
    return f"several values name splits: {', '.join(names)}"


def freeze_workspace(
    workspace: Path,
    *,
    release: str,
    version: str | None = None,
    licence: str | None = None,
    description: str = "",
    errata: Path | None = None,
    split_value: str | None = None,
    accept_simulated: bool = False,
    sealed: Sequence[str] = (),
    accept_known_seed: bool = False,
    metadata: Literal["remove", "keep"] = "remove",
    redistribute: Redistribute = "permitted",
    pictures: PictureRule | None = None,
    statements: Statements | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    announce: Callable[[ExpectedSize], None] | None = None,
) -> Release:
    """Freeze a workspace whose run is complete, without a `freeze` step in its recipe.

    Args:
        workspace: Folder of the workspace.
        release: Name of the benchmark.
        version: Version of the release, such as `1.0`; a draft named by its content if None.
        licence: Licence of the release as a whole, such as `cc-by-4.0`.
        description: Markdown for the card.
        errata: File of errata to set right.
        split_value: Value that names each item's split, such as `splits.split`, where several steps name splits.
        accept_simulated: Whether to take items of what a model estimated though only simulated annotators decided on
            them.
        sealed: Splits whose answers stay out of the release, and go to a key file.
        accept_known_seed: Whether to seal though the recipe's seed can be guessed.
        metadata: Whether picture files are released without their metadata.
        redistribute: Whether pictures that a licence forbids to pass on stop the release, go into it by address and
            hash, or as they are.
        pictures: Whether made pictures are released losslessly or by what counts in them; as the workspace was begun if
            None.
        statements: What only people can say of the release.
        workers: Largest number of processes that draw marks.
        progress: Receiver of the number of marked items that are drawn.
        announce: Receiver of the size of the release, before it is written.

    Raises:
        BenchwrightError: The run is not complete, a name is malformed, or the version exists with other
            content.
    """
    from pydantic import ValidationError

    from benchwright.pipeline import open_view

    try:
        settings = Freeze.model_validate(
            {
                "name": release,
                "version": version,
                "licence": licence,
                "description": description,
                "errata": None if errata is None else str(errata),
                "split_value": split_value,
                "accept_simulated": accept_simulated,
                "sealed": tuple(sealed),
                "accept_known_seed": accept_known_seed,
                "metadata": metadata,
                "redistribute": redistribute,
                "pictures": pictures,
                "statements": statements or Statements(),
            }
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = f"{'.'.join(map(str, first['loc']))} {first['input']!r}: " if first["loc"] else ""
        raise BenchwrightError(f"{where}{first['msg'].removeprefix('Value error, ')}") from error
    view = open_view(workspace)
    return freeze(
        settings,
        view,
        workspace=workspace,
        seed=view.seed,
        recipe=view.recipe,
        workers=workers,
        progress=progress,
        announce=announce,
    )
