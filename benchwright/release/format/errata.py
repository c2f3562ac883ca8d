"""Errata: items of a release that annotators found to be wrong, and how the next version treats them.

The document `benchwright/errata` occurs in two places. A campaign writes it with its annotators' findings. Freezing
reads it, corrects keys, applies edits or leaves items out, and writes the result to the new release's `errata.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.questions.edits import EditError, ItemEdits, edits_of, revised
from benchwright.records import Item, ItemId, Record, Sha256
from benchwright.release.format import documents
from benchwright.release.format.files import read_inside, shown
from benchwright.release.format.manifest import ERRATA
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from benchwright.release.format.reader import Release

FORMAT: Literal["benchwright/errata"] = "benchwright/errata"
VERSION = 2
"""Newest version; version 2 added edits, and a document without edits is written as version 1."""

Finding = Literal["key_wrong", "ambiguous", "picture_problem", "duplicate", "wording"]
Became = Literal["key_set", "edited", "left_out", "changed_before", "not_in_release"]
_Letter = Annotated[str, Field(pattern=r"^[A-Z]$")]


class Erratum(Record):
    """An error that annotators found in one item.

    Attributes:
        item_id: Id of the item.
        content_hash: Content hash of the item as they saw it; an item that has changed since then is left unchanged.
        release: Name and version of the release with the error, for readers.
        release_id: Id of that release.
        finding: The kind of error. `duplicate`: another item has the same picture or question, and the other item
         stays. `wording`: the texts are wrong.
        key: Key letter of the item at that time.
        instead: Right letter; only with `key_wrong`, if annotators agreed on one.
        edits: Right texts and letter; only with `wording`, if annotators agreed on a version.
        agreed: Number of annotators who agreed on the finding.
        asked: Number of annotators who examined the item.
        reasons: Reasons that they gave, sorted.
        became: Result of freezing for the item; None before the next freeze. `key_set`: the item has the other key.
            `edited`: the item has the edits. `left_out`: the release omits it. `changed_before`: the item had already
            changed. `not_in_release`: the release does not have the item.
    """

    item_id: ItemId
    content_hash: Sha256
    release: str = Field(max_length=200)
    release_id: Sha256
    finding: Finding
    key: _Letter | None
    instead: _Letter | None = None
    edits: ItemEdits | None = None
    agreed: int = Field(ge=1)
    asked: int = Field(ge=1)
    reasons: tuple[Annotated[str, Field(max_length=10_000)], ...] = ()
    became: Became | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Erratum:
        if self.agreed > self.asked:
            raise ValueError(f"item {self.item_id}: {self.agreed} of {counted(self.asked, 'annotator')} cannot agree")
        if self.instead is not None and (self.finding != "key_wrong" or self.instead == self.key):
            raise ValueError(f"item {self.item_id}: another letter can be right only if the key is wrong")
        if self.edits is not None and (self.finding != "wording" or not self.edits.to_json()):
            raise ValueError(f"item {self.item_id}: edits go with the finding `wording`, and must change something")
        return self


_Errata = TypeAdapter(tuple[Erratum, ...])


def errata_document(errata: Iterable[Erratum]) -> dict[str, Any]:
    """Return sorted errata as a document without its format name, with the version that they require."""
    ordered = sorted(errata, key=lambda erratum: (erratum.item_id, erratum.content_hash, erratum.release_id))
    version = VERSION if any(erratum.finding == "wording" for erratum in ordered) else 1
    return {"version": version, "errata": [_entry(erratum) for erratum in ordered]}


def _entry(erratum: Erratum) -> dict[str, Any]:
    entry = erratum.model_dump(mode="json", exclude={"edits"})
    return entry if erratum.edits is None else {**entry, "edits": erratum.edits.to_json()}


def spelled(errata: Iterable[Erratum]) -> bytes:
    """Return the bytes of a document of errata; equal errata give equal bytes."""
    return documents.spell({"format": FORMAT, **errata_document(errata)}, title=ERRATA)


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """Return the errata in a file.

    Raises:
        DataError: The file is not a document of errata, has a newer version, or an erratum contradicts itself.
    """
    if not path.is_file() or path.stat().st_size > documents.MAX_BYTES:
        problem = "too large" if path.is_file() else "not a file" if path.exists() else "missing"
        raise DataError(f"{path} is {problem}; `benchwright review results CAMPAIGN --out FILE.json` writes errata")
    try:
        return parse_errata(path.read_bytes(), title=str(path))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def released_errata(release: Release) -> tuple[Erratum, ...]:
    """Return the errata of a release, which list the release's corrections to earlier versions.

    Raises:
        DataError: The file is missing, was changed after freezing, or is not such a document.
    """
    try:
        data = read_inside(release.path, ERRATA, max_bytes=documents.MAX_BYTES)
        if ERRATA not in release.manifest.files or bytes_digest(data) != release.manifest.files[ERRATA].sha256:
            raise DataError(f"{ERRATA} differs from the frozen file; `benchwright release verify` shows details")
        return parse_errata(data, title=ERRATA)
    except DataError as error:
        raise DataError(f"{release.path}: {error}") from error


def parse_errata(data: bytes, *, title: str) -> tuple[Erratum, ...]:
    """Return the errata of a document given as bytes.

    Raises:
        DataError: The bytes are not such a document, have a newer version, or repeat an item and content.
    """
    document = documents.stated(documents.parse(data, title=title), FORMAT, VERSION, title=title)
    try:
        errata = _Errata.validate_python(document.get("errata"))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(["errata", *(str(part)[:60] for part in first["loc"])])
        raise DataError(f"{title}: {shown(place)}: {shown(first['msg'])}") from error
    names = [(erratum.item_id, erratum.content_hash) for erratum in errata]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{title}: item {twice[0]} appears twice with the same content; keep one of the two")
    return errata


class Corrections:
    """Corrects items while a release is written, and records the result of each erratum.

    Args:
        errata: Errata by item and content; those with a value in `became` are history and are kept unchanged.
    """

    def __init__(self, errata: Sequence[Erratum]) -> None:
        self._history = tuple(erratum for erratum in errata if erratum.became is not None)
        self._open = {(erratum.item_id, erratum.content_hash): erratum for erratum in errata if erratum.became is None}
        self._became: dict[tuple[str, str], Became] = {}
        self._seen: set[str] = set()

    def correct(self, item: Item, *, released: Item | None = None) -> Item | None:
        """Return the item to release, or None if the item must be left out.

        A revision of the item corrects a wrong key or wrong texts. The item is left out if annotators agreed on neither
        another letter nor edits, the question is ambiguous, a picture is wrong, or the item is a duplicate.

        Args:
            item: The item.
            released: The item as a release shows it, if its content differs; errata for either content apply.

        Raises:
            DataError: The item has no choice with the corrected letter, or cannot take the edits.
        """
        key = item.item_id, item.content_hash
        self._seen.add(item.item_id)
        if released is not None and key not in self._open:
            key = item.item_id, released.content_hash
        erratum = self._open.get(key)
        if erratum is None:
            return item
        if erratum.edits is not None:
            self._became[key] = "edited"
            return _edited(item, erratum.edits)
        if erratum.instead is None:
            self._became[key] = "left_out"
            return None
        if erratum.instead not in {choice.key for choice in item.choices}:
            raise DataError(f"errata: item {item.item_id} has no choice {erratum.instead!r}; ask the annotators again")
        self._became[key] = "key_set"
        return _with_key(item, erratum.instead)

    def told(self) -> Mapping[str, int]:
        """Return the number of errata by their value of `became`, excluding the history."""
        became = [str(erratum.became) for erratum in self._settled()]
        return {name: became.count(name) for name in sorted(set(became))}

    def account(self) -> tuple[Erratum, ...]:
        """Return all errata with their results; call it after all items have been corrected."""
        return (*self._history, *self._settled())

    def _settled(self) -> Iterator[Erratum]:
        for key, erratum in sorted(self._open.items()):
            otherwise: Became = "changed_before" if erratum.item_id in self._seen else "not_in_release"
            yield erratum.model_copy(update={"became": self._became.get(key, otherwise)})


def _with_key(item: Item, letter: str) -> Item:
    """Return the item with another letter as its key; for the letter of the refusal choice, the answer becomes None."""
    answer = None if letter == item.refusal else letter
    changed = item.model_copy(update={"answer": answer, "revision": item.revision + 1})
    return Item.model_validate(changed.model_dump())


def _edited(item: Item, edits: ItemEdits) -> Item:
    try:
        return revised(item, edits_of(item, edits.to_json()))
    except EditError as error:
        raise DataError(f"errata: item {item.item_id}: {error}; ask the annotators again") from error
