"""The step `freeze`: turns the items of a workspace into a release, with corrections, splits and sealed answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import AliasChoices, Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, PrerequisiteError, RecipeError
from benchwright.images.made_pictures import PictureRule
from benchwright.pipeline.planning.plan import makers_of_estimates
from benchwright.progress import Silent
from benchwright.record_map import RecordMap, map_here
from benchwright.records import Item
from benchwright.regions import with_answer_regions
from benchwright.release.format.blind_strategy import MAX_GAIN, BlindStrategy
from benchwright.release.format.errata import Corrections, Erratum, read_errata, spelled
from benchwright.release.format.estimates import is_estimated, require_decisions, require_people
from benchwright.release.format.identity import DRAFT
from benchwright.release.format.statements import Statements
from benchwright.steps import FOLDER, EarlierStage, FinalContext, FinalStep, Stream, WorkspaceView
from benchwright.workspace.checked_files import checked_files
from benchwright.workspace.item_cache import ItemCache, pictures_of
from benchwright.workspace.workspace import Workspace

from ..rights.redistribution import Redistribute, Redistribution
from .human_answers import human_baseline
from .mode_note import mode_note
from .named_splits import ONLY_SPLIT, Valued, several, split_values, with_splits
from .released_files import ReleasedFiles, visual_operations
from .shortcut_note import SOLVERS, blind_note, shortcut_note
from .splits import Splits

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.release import Release
    from benchwright.release.sealing.sealing import Sealing
    from benchwright.release.writing.expected_size import ExpectedSize

_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LATER: Mapping[str, Any] = {
    "metadata": "remove",
    "redistribute": "permitted",
    "statements": {},
    "pictures": None,
    "max_blind_gain": MAX_GAIN,
    "why": None,
}
"""Defaults of settings that did not exist in earlier versions."""

_SEALED_BY_CONTENT = (
    "pictures: by_content excludes sealed splits, since a file's format reveals the step that made it; leave it out"
)


class Freeze(FinalStep):
    """Write the release `releases/<name>-<version>` of the workspace.

    Args:
        release: Name of the benchmark: lower-case letters, digits, `-` and `_`; recipes take `name` as well as
            `release`.
        release_version: Version, such as `"1.0"`, which never changes afterwards; `version` in recipes. Without one, a
            draft named by its content.
        licence: License of the release as a whole, such as `cc-by-4.0`.
        description: Markdown for the card.
        split_value: Value that names each item's split, such as `splits.split`; needed only if a recipe has several.
            Without any, all items are in `test`.
        errata: File of errata, relative to the recipe's folder: corrects wrong keys and leaves out other items found
            wrong. A run writes the digest of its content instead.
        accept_simulated: Whether to accept items with model estimates that only simulated annotators decided on. The
            card, `release show` and `release verify` then say so.
        sealed: Splits whose answers stay out of the release, such as `[test]`. They go to a key file in the
            workspace's folder `keys`. The recipe's seed must then be secret.
        accept_known_seed: Whether to seal although the recipe's seed can be guessed; only if no answer follows from
            recipe and pictures, because people gave them all. The card then says so.
        metadata: `remove` deletes EXIF (including locations), XMP, IPTC, comments and additional pictures from JPEG,
            PNG and WebP files without re-encoding them. JPEG files that EXIF rotates are the exception: they are
            released upright if only their visible content counts. `keep` releases the files unchanged.
        redistribute: `permitted` stops with a list if a license forbids redistribution of a picture; `url` releases the
            address and hash of such pictures, which `release fetch` gets; `all` releases them, if you have
            permission.
        pictures: `by_content` makes and releases pictures, and draws those with marks, as JPEG of quality 95 if only
            their visible content counts, and as lossless WebP if each pixel may count; `lossless` has all without loss.
            The recipe's setting when a workspace is begun determines how steps make pictures: existing JPEGs stay JPEGs
            in a `lossless` release. Default: the workspace's initial setting: `by_content`, or `lossless` if it is
            older than this setting. Releases with sealed splits are lossless.
        statements: Statements that only you can make: authors, url, languages, consent and pay of annotators, access
            terms, and answers of the data sheet; in your words on the card.
        max_blind_gain: Maximum gain over chance, 0-1, of the best strategy that sees no picture, measured at the low
            end of its interval. A larger gain requires a reason; drafts and sets of fewer than 30 items are never
            refused.
        why: Reason to freeze the release although a blind strategy gains more; printed on the card.
    """  # phrase: allowed

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

    max_blind_gain: float = Field(MAX_GAIN, ge=0, le=1)

    why: str | None = None

    _errata: tuple[Erratum, ...] = PrivateAttr(())

    @model_validator(mode="after")
    def _read_errata(self, info: ValidationInfo) -> Freeze:
        if self.errata is not None and not _BY_DIGEST.fullmatch(self.errata):
            self._errata = read_errata((info.context or {}).get(FOLDER, Path()) / self.errata)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings; errata are represented by their content, so that their file's path does not matter."""
        settings = super().parameters()
        if self.errata is not None and not _BY_DIGEST.fullmatch(self.errata):
            settings["errata"] = f"sha256:{bytes_digest(spelled(self._errata))}"
        settings["statements"] = self.statements.document()
        # Settings at their default are left out, so that a version frozen earlier is not frozen again.
        return {name: value for name, value in settings.items() if name not in _LATER or value != _LATER[name]}

    @property
    def picture_rule(self) -> PictureRule | None:
        """Form in which the release stores pictures made by steps."""
        return "lossless" if self.sealed else self.pictures

    def corrections(self) -> Corrections:
        """Return the corrections to apply to items before they are released.

        Raises:
            PrerequisiteError: Only the digest of the errata is known.
        """
        if self.errata is not None and _BY_DIGEST.fullmatch(self.errata):
            raise PrerequisiteError(f"only the digest of the errata {self.errata} is known; give the file")
        return Corrections(self._errata)

    def is_reason_asked(self, blind: BlindStrategy | None) -> bool:
        """Return whether a blind strategy gains so much that a reason is required."""
        return blind is not None and blind.exceeds(self.max_blind_gain)

    def require_reason(self, blind: BlindStrategy | None) -> None:
        """Refuse to freeze a version on which a blind strategy gains too much unless a reason is stated.

        Raises:
            BenchwrightError: No reason is given.
        """
        if blind is None or self.release_version is None or self.why or not self.is_reason_asked(blind):
            return
        raise BenchwrightError(
            f"release {self.release!r} {self.release_version}: {blind.words}; even the lower end of the interval is "
            f"more than {self.max_blind_gain:g} above guessing. Fix the items (the step answer_balance, "
            "`benchwright filter shortcuts`), or state on the card why you freeze it nevertheless: --why TEXT, or "
            "`why: TEXT` in the step freeze"
        )

    @field_validator("release_version")
    @classmethod
    def _no_draft_by_hand(cls, version: str | None) -> str | None:
        if version is not None and version.startswith(DRAFT):
            raise ValueError(f"versions that begin with {DRAFT!r} are drafts; omit release_version to freeze a draft")
        return version

    @model_validator(mode="after")
    def _sealed_is_lossless(self) -> Freeze:
        if self.sealed and self.pictures == "by_content":
            raise ValueError(_SEALED_BY_CONTENT)
        return self

    def check_place(self, before: Sequence[EarlierStage], *, seed: int) -> None:
        """Refuse missing or ambiguous split names, and seeds that reveal sealed answers.

        Raises:
            RecipeError: A setting is invalid; the message states what to change.
        """
        self._naming_stage(before)
        if self.sealed:
            from benchwright.release.sealing.sealing import require_secret_seed

            if not self.accept_known_seed:
                require_secret_seed(seed)
            known = self.split_names(before)
            if known is not None and (strange := sorted(set(self.sealed) - known)):
                raise RecipeError(
                    f"step {self.name!r}: sealed names the split {strange[0]!r}, but the splits are "
                    f"{', '.join(sorted(known))}"
                )
        if not self.accept_simulated:
            for entry, later in makers_of_estimates(before):
                named = [{"stage": stage.id, "step": stage.step.name} for stage in later]
                simulated = {stage.id: {"simulated": bool(stage.step.parameters().get("simulate"))} for stage in later}
                require_people(entry, named, simulated)

    def split_names(self, before: Sequence[EarlierStage]) -> frozenset[str] | None:
        """Return the names of the release's splits, or None if they are determined only by the data."""
        stage = self._naming_stage(before)
        if stage is None:
            return frozenset({ONLY_SPLIT})
        return stage.step.names if isinstance(stage.step, Splits) else None

    def _naming_stage(self, before: Sequence[EarlierStage]) -> EarlierStage | None:
        """Return the stage whose value names the splits, or None if there is none.

        Raises:
            RecipeError: Several stages name splits and the settings choose none, the chosen one gives no such value, or
                a later step makes items, which would have no split.
        """
        given = {f"{stage.id}.{name}": place for place, stage in enumerate(before) for name in stage.values}
        named = split_values(given)
        if self.split_value is None and len(named) > 1:
            raise RecipeError(
                f"step {self.name!r}: {several(named)}; set `split_value: {named[-1]}` for the last of them, or "
                "remove a step"
            )
        chosen = self.split_value or (named[0] if named else None)
        if chosen is None:
            return None
        if chosen not in given:
            raise RecipeError(
                f"step {self.name!r}: no earlier step provides {chosen!r}, which split_value names; those that name "
                f"splits are {', '.join(named) or 'none: leave it out, and all items are in ' + repr(ONLY_SPLIT)}"
            )
        place = given[chosen]
        makers = [stage.entry for stage in before[place + 1 :] if stage.kind == "map" and "items" in stage.makes]
        if self.split_value and makers:
            raise RecipeError(
                f"step {self.name!r}: {makers[0]!r} makes items after {before[place].entry!r} has named their splits; "
                f"move {before[place].entry!r} after it"
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
            record_map=ctx.record_map,
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
    record_map: RecordMap = map_here,
    progress: Progress | None = None,
    announce: Callable[[ExpectedSize], None] | None = None,
) -> Release:
    """Write the view's items as a release of the workspace and return it opened.

    `record_map` applies the drawing of marks and the encoding of files to pictures, and `progress` counts the items
    with drawn marks. `announce` receives the size of the release before it is written.

    Raises:
        BenchwrightError: The version exists with different content, or nothing is left to release.
        RecipeError: A model estimated the ground truth of items on which no annotators, or only simulated
            ones, decided.
        StepError: Items and the values that name their splits do not match.
    """
    with pictures_of(Workspace(workspace).cache) as store:
        return _frozen(
            settings,
            view,
            store,
            workspace=workspace,
            seed=seed,
            recipe=recipe,
            record_map=record_map,
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
    record_map: RecordMap,
    progress: Progress | None,
    announce: Callable[[ExpectedSize], None] | None,
) -> Release:
    from benchwright.diagnostics.shortcuts.blind_strategy import blind_strategy
    from benchwright.release import content_id_of, write_release
    from benchwright.release.sealing.sealing import key_path

    corrections = settings.corrections()
    stages, campaigns = view.stages(), view.campaigns()
    is_lossless = _picture_rule(settings, workspace) == "lossless"
    seen_by_people = visual_operations(view.operations())
    visual = frozenset[str]() if is_lossless else seen_by_people
    files = ReleasedFiles(
        view,
        Redistribution(settings.redistribute, view.image),
        visual=visual,
        kept=seen_by_people - visual,
        removes_metadata=settings.metadata == "remove",
        is_sealed=bool(settings.sealed),
        store=store,
        record_map=record_map,
        progress=progress,
    )

    def corrected() -> Iterator[Valued]:
        return _corrected(view, corrections, files)

    files.redistribution.check(item for item, _ in corrected())

    def items() -> Iterator[tuple[Item, str]]:
        for item, split in with_splits(corrected(), settings.split_value):
            if is_estimated(item):
                require_decisions(item.task, [stage["step"] for stage in stages])
                if not settings.accept_simulated:
                    require_people(item.task, stages, campaigns)
            yield files.item(item), split

    has_shortcuts = any(f".{stage['stage']}".endswith(SOLVERS) for stage in stages)
    open_splits = (
        item for item, split in with_splits(corrected(), settings.split_value) if split not in settings.sealed
    )
    said = blind_note(open_splits)
    if said.blind is not None:
        (progress or Silent()).beside(f"best blind strategy: {said.blind.words}")
    blind = blind_strategy(item for item, _ in corrected()) if settings.sealed else said.blind
    settings.require_reason(blind)
    notes = [
        mode_note(item for item, _ in corrected()),
        shortcut_note(corrected(), blind=said.blind) if has_shortcuts else "",
        said.paragraph(settings.why if settings.is_reason_asked(blind) else None),
        said.constant,
    ]
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
            blind=said.blind,
            key=key_path(workspace, settings.release, version),
            by_address=files.redistribution.is_by_address if settings.redistribute == "url" else None,
            statements=settings.statements,
            store=store,
            announce=announce,
            record_map=record_map,
            progress=progress,
            note=checked_files(workspace).note,
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
        blind=said.blind,
        statements=settings.statements,
        store=store,
        announce=announce,
        record_map=record_map,
        progress=progress,
        note=checked_files(workspace).note,
    )


def _picture_rule(settings: Freeze, workspace: Path) -> PictureRule:
    """Return the form in which to release pictures made by steps.

    Raises:
        BenchwrightError: Splits are sealed but pictures would not be lossless; the format of a file would then reveal
            the step that made it.
    """
    if settings.sealed:
        if settings.pictures == "by_content":
            raise BenchwrightError(_SEALED_BY_CONTENT)
        return "lossless"
    return settings.pictures or Workspace(workspace).picture_rule()


def _sealing(
    settings: Freeze, items: Callable[[], Iterator[tuple[Item, str]]], *, workspace: Path, seed: int
) -> Sealing:
    """Return the sealing of a release, reusing the existing salt.

    Raises:
        RecipeError: The seed can be guessed.
        BenchwrightError: A sealed split has no item, or the release exists without its key.
    """
    from benchwright.release.sealing.sealing import Sealing, key_path, known_salt

    name, version = settings.release, settings.release_version
    if version is not None:
        path = key_path(workspace, name, version)
        if (workspace / "releases" / f"{name}-{version}").exists() and not path.exists():
            raise BenchwrightError(
                f"the release {name}-{version} exists, but its key file {path} is missing; restore the file, which is "
                "needed to seal the same way again, or raise the version"
            )
    salt = known_salt(workspace, name, version)
    sealing = Sealing(settings.sealed, salt=salt, seed=seed, accept_known_seed=settings.accept_known_seed)
    sealing.survey(items())
    return sealing


def _corrected(view: WorkspaceView, corrections: Corrections, files: ReleasedFiles) -> Iterator[Valued]:
    """Yield the items to release with their values; picture files still have the ids used in the workspace."""
    for item, values in view.items():
        if (corrected := corrections.correct(item, released=files.item(item))) is not None:
            yield with_answer_regions(corrected, values), values
