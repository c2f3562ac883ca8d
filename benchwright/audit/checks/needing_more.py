"""Checks that the light audit cannot make: each says what to give, and which step makes it today."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ..audited_items import AuditedItems
from ..check import AuditContext, CheckSkipped
from ..finding import Finding


class _NeedsMore:
    name: ClassVar[str]
    title: ClassVar[str]
    why: ClassVar[str]

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Say what is needed.

        Raises:
            CheckSkipped: Always.
        """
        del audited, context
        raise CheckSkipped(self.why)


class UnsafePictures(_NeedsMore):
    """Unsafe pictures."""

    name: ClassVar[str] = "unsafe_pictures"
    title: ClassVar[str] = "Unsafe pictures"
    why: ClassVar[str] = "it needs a classifier of pictures: the step `safety` takes the folder of one"
