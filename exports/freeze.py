"""Freezing: what is left of the items becomes a release, an immutable folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import AliasChoices, Field, field_validator

from benchwright.errors import BenchwrightError, StepError
from benchwright.records import Item
from benchwright.steps import FinalContext, FinalStep, Stream, WorkspaceView

from .baseline import human_baseline

if TYPE_CHECKING:
    from benchwright.release import Release

DRAFT = "0+"
"""Versions that begin so are drafts, named by their content and replaced when it is frozen again."""

ONLY_SPLIT = "test"
SPLIT_VALUE = "split"


class Freeze(FinalStep):
    """Write the release `releases/<release>-<release_version>` of the workspace."""

    name: ClassVar[str] = "freeze"
    consumes: ClassVar[Stream] = "items"

    release: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", validation_alias=AliasChoices("name", "release"))
    """Name of the benchmark; `name` in recipes, which every step has as a class attribute."""
    release_version: str | None = Field(
        None,
        pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$",
        validation_alias=AliasChoices("version", "release_version"),
    )
    """`version` in recipes, such as `1.0`; it never changes afterwards. Without one, a draft named by its content."""
    licence: str | None = None
    """Licence of the release as a whole, such as `cc-by-4.0`."""
    description: str = ""
    """Markdown for the card."""
    split_value: str | None = None
    """Value that names each item's split, such as `splits.split`; by default the one value called `split`."""

    @field_validator("release_version")
    @classmethod
    def _no_draft_by_hand(cls, version: str | None) -> str | None:
        if version is not None and version.startswith(DRAFT):
            raise ValueError(f"versions that begin with {DRAFT!r} are drafts; leave release_version out for one")
        return version

    def finish(self, view: WorkspaceView, ctx: FinalContext) -> Mapping[str, str]:
        """Write the release and return its path."""
        found = freeze(self, view, workspace=ctx.workspace, seed=ctx.seed, recipe=ctx.recipe)
        return {"release": found.path.relative_to(ctx.workspace).as_posix()}


def freeze(settings: Freeze, view: WorkspaceView, *, workspace: Path, seed: int, recipe: Mapping[str, Any]) -> Release:
    """Write what the view shows as a release of the workspace and return it opened.

    Raises:
        BenchwrightError: The version exists with other content, or nothing is left to release.
        StepError: Items and the values that name their splits do not fit together.
    """
    from benchwright.release import content_id_of, write_release

    def items() -> Iterator[tuple[Item, str]]:
        return _with_splits(view, settings.split_value)

    version = settings.release_version or DRAFT + content_id_of(items())[:12]
    return write_release(
        workspace / "releases" / f"{settings.release}-{version}",
        name=settings.release,
        version=version,
        items=items(),
        image=view.image,
        image_bytes=view.image_bytes,
        operations=view.operations(),
        recipe=recipe,
        stages=view.stages(),
        agreement=view.campaigns(),
        seed=seed,
        licence=settings.licence,
        description=settings.description,
        human_baseline=human_baseline(view),
        replace=settings.release_version is None,
    )


def _with_splits(view: WorkspaceView, named: str | None) -> Iterator[tuple[Item, str]]:
    """Yield items with their splits; all lie in `test` where no step named splits."""
    for item, values in view.items():
        key = named or _split_value(values)
        if key is None:
            yield item, ONLY_SPLIT
            continue
        split = values.get(key)
        if not isinstance(split, str):
            raise StepError(
                f"item {item.item_id} has no value {key!r}; let the step that assigns splits see every item, "
                "after the last step that makes or keeps items"
            )
        yield item, split


def _split_value(values: Mapping[str, Any]) -> str | None:
    names = sorted(name for name in values if name.rpartition(".")[2] == SPLIT_VALUE)
    if len(names) > 1:
        raise StepError(f"several values name splits: {', '.join(names)}; say which with split_value")
    return names[0] if names else None


def freeze_by_hand(
    workspace: Path, *, release: str, version: str | None, licence: str | None, description: str
) -> Release:
    """Freeze a workspace whose run is complete, without a `freeze` step in its recipe.

    Raises:
        BenchwrightError: The run is not complete, a name is malformed, or the version exists with other
            content.
    """
    from pydantic import ValidationError

    from benchwright.pipeline import open_view

    try:
        settings = Freeze.model_validate(
            {"name": release, "version": version, "licence": licence, "description": description}
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BenchwrightError(f"{first['loc'][0]} {first['input']!r}: {first['msg']}") from error
    view = open_view(workspace)
    return freeze(settings, view, workspace=workspace, seed=view.seed, recipe=view.recipe)
