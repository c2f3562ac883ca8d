"""Picture files in the form in which a workspace's release contains them, and the rules for lossy encoding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from benchwright.images.made_pictures import MadeForm
from benchwright.record_map import RecordMap
from benchwright.records import ImageRecord, Item, Operation
from benchwright.rooms import catalogue
from benchwright.steps import WorkspaceView
from benchwright.texts.normalization import counted
from benchwright.workspace.item_cache import ItemCache

from ..rights.redistribution import Redistribution

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.release.writing.file_changes import FileChanges


def visual_operations(operations: Iterable[Operation]) -> frozenset[str]:
    """Return the ids of the operations in whose pictures only the visible content matters, as their steps declare."""
    steps = catalogue("steps")
    return frozenset(
        operation.operation_id
        for operation in operations
        if operation.step in steps and steps[operation.step].load().picture_fidelity == "visual"
    )


def _exact_tasks(tasks: Iterable[str]) -> frozenset[str]:
    """Return the tasks in whose pictures every pixel matters, as declared by the steps with these names."""
    steps = catalogue("steps")
    return frozenset(task for task in tasks if task in steps and steps[task].load().picture_fidelity == "exact")


class ReleasedFiles:
    """Picture files as they are released: changed, unchanged, or only as an address.

    Args:
        view: View of the workspace. All files are read if metadata is removed; otherwise only made pictures that are to
            be encoded.
        redistribution: Pictures that may be redistributed.
        visual: Ids of the operations whose pictures to encode.
        kept: Ids of other operations whose pictures may be JPEG, which a warning reports; sealed releases encode these
            without further loss, like other pictures.
        removes_metadata: Whether files lose their metadata.
        is_sealed: Whether answers are sealed.
        store: Store of previously encoded files.
        record_map: Mapper for encoding files.
        progress: Receiver of a warning about files whose metadata cannot be removed.
    """

    def __init__(
        self,
        view: WorkspaceView,
        redistribution: Redistribution,
        *,
        visual: frozenset[str],
        kept: frozenset[str],
        removes_metadata: bool,
        is_sealed: bool,
        store: ItemCache,
        record_map: RecordMap,
        progress: Progress | None,
    ) -> None:
        from benchwright.release.writing.file_changes import FileChanges

        self.image, self.image_bytes = view.image, view.image_bytes
        self.redistribution = redistribution
        tasks: set[str] = set()
        lossy: set[str] = set()

        def is_lossy(record: ImageRecord) -> bool:
            return record.operation_id in kept and record.media_type == "image/jpeg"

        def surveyed() -> Iterator[Item]:
            for item, _ in view.items():
                tasks.add(item.task)
                if kept:
                    lossy.update(i.image_id for i in item.images if is_lossy(view.image(i.image_id)))
                yield item

        self.redistribution.survey(surveyed())
        self.exact_tasks = _exact_tasks(tasks) if visual else frozenset()
        self._changes: FileChanges | None = None
        if lossy and not is_sealed and progress is not None:
            progress.warn(
                f"{counted(len(lossy), 'picture')} made as JPEG will remain JPEG: for lossless pictures, begin a "
                "new workspace with `pictures: lossless`"
            )
        if not removes_metadata and not visual and not (lossy and is_sealed):
            return

        def encodes(record: ImageRecord) -> MadeForm | None:
            if record.operation_id in visual and record.media_type != "image/jpeg":
                return "jpeg"
            return "webp" if is_sealed and is_lossy(record) else None

        changes = self._changes = FileChanges(
            view.image,
            view.image_bytes,
            removes_metadata=lambda record: (
                removes_metadata
                and record.source is not None  # a made file holds only pixels
                and not self.redistribution.is_by_address(record)
            ),
            encodes=encodes,
            turns=lambda record, item: (
                removes_metadata
                and item.operation_id in visual
                and item.task not in self.exact_tasks
                and not self.redistribution.is_by_address(record)
            ),
            store=store,
            record_map=record_map,
        )
        changes.survey(item for item, _ in view.items())
        self.image, self.image_bytes = changes.image, changes.image_bytes
        if changes.left and progress is not None:
            formats = ", ".join(f"{n} {media_type}" for media_type, n in sorted(changes.left.items()))
            progress.warn(
                f"cannot remove metadata from some picture files ({formats}), so it remains: if it is private, "
                "convert the files to JPEG, PNG or WebP before you import them"
            )

    def item(self, item: Item) -> Item:
        """Return an item with the ids of the released picture files."""
        return item if self._changes is None else self._changes.item(item)

    def operations(self) -> Sequence[Operation]:
        """Return the operations that turned files of the workspace into released ones."""
        return () if self._changes is None else self._changes.operations()
