"""Reasons why the items of two releases differ: errata, edits, steps, pictures, settings, votes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchwright.records import ImageRecord, Operation
from benchwright.release import Release
from benchwright.release.format.agreement import read_agreement
from benchwright.release.format.errata import released_errata
from benchwright.release.format.provenance import files_before_release
from benchwright.texts.normalization import counted, printable

Row = Mapping[str, Any]

_FORMS = {"image/jpeg": "JPEG of quality 95", "image/webp": "WebP without loss", "image/png": "PNG"}
_UNKNOWN = "neither release tells why"
_ABSENT = object()
_LONGEST = 60


class Reasons:
    """Reasons for the differences between an older and a newer release."""

    def __init__(self, before: Release, after: Release) -> None:
        self._old_operations, self._old_images = _provenance(before)
        self._new_operations, self._new_images = _provenance(after)
        self._old_files = files_before_release((*self._old_operations.values(), *self._old_images.values()))
        self._new_files = files_before_release((*self._new_operations.values(), *self._new_images.values()))
        self._errata = {
            (erratum.item_id, erratum.content_hash): erratum
            for erratum in released_errata(after)
            if erratum.became in {"key_set", "edited", "left_out"}
        }
        self._steps = tuple(_recipe_changes(before.manifest.recipe, after.manifest.recipe))
        self._votes = tuple(_vote_changes(read_agreement(before.path), read_agreement(after.path)))
        self._licence = tuple(_value_changes("licence", before.manifest.licence, after.manifest.licence))
        self._seed = tuple(_value_changes("seed", before.manifest.seed, after.manifest.seed))

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the differences in recipe, campaigns, seed and license, one line each."""
        return (*self._steps, *self._votes, *self._seed, *self._licence)

    def of_changed(self, before: Row, after: Row, fields: Sequence[str]) -> str:
        """Return why an item's fields differ."""
        reasons = [
            *(self._erratum(before) or _edits(before, after)),
            *self._photograph(before, after),
            *self._operation(before["operation_id"], after["operation_id"]),
            *(self._pictures(before, after) if "images" in fields else ()),
        ]
        return "; ".join(dict.fromkeys(reasons)) or _UNKNOWN

    def of_dropped(self, before: Row) -> str:
        """Return why an item is missing from the newer release."""
        if reasons := self._erratum(before):
            return "; ".join(reasons)
        if gone := _not_in(self._new_images, self._old_images, before):
            return self._likely(f"no item of the newer release goes back to {_named(self._old_images, gone)}")
        return self._likely(f"other items of {_named(self._old_images, before['root_image_id'])} are still there")

    def of_added(self, after: Row) -> str:
        """Return why an item is only in the newer release."""
        if come := _not_in(self._old_images, self._new_images, after):
            return self._likely(f"no item of the older release goes back to {_named(self._new_images, come)}")
        return self._likely(f"other items of {_named(self._new_images, after['root_image_id'])} were there before")

    def of_moved(self, before: Row, after: Row) -> str:
        """Return why an item's split changed."""
        about = f"from {before['split']} to {after['split']}"
        if before["group_keys"] != after["group_keys"]:
            return f"{about}; it shares other pictures or groups than before"
        return self._likely(about)

    def _likely(self, about: str) -> str:
        """Return a statement followed by its possible causes, which are all differences in settings and votes."""
        causes = (*self._steps, *self._votes, *self._seed)
        return f"{about}; what differs: {'; '.join(causes)}" if causes else about

    def _erratum(self, before: Row) -> list[str]:
        erratum = self._errata.get((before["item_id"], before["content_hash"]))
        if erratum is None:
            return []
        people = f"{erratum.agreed} of {counted(erratum.asked, 'annotator')}: {erratum.finding.replace('_', ' ')}"
        became = {"left_out": "left out", "edited": "texts edited"}.get(
            str(erratum.became), f"key {erratum.key} became {erratum.instead}"
        )
        why = "".join(f": {_shortly(printable(reason))}" for reason in erratum.reasons[:1])
        return [f"erratum, {became} ({people}{why})"]

    def _photograph(self, before: Row, after: Row) -> list[str]:
        old, new = before["root_image_id"], after["root_image_id"]
        if old == new:
            return []
        return [f"the photograph is another: {_named(self._old_images, old)} became {_named(self._new_images, new)}"]

    def _operation(self, before: str, after: str) -> list[str]:
        if before == after:
            return []
        old, new = self._old_operations.get(before), self._new_operations.get(after)
        if old is None or new is None:
            return []
        return list(_operation_changes(old, new))

    def _pictures(self, before: Row, after: Row) -> Iterator[str]:
        """Yield the reasons for differences in pictures that were made by steps other than the item's own."""
        for old, new in zip(before["image_ids"], after["image_ids"], strict=False):
            made_before, made_after = self._old_images.get(old), self._new_images.get(new)
            if old == new or made_before is None or made_after is None:
                continue
            if self._new_files.get(new, new) == self._old_files.get(old, old):
                name = _named(self._new_images, made_after.root_image_id)
                if made_after.media_type != made_before.media_type:
                    form = _FORMS.get(made_after.media_type, made_after.media_type)
                    yield f"a picture made of {name} is released as {form}"
                else:
                    removed = "removed from" if new in self._new_files else "left in"
                    yield f"metadata was {removed} the file of {name}"
            elif made_before.operation_id and made_after.operation_id:
                yield from self._operation(made_before.operation_id, made_after.operation_id)
            elif made_before.source is not None and made_after.source is not None:
                yield f"{_shortly(made_before.source.uri)} has other bytes"


def _provenance(release: Release) -> tuple[dict[str, Operation], dict[str, ImageRecord]]:
    operations: dict[str, Operation] = {}
    images: dict[str, ImageRecord] = {}
    for record in release.provenance():
        if isinstance(record, Operation):
            operations[record.operation_id] = record
        else:
            images[record.image_id] = record
    return operations, images


def _not_in(others: Mapping[str, ImageRecord], images: Mapping[str, ImageRecord], row: Row) -> str | None:
    """Return the id of a photograph that an item uses and another release lacks; None if that release has them all.

    An item is based on several photographs if parts of one were inserted into another.
    """
    wanted: list[str] = [*reversed(row["image_ids"]), row["root_image_id"]]
    seen: set[str] = set()
    while wanted:
        image_id = wanted.pop()
        record = images.get(image_id)
        if image_id in seen:
            continue
        seen.add(image_id)
        if image_id not in others and (record is None or not record.derived_from):
            return image_id
        wanted += () if record is None else record.derived_from
    return None


def _named(images: Mapping[str, ImageRecord], image_id: str) -> str:
    record = images.get(image_id)
    return _shortly(record.source.uri) if record is not None and record.source is not None else image_id[:12]


def _edits(before: Row, after: Row) -> Iterator[str]:
    """Yield the reasons for changes to an item's texts that have a new author."""
    old, new = json.loads(before["written_by"]), json.loads(after["written_by"])
    for text in sorted({*old, *new}):
        if old.get(text) != new.get(text):
            yield f"{text} written by {new.get(text, 'nobody')}, before by {old.get(text, 'nobody')}"
    if old == new and after["revision"] > before["revision"]:
        yield f"revised by people (revision {before['revision']} became {after['revision']})"


def _operation_changes(before: Operation, after: Operation) -> Iterator[str]:
    step = after.step if before.step == after.step else f"{before.step} became {after.step}"
    for name in ("version", "model_id", "model_revision", "weights_hash", "seed"):
        for line in _value_changes(name, getattr(before, name), getattr(after, name)):
            yield f"step {step}: {line}"
    for line in _setting_changes(before.parameters, after.parameters):
        yield f"step {step}: {line}"


def _recipe_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between two recipes, entry by entry."""
    old, new = _entries(before), _entries(after)
    for name in [*old, *(name for name in new if name not in old)]:
        if name not in new:
            yield f"step {name} is gone"
        elif name not in old:
            yield f"step {name} is new"
        else:
            yield from (f"step {name}: {line}" for line in _setting_changes(old[name], new[name]))


def _entries(recipe: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the settings of a recipe's steps by name, except for `freeze`, which only names the release."""
    entries: dict[str, Mapping[str, Any]] = {}
    for entry in recipe.get("steps", ()):
        name = str(entry.get("as") or entry.get("step"))
        if entry.get("step") != "freeze":
            entries[name] = {key: value for key, value in entry.items() if key not in {"as", "step"}}
    return entries


def _vote_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            state = "is new" if name not in before else "is gone" if name not in after else "has other votes"
            yield f"campaign {name} {state}"


def _setting_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        yield from _value_changes(name, before.get(name, _ABSENT), after.get(name, _ABSENT))


def _value_changes(name: str, before: Any, after: Any) -> Iterator[str]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from (f"{name}.{line}" for line in _setting_changes(before, after))
    else:
        yield f"{name} {_spelled(before)} became {_spelled(after)}"


def _spelled(value: Any) -> str:
    return "unset" if value is _ABSENT or value is None else _shortly(json.dumps(value, ensure_ascii=False))


def _shortly(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
