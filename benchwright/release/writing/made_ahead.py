"""Release files that the run's engine creates in advance and puts into the store of released bytes.

Freezing processes one picture after another, in the order of the items. The run's workers do the slow part, rotating
and encoding files, beforehand; the store then already has each file when it is needed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchwright.record_map import Kept, LostRecord, RecordMap, unless_lost
from benchwright.workspace.item_cache import ItemCache


@dataclass(frozen=True)
class FileToMake:
    """A file to make and put into the store.

    Args:
        image_id: Id of its source picture, for messages.
        kind: Kind of its entry in the store.
        depends_on: Key of its entry.
        read: Function that returns the picture's file.
        make: Picklable function that makes the release file from it.
    """

    image_id: str
    kind: str
    depends_on: Any
    read: Callable[[], bytes]
    make: Callable[[bytes], bytes]


class _PictureToMake(NamedTuple):
    """A worker's input for one file."""

    kind: str
    depends_on: Any
    data: bytes
    make: Callable[[bytes], bytes]

    def kept_as(self) -> tuple[str, Any]:
        return self.kind, self.depends_on

    def size(self) -> int:
        return len(self.data)


def _made(task: _PictureToMake) -> bytes:
    return task.make(task.data)


def make_ahead(files: Iterable[FileToMake], store: ItemCache, record_map: RecordMap) -> None:
    """Make the files that the store lacks; a file whose picture fails is left to whichever step needs it later.

    Args:
        files: The files; their pictures are read a few at a time.
        store: The store.
        record_map: Map over the files.

    Raises:
        StepError: A worker ended, or ran out of memory, while it made a file.
    """
    begun: deque[str] = deque()

    def missing() -> Iterator[_PictureToMake]:
        for file in files:
            if not store.holds(file.kind, file.depends_on):
                begun.append(file.image_id)
                yield _PictureToMake(file.kind, file.depends_on, file.read(), file.make)

    kept = Kept(store, _PictureToMake.kept_as)
    for value in record_map(_made, missing(), what="files", kept=kept, size_of=_PictureToMake.size):
        image_id = begun.popleft()
        if not (isinstance(value, LostRecord) and value.reason == "unfit"):
            unless_lost(value, f"image {image_id}, made for the release")
