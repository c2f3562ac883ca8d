"""A message if nearly all pictures of a source are missing: in that case, the folder is wrong rather than the rows."""

from __future__ import annotations

from collections import Counter

from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import MISSING_PICTURE
from benchwright.texts.normalization import counted

from .question_index import QuestionIndex

_NEARLY_ALL = 0.9
"""Smallest proportion of missing pictures, among those named by questions, at which the message is given."""


def nearly_all_absent(index: QuestionIndex, searched: DatasetFiles) -> str | None:
    """Return a message that nearly all pictures are absent, with the searched folder; None if enough are present.

    Args:
        index: The questions of the source.
        searched: Folder or archive searched for pictures.
    """
    reasons = Counter(absent.reason for absent in index.absent())
    missing = reasons[MISSING_PICTURE]
    named = index.counts().images + reasons.total()
    if not missing or missing < _NEARLY_ALL * named:
        return None
    how_many = "all pictures are absent" if missing == named else "nearly all pictures are absent"
    return (
        f"{how_many}: {missing:,} of {counted(named, 'picture')} that rows name "
        f"{'is' if missing == 1 else 'are'} not in {searched.shown('')}; name their folder with --pictures DIR"
    )
