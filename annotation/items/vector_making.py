"""Make the vectors by which items are compared: a vision model's for pictures, a sentence model's for questions.

Both models are read from folders on this machine. Contents that have a vector of the same model keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.models.sentence_model import load_sentences
from benchwright.errors import DataError, PrerequisiteError, UnreadableImage
from benchwright.images import decode_rgb
from benchwright.models.local_weights import FOLDER, weights_on_this_machine
from benchwright.models.picture_vectors import load_picture_model, picture_model_digest
from benchwright.progress import Progress, Silent
from benchwright.texts.normalization import counted
from benchwright.workspace.workspace import Workspace

from ..workflow.image_files import ImageFiles
from .item_index import ItemIndex
from .likeness import PICTURE_KEYS
from .vector_file import VectorFile, VectorKind, VectorModel

USUAL: Mapping[VectorKind, tuple[str, ...]] = {
    "pictures": ("facebook/dinov2-small", "openai/clip-vit-base-patch32"),
    "words": (
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        "sentence-transformers/all-MiniLM-L6-v2",
    ),
}
"""Repositories to look for on this machine, in this order, if no folder is named."""
_PICTURES_AT_ONCE, _TEXTS_AT_ONCE = 16, 256
_Vectors = NDArray[np.float32]


class MadeVectors(NamedTuple):
    """The result for one kind of vectors.

    Args:
        kind: `pictures` or `words`.
        model: Folder of the model; None if there is none and nothing was made.
        made: Number of new vectors.
        kept: Number of existing vectors.
        unreadable: Number of unreadable pictures, which have no vectors.
    """

    kind: VectorKind
    model: Path | None
    made: int = 0
    kept: int = 0
    unreadable: int = 0


def models_for(file: VectorFile, named: Mapping[VectorKind, Path | None]) -> dict[VectorKind, Path]:
    """Return the model folder for each kind of vector: the one named, the one used before, or a common one.

    The result omits a kind for which this machine has none.

    Raises:
        PrerequisiteError: A named folder is missing.
    """
    before, chosen = file.models(), dict[VectorKind, Path]()
    for kind, repositories in USUAL.items():
        if (folder := named.get(kind)) is not None:
            if not folder.is_dir():
                raise PrerequisiteError(f"{folder} is not a folder; name the folder of a model")
            chosen[kind] = folder
        elif kind in before and before[kind].folder.is_dir():
            chosen[kind] = before[kind].folder
        else:
            found = (weights_on_this_machine(repository) for repository in repositories)
            if (folder := next(filter(None, found), None)) is not None:
                chosen[kind] = folder
    return chosen


def make_vectors(
    workspace: Path,
    index: ItemIndex,
    *,
    sentences: Path | None = None,
    pictures: Path | None = None,
    progress: Progress | None = None,
) -> list[MadeVectors]:
    """Make the missing vectors, and drop the vectors of deleted contents.

    Args:
        workspace: Folder of the workspace.
        index: Its index of items, which the function brings up to date.
        sentences: Folder of a sentence model; default the one used before, else a common one on this machine.
        pictures: Folder of a vision model; default as for `sentences`.
        progress: Receiver of progress reports; default none.

    Raises:
        PrerequisiteError: This machine has no model of either kind, or one cannot be loaded.
    """
    index.refresh()
    file = VectorFile(Workspace(workspace).cache)
    models = models_for(file, {"words": sentences, "pictures": pictures})
    if not models:
        raise PrerequisiteError(
            "no model on this machine can compare items; name a folder with --sentences or --pictures, or put one of "
            f"{', '.join(USUAL['words'] + USUAL['pictures'])} into the folder that {FOLDER} names"
        )
    maker = _VectorMaker(workspace, index, file, progress or Silent())
    of_kind: Mapping[VectorKind, Callable[[Path], MadeVectors]] = {"words": maker.words, "pictures": maker.pictures}
    return [make(models[kind]) if kind in models else MadeVectors(kind, None) for kind, make in of_kind.items()]


class _VectorMaker:
    """Makes the vectors for a workspace."""

    def __init__(self, workspace: Path, index: ItemIndex, file: VectorFile, progress: Progress) -> None:
        self._workspace, self._index, self._file, self._progress = workspace, index, file, progress

    def words(self, folder: Path) -> MadeVectors:
        """Make vectors for questions with their options."""
        query = "SELECT asked_key, min(asked) FROM records WHERE asked_key <> '' GROUP BY 1 ORDER BY 1"
        texts: dict[str, str] = self._index.reading(lambda connection: dict(connection.execute(query).fetchall()))
        model = load_sentences(folder)
        kept = self._file.begin("words", VectorModel(model.digest, folder), texts)
        missing = [key for key in texts if key not in kept]
        self._progress.phase("questions", len(missing), "questions")
        for start in range(0, len(missing), _TEXTS_AT_ONCE):
            keys = missing[start : start + _TEXTS_AT_ONCE]
            self._file.add("words", model.digest, keys, model.vectors([texts[key] for key in keys]))
            self._progress.advance(len(keys))
        return MadeVectors("words", folder, len(missing), len(kept))

    def pictures(self, folder: Path) -> MadeVectors:
        """Make vectors for pictures."""
        wanted = self._index.reading(lambda connection: sorted(key for (key,) in connection.execute(PICTURE_KEYS)))
        try:
            digest = picture_model_digest(folder)
        except ValueError as error:
            raise PrerequisiteError(str(error)) from None
        kept = self._file.begin("pictures", VectorModel(digest, folder), wanted)
        missing, made = [key for key in wanted if key not in kept], 0
        if not missing:
            return MadeVectors("pictures", folder, kept=len(kept))
        model = load_picture_model(folder)
        self._progress.phase("pictures", len(missing), "pictures")
        for start in range(0, len(missing), _PICTURES_AT_ONCE):
            keys = missing[start : start + _PICTURES_AT_ONCE]
            readable = dict(self._pixels(keys))
            if readable:
                self._file.add("pictures", digest, readable, model.vectors([*readable.values()]))
            made += len(readable)
            self._progress.advance(len(keys))
        return MadeVectors("pictures", folder, made, len(kept), len(missing) - made)

    def _pixels(self, keys: Sequence[str]) -> Iterator[tuple[str, NDArray[np.uint8]]]:
        files = ImageFiles(self._workspace)
        for key in keys:
            with suppress(DataError, UnreadableImage):
                yield key, decode_rgb(files.data(key))


def in_words(made: MadeVectors) -> str:
    """Return the result in one line."""
    of_what = {"pictures": "picture", "words": "question"}[made.kind]
    if made.model is None:
        return f"no model for {of_what}s; they are compared without vectors"
    unreadable = f", {counted(made.unreadable, 'picture')} cannot be read" if made.unreadable else ""
    return f"{counted(made.made, of_what)} embedded by {made.model}, {made.kept} there already{unreadable}"
