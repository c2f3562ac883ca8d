"""What a workspace shows, written as a release: items corrected, splits named, answers sealed, files as released."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import BenchwrightError
from benchwright.images.made_pictures import PictureRule
from benchwright.record_map import RecordMap, map_here
from benchwright.records import Item
from benchwright.regions import with_answer_regions
from benchwright.release.format.errata import Corrections
from benchwright.release.format.estimates import is_estimated, require_decisions, require_people
from benchwright.steps import WorkspaceView
from benchwright.workspace.item_cache import ItemCache, pictures_of
from benchwright.workspace.workspace import Workspace

from ..mode_note import mode_note
from ..shortcut_note import SOLVERS, constant_note, shortcut_note
from .human_answers import human_baseline
from .named_splits import Valued, with_splits
from .released_files import ReleasedFiles, visual_operations
from .step import DRAFT, SEALED_BY_CONTENT, Freeze

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.release import Release
    from benchwright.release.sealing.sealing import Sealing
    from benchwright.release.writing.expected_size import ExpectedSize


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
    """Write what the view shows as a release of the workspace and return it opened.

    `record_map` maps the drawing of marks and the encoding of files over pictures, and `progress` counts the items
    whose marks are drawn. `announce` gets the size of the release before it is written.

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
    from benchwright.release import content_id_of, write_release
    from benchwright.release.sealing.sealing import key_path

    corrections = settings.corrections()
    stages, campaigns = view.stages(), view.campaigns()
    is_lossless = _picture_rule(settings, workspace) == "lossless"
    seen_by_people = visual_operations(view.operations())
    visual = frozenset[str]() if is_lossless else seen_by_people
    files = ReleasedFiles(settings, view, visual, seen_by_people - visual, store, record_map, progress)

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
    notes = [mode_note(item for item, _ in corrected()), shortcut_note(corrected()) if has_shortcuts else ""]
    open_splits = (
        item for item, split in with_splits(corrected(), settings.split_value) if split not in settings.sealed
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
            record_map=record_map,
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
        record_map=record_map,
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
            raise BenchwrightError(SEALED_BY_CONTENT)
        return "lossless"
    return settings.pictures or Workspace(workspace).picture_rule()


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


def _corrected(view: WorkspaceView, corrections: Corrections, files: ReleasedFiles) -> Iterator[Valued]:
    """Yield items as they are to be released but for the ids of picture files, with their values."""
    for item, values in view.items():
        if (corrected := corrections.correct(item, released=files.item(item))) is not None:
            yield with_answer_regions(corrected, values), values
