"""Who is asked: the model that is scored, another that its protocol names for a round, and a judge."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from .backends.base import Asking, Backend, Options, parse_model
from .backends.labels import labelled
from .release_files import check_files, columns_of
from .results_names import slug
from .rounds import Asker, Survey

if TYPE_CHECKING:
    from benchwright.item_cache import ItemCache
    from benchwright.release import Release

    from .judging.docket import Docket
    from .judging.judge import Judge


def askers_of(
    survey: Survey,
    backend: Backend,
    options: Options,
    logs: Path | None,
    item_cache: ItemCache,
    *,
    other_releases: bool,
) -> list[Asker]:
    """Return who is asked in each round: the model, or another that the protocol names."""
    askers = []
    for number in range(survey.protocol.rounds):
        other = survey.protocol.asker(number, options)
        one = backend if other is None else parse_model(*other)
        askers.append(Asker(one, _asking(survey, one, logs, item_cache, other_releases=other_releases)))
    return askers


def _asking(
    survey: Survey, backend: Backend, logs: Path | None, item_cache: ItemCache, *, other_releases: bool
) -> Asking:
    return Asking(
        release_id=survey.release.release_id,
        content_id=survey.release.content_id,
        item_ids=cache(lambda: _item_ids(survey.release)),
        log_folder=None if logs is None else logs / slug(backend.name),
        other_releases=other_releases,
        labelled=partial(labelled, survey.release),
        cache=item_cache,
    )


def docket_of(
    judge: Judge, survey: Survey, given: Options, logs: Path | None, scratch: Path, item_cache: ItemCache,
    other_releases: bool,
) -> Docket:  # fmt: skip
    """Return where replies are taken down for a judge."""
    from .judging.docket import Docket

    backend = parse_model(judge.model, judge.options(given)) if isinstance(judge.model, str) else judge.model
    asking = _asking(survey, backend, logs, item_cache, other_releases=other_releases)
    return Docket(judge, backend, asking, scratch / "docket.jsonl")


def _item_ids(release: Release) -> frozenset[str]:
    """Return the ids of all items of all splits, without reading a picture."""
    check_files(release, None)
    batches = columns_of(release, None, ["item_id"])
    return frozenset(item_id for batch in batches for item_id in batch.column("item_id").to_pylist())
