"""Pictures whose licenses forbid redistribution: they stop a release with a list, or enter it by address and hash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from benchwright.errors import BenchwrightError
from benchwright.records import ImageRecord, Item
from benchwright.release.format.provenance import address_of
from benchwright.rights import forbids_redistribution, normalized_licence
from benchwright.texts.normalization import counted

Redistribute = Literal["permitted", "url", "all"]
"""Content of a release: only pictures that licenses permit; addresses in place of the others; or all pictures."""

_SHOWN = 20


class Redistribution:
    """The pictures of one release that may not be redistributed, according to the statements of their sources.

    A picture made from others or drawn with marks is a derivative: a NoDerivatives license forbids its redistribution,
    as does a license that forbids all redistribution.

    Args:
        redistribute: What the release contains.
        image: Function that returns the record of an image that the latest item shows or is based on.
    """

    def __init__(self, redistribute: Redistribute, image: Callable[[str], ImageRecord]) -> None:
        self._redistribute, self._image = redistribute, image
        self._forbidden: dict[str, dict[str, str]] = {}
        self._by_address: set[str] = set()
        self._known: set[tuple[bytes, bool]] = set()

    def survey(self, items: Iterable[Item]) -> None:
        """Examine the sources of all pictures; uses about 100 bytes of memory for each."""
        for item in items if self._redistribute != "all" else ():
            for shown in item.images:
                key = bytes.fromhex(shown.image_id), bool(shown.prompts)
                if key not in self._known:
                    self._known.add(key)
                    self._look_at(self._image(shown.image_id), is_marked=bool(shown.prompts))

    def is_by_address(self, record: ImageRecord) -> bool:
        """Return whether the release states the picture's address and hash instead of containing its file."""
        return record.image_id in self._by_address

    def check(self, items: Iterable[Item]) -> None:
        """Refuse a release that would redistribute pictures without permission.

        Raises:
            BenchwrightError: An item shows such a picture, whose file cannot be replaced by its address and hash; the
                message names all such pictures.
        """
        problems: dict[str, tuple[str, set[str]]] = {}
        for item in items if self._forbidden else ():
            for shown in item.images:
                if shown.image_id not in self._by_address:
                    for name, licence in self._forbidden.get(shown.image_id, {}).items():
                        problems.setdefault(name, (licence, set()))[1].add(item.item_id)
        if not problems:
            return
        lines = [
            f"{name} ({licence}; {counted(len(ids), 'item')})" for name, (licence, ids) in sorted(problems.items())
        ]
        more = len(lines) - _SHOWN
        listed = "\n  ".join(lines[:_SHOWN] + ([f"and {more} more"] if more > 0 else []))
        way = (
            "`redistribute: url` releases the address and hash of pictures that have a url in `sources.csv` and are "
            "shown unchanged"
            if self._redistribute == "permitted"
            else "these have no url in `sources.csv`, or are not shown as they are at their address"
        )
        raise BenchwrightError(
            f"licenses forbid redistribution of {counted(len(lines), 'picture')}:\n  {listed}\n"
            f"{way}; or withdraw them (`benchwright release takedown`), drop them with the step `licences`, or set "
            "`redistribute: all` if you have permission to redistribute them"
        )

    def _look_at(self, record: ImageRecord, *, is_marked: bool) -> None:
        forbidding = {
            (source.source.uri if source.source else source.image_id): normalized_licence(licence)
            for source, is_changed in self._sources(record)
            if (licence := source.source.licence if source.source else None)
            and forbids_redistribution(licence, is_changed=is_changed or is_marked)
        }
        if not forbidding:
            return
        self._forbidden.setdefault(record.image_id, {}).update(forbidding)
        if self._redistribute == "url" and address_of(record) is not None:
            self._by_address.add(record.image_id)

    def _sources(self, record: ImageRecord) -> Iterator[tuple[ImageRecord, bool]]:
        """Yield a record and each ancestor, with whether it was changed before it became the released picture."""
        yield record, False
        waiting, seen = list(record.derived_from), {record.image_id}
        while waiting:
            image_id = waiting.pop()
            if image_id not in seen:
                seen.add(image_id)
                earlier = self._image(image_id)
                yield earlier, True
                waiting += earlier.derived_from
