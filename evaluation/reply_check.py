"""Damage in a workspace's logs of requests and replies, as found by `benchwright check`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchwright.errors import DataError
from benchwright.pipeline.mending.check import Problem
from benchwright.texts.normalization import counted

from .backends.reply_log import LOG_NAME, DamagedHead, remove_damaged, state_of
from .step import REPLIES


def reply_problems(root: Path) -> Iterator[Problem]:
    """Yield the damage found in a workspace's logs of replies, and the logs in which damage cannot be detected."""
    for path in sorted((root / REPLIES).glob(f"**/{LOG_NAME}")):
        name = str(path.relative_to(root))
        try:
            state = state_of(path)
        except DataError as error:
            yield Problem(name, f"cannot be checked: {error}", is_note=not isinstance(error, DamagedHead))
            continue
        if state.damaged:
            yield Problem(
                name,
                f"{state.described}; runs ignore it and repeat its request if they need it",
                mend=partial(remove_damaged, path),
            )
        if state.without_digest:
            without_digest = (
                f"has {counted(state.without_digest, 'line')} of an older version, without a digest: changes to them "
                "are undetectable"
            )
            yield Problem(name, without_digest, is_note=True)
