"""Suspects as tasks for people: is the key right, and if not, what is?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from benchwright.review_tasks import LONGEST_TEXT, Beside, Head, ReviewTask

from .release_files import columns_of

if TYPE_CHECKING:
    from benchwright.release import Release

    from .suspects import Suspect, Suspects

_WHY = {
    "models_prefer_another": "Models that do better than chance at this task agree on another letter than the key.",
    "people_miss_the_key": "People who saw no key did not choose it.",
    "models_and_people": "Able models agree on another letter than the key, and people who saw no key miss it.",
}


def suspect_head(suspects: Suspects, release: Release) -> Head:
    """Return the first line of a file of suspects."""
    score = suspects.sheet.scores[0]
    return Head(
        kind="errata", name="errata", release=f"{release.name} {release.version}", release_id=score.release_id
    )  # fmt: skip


def suspect_tasks(suspects: Suspects, release: Release) -> Iterator[ReviewTask]:
    """Yield a task for each suspect, the likeliest first, with what speaks against its key."""
    contents = _contents(release, suspects.sheet.scores[0].split)
    for one in suspects.found:
        yield ReviewTask(
            item_id=one.item_id,
            content_hash=contents[one.item_id],
            about={"rank": str(one.rank), "reason": one.reason, "letters": "".join(one.letters)},
            beside=tuple(_beside(one)),
        )


def _contents(release: Release, split: str | None) -> Mapping[str, str]:
    batches = columns_of(release, split, ["item_id", "content_hash"])
    return {row["item_id"]: row["content_hash"] for batch in batches for row in batch.to_pylist()}


def _beside(one: Suspect) -> Iterator[Beside]:
    yield Beside(label="Why it is doubted", text=_WHY[one.reason])
    lines = [f"{letter or 'no letter'}: {', '.join(models)}" for letter, models in one.given.items()]
    yield Beside(label="What models answered", text="\n".join(lines)[:LONGEST_TEXT])
    if one.people:
        told = f"{one.people_right} of {one.people} people who saw no key gave the key, {one.key}."
        yield Beside(label="What people answered", text=told)
