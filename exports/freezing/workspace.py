"""Freezing a workspace whose run is complete, without a `freeze` step in its recipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchwright.engines.record_jobs import map_on_this_machine
from benchwright.errors import BenchwrightError
from benchwright.images.made_pictures import PictureRule
from benchwright.release.format.statements import Statements

from ..rights.redistribution import Redistribute
from .step import Freeze, freeze

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.release import Release
    from benchwright.release.writing.expected_size import ExpectedSize


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
    why: str | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    announce: Callable[[ExpectedSize], None] | None = None,
) -> Release:
    """Freeze a workspace whose run is complete, without a `freeze` step in its recipe.

    Args:
        workspace: Folder of the workspace.
        release: Name of the benchmark.
        version: Version of the release, such as `1.0`; a draft named by its content if None.
        licence: License of the release as a whole, such as `cc-by-4.0`.
        description: Markdown for the card.
        errata: File of errata to apply.
        split_value: Value that names each item's split, such as `splits.split`, if several steps name splits.
        accept_simulated: Whether to accept items with model estimates that only simulated annotators decided on.
        sealed: Splits whose answers stay out of the release, and go to a key file.
        accept_known_seed: Whether to seal although the recipe's seed can be guessed.
        metadata: Whether picture files are released without their metadata.
        redistribute: Whether pictures whose license forbids redistribution stop the release, are released as address
            and hash, or are released unchanged.
        pictures: Whether pictures made by steps are released losslessly or by content; the workspace's initial setting
            if None.
        statements: Statements about the release that only its authors can make.
        why: Reason for freezing it although a strategy that sees no picture gains far more than chance.
        workers: Maximum number of processes that draw marks and encode files.
        progress: Receiver of the number of items with drawn marks.
        announce: Receiver of the size of the release, before it is written.

    Raises:
        BenchwrightError: The run is incomplete, a name is malformed, or the version exists with different content.
    """  # phrase: allowed
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
                "why": why,
            }
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = f"{'.'.join(map(str, first['loc']))} {first['input']!r}: " if first["loc"] else ""
        raise BenchwrightError(f"{where}{first['msg'].removeprefix('Value error, ')}") from error
    view = open_view(workspace)
    with map_on_this_machine("freeze", workers=workers) as record_map:
        return freeze(
            settings,
            view,
            workspace=workspace,
            seed=view.seed,
            recipe=view.recipe,
            record_map=record_map,
            progress=progress,
            announce=announce,
        )
