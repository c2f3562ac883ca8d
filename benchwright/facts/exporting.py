"""Facts from a workspace: annotators' marks and statements from its campaigns, in the form of a facts file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import DataError

from .composing import composed_facts, with_other_pictures_named, without_mistakes
from .picture_facts import PictureFacts
from .picture_names import key_of, names_of
from .statements import REGIONS, STATEMENTS, StatementsOnPicture, read_marked

if TYPE_CHECKING:
    from benchwright.workspace.workspace import Workspace


class ExportedFacts(NamedTuple):
    """Annotators' facts about the pictures of a workspace.

    Args:
        pictures: The facts, by path below the image folder, or by SHA-256 if a file cannot hold the path.
        campaigns: Campaigns that the facts come from.
        left_out: Unusable facts with the reason, by picture.
    """

    pictures: Mapping[str, PictureFacts]
    campaigns: tuple[str, ...]
    left_out: Mapping[str, Mapping[str, str]]


def stated_in_workspace(
    folder: Path, *, campaigns: Collection[str] = (), over: Mapping[str, PictureFacts] | None = None
) -> ExportedFacts:
    """Return annotators' marks and statements from the decided campaigns of a workspace.

    Args:
        folder: Workspace.
        campaigns: Names of campaigns; empty for all.
        over: Facts of a file; annotators' facts take precedence, picture by picture and key by key.

    Raises:
        DataError: A campaign is unknown, or none is decided.
    """
    from benchwright.workspace.run_results import images_of
    from benchwright.workspace.workspace import Workspace

    workspace = Workspace.open(folder)
    told = _values(workspace, campaigns)
    if not told:
        raise DataError(
            f"{folder} has no decided campaign with marks or statements; decide the tasks, run the "
            "recipe again, then export"
        )
    filed = dict(over or {})
    key_of_file = {name: key for key, picture in filed.items() for name in (key, *picture.also)}
    pictures, left_out, names = dict(filed), dict[str, dict[str, str]](), dict[str, set[str]]()
    for image in images_of(workspace):
        marked = {
            name: read_marked(texts[image.image_id])
            for name, (value, texts) in told.items()
            if value == REGIONS and image.image_id in texts
        }
        stated = {
            name: StatementsOnPicture.model_validate_json(texts[image.image_id])
            for name, (value, texts) in told.items()
            if value == STATEMENTS and image.image_id in texts
        }
        uri = None if image.source is None else image.source.uri
        called = names_of(uri, image.image_id)
        in_file = next((key_of_file[name] for name in called if name in key_of_file), None)
        key = in_file if in_file is not None else key_of(uri, image.image_id)
        for name in called:
            names.setdefault(name, set()).add(key)
        if not marked and not stated:
            continue
        facts = composed_facts(None if in_file is None else filed[in_file], marked, stated)
        size_wh = {"size_wh": (image.width, image.height)}
        pictures[key] = PictureFacts.model_validate({**facts.picture.model_copy(update=size_wh).model_dump()})
        left_out[key] = dict(facts.left_out)
    only = {name: next(iter(keys)) for name, keys in names.items() if len(keys) == 1 and name not in pictures}
    sound, more = without_mistakes({key: with_other_pictures_named(picture, only) for key, picture in pictures.items()})
    unused = {key: {**left_out.get(key, {}), **more.get(key, {})} for key in sorted({*left_out, *more})}
    return ExportedFacts(
        dict(sorted(sound.items())), tuple(sorted(told)), {key: reasons for key, reasons in unused.items() if reasons}
    )


def _values(workspace: Workspace, campaigns: Collection[str]) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the kind of value of each campaign, with the value's text for each image."""
    from benchwright.workspace.run_results import outcomes_of, stage_names

    stages = stage_names(workspace)
    if unknown := sorted(set(campaigns) - set(stages)):
        raise DataError(f"{workspace.root} has no step {unknown[0]!r}; it has {', '.join(stages)}")
    told: dict[str, tuple[str, dict[str, str]]] = {}
    for stage in campaigns or stages:
        texts: dict[str, dict[str, str]] = defaultdict(dict)
        for row in outcomes_of(workspace, stage):
            for value in (REGIONS, STATEMENTS):
                if isinstance(text := row.get(value), str):
                    texts[value][row["record_id"]] = text
        told.update((stage, (value, by_image)) for value, by_image in texts.items())
    return told
