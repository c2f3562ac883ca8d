"""The interface of an audit's checks: their requirements, resources, and reasons for not running."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError
from benchwright.progress import Progress, Silent
from benchwright.raised import RaisedError

from .source.kept_values import KeptValues

if TYPE_CHECKING:
    from benchwright.diagnostics.meaning.wordnet import WordNet
    from benchwright.diagnostics.models.sentence_model import SentenceModel
    from benchwright.models.endpoints.chat import ChatSettings
    from benchwright.workspace.item_cache import ItemCache

    from .findings.finding import Finding
    from .safety_classifier import SafetyClassifier
    from .source.audited_items import AuditedItem, AuditedItems, OpenItem

Asked = TypeVar("Asked", bound="AuditedItem | OpenItem")
S = TypeVar("S")
T = TypeVar("T")
logger = logging.getLogger(__name__)

FOUND = "findings"
"""Name in `AuditContext.memo` of the findings of earlier checks, which the checks of an audit share."""
BLIND = "blind strategy"
"""Name in `AuditContext.memo` of the result of the best blind strategy."""
CUE_POWERS = "cue powers"
"""Name in `AuditContext.memo` of the size of the cue that the adversary could have found."""


_NOTHING = RaisedError("", "", "")


class CheckSkipped(Exception):
    """Raised if a check cannot run; the message says in one sentence what is missing and what to supply."""


class FailedItem(NamedTuple):
    """An item or picture on which a check raised an exception, and the exception.

    Args:
        error: The exception.
        item_ids: Own ids of the affected items.
        pictures: Ids of the affected pictures; the items that show them are also affected.
    """

    error: RaisedError
    item_ids: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditContext:
    """The resources available to a check in addition to the items.

    Args:
        cache: Cache of measured values by content, so that each is measured only once.
        folder: Folder next to that cache for data that must be stored in files.
        against: Collections with which to compare the pictures: folders, releases, hash lists.
        corpora: Texts to search for the questions: files, or folders with files.
        replies: Replies of models to the items, each as the model's name (empty if the file states it) and the file.
        people: Files of answers to the items that people gave without seeing the key.
        allowed_licences: Allowed licenses of pictures; empty if any stated license is acceptable.
        model: Model behind an endpoint that checks may query; if None, nothing is sent.
        safety: Classifier that finds unsafe pictures; None if there is none.
        wordnet: A WordNet; None if there is none.
        sentences: Model that turns texts into vectors; None if there is none.
        ocr: Whether checks may read the text in pictures, which takes seconds per picture.
        workers: Number of processes.
        seed: Seed of all random draws.
        progress: Receiver of progress reports.
        memo: Values shared by the checks of one audit, by name.
        unmade: Exceptions raised while shared values were being made, by the name of the value.
        failed: Items and pictures on which the current check, or a shared value it uses, raised an exception.
        failed_shared: Those that failed while a shared value was being made, by the name of the value.
    """

    cache: ItemCache
    folder: Path
    against: tuple[Path, ...] = ()
    corpora: tuple[Path, ...] = ()
    replies: tuple[tuple[str, Path], ...] = ()
    people: tuple[Path, ...] = ()
    allowed_licences: tuple[str, ...] = ()
    model: ChatSettings | None = None
    safety: SafetyClassifier | None = None
    wordnet: WordNet | None = None
    sentences: SentenceModel | None = None
    ocr: bool = False
    workers: int = 1
    seed: int = 0
    progress: Progress = field(default_factory=Silent)
    memo: dict[str, Any] = field(default_factory=dict, repr=False)
    unmade: dict[str, Exception] = field(default_factory=dict, repr=False)
    failed: list[FailedItem] = field(default_factory=list, repr=False)
    failed_shared: dict[str, list[FailedItem]] = field(default_factory=dict, repr=False)

    def shared(self, name: str, make: Callable[[], T]) -> T:
        """Return a value that the checks of this audit share, computing it on first use; a failed attempt is not
        repeated.

        If some items failed while it was being made, every check that uses the value has failed on these items.
        """
        if name in self.memo:
            self.failed.extend(self.failed_shared.get(name, ()))
        else:
            if name in self.unmade:
                raise self.unmade[name]
            before = len(self.failed)
            try:
                self.memo[name] = make()
            except Exception as error:
                self.unmade[name] = error
                raise
            self.failed_shared[name] = self.failed[before:]
        value: T = self.memo[name]
        return value

    def check_each(self, items: Iterable[Asked], look: Callable[[Asked], T]) -> Iterator[tuple[Asked, T]]:
        """Yield each item with the result of checking it; items on which the check raises an exception are recorded and
        skipped.

        Raises:
            BenchwrightError: The user can fix the cause, such as a package that is not installed.
            CheckSkipped: The check cannot run.
        """
        yield from self._isolated(items, look, lambda each: FailedItem(_NOTHING, item_ids=(each.item_id,)))

    def check_each_picture(self, image_ids: Iterable[str], look: Callable[[str], T]) -> Iterator[tuple[str, T]]:
        """Yield the id of each picture with the result of checking the picture, as in `check_each`."""
        yield from self._isolated(image_ids, look, lambda image_id: FailedItem(_NOTHING, pictures=(image_id,)))

    def _isolated(
        self, those: Iterable[S], look: Callable[[S], T], failed: Callable[[S], FailedItem]
    ) -> Iterator[tuple[S, T]]:
        for each in those:
            try:
                looked = look(each)
            except (BenchwrightError, CheckSkipped, MemoryError):
                raise
            except Exception as error:
                if not self.failed:
                    logger.warning("a check failed on %s", failed(each)[1:], exc_info=True)
                self.failed.append(failed(each)._replace(error=RaisedError.of(error)))
                continue
            yield each, looked

    def kept(self, name: str, inputs: Any, make: Callable[[], Any]) -> Any:
        """Return a JSON value that was computed earlier from equal inputs, or compute it now and store it.

        Args:
            name: Name of the value, including a version that must be raised when its computation changes.
            inputs: JSON value that contains everything on which the result depends.
            make: Function that makes the value.
        """
        data = self.cache.get_or_make(name, inputs, lambda: zlib.compress(canonical_json(make()).encode(), 1))
        return json.loads(zlib.decompress(data))

    def values(self, kind: str) -> KeptValues:
        """Return small JSON values that are stored together, under a name that includes a version (`KeptValues`)."""
        return self.shared(f"values {kind}", lambda: KeptValues(self.cache, kind))

    def save_values(self) -> None:
        """Save the values of all stores that `values` returned."""
        for value in self.memo.values():
            if isinstance(value, KeptValues):
                value.save()


class AuditCheck(Protocol):
    """A check, or several checks that share their measurements.

    `registry.CHECKS` lists all checks; to add one, write a class like this and add a line there.

    Attributes:
        name: Name in the list of checks, in lowercase with underscores.
        title: The faults for which it searches, in a few words.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterable[Finding]:
        """Return the check's findings.

        Raises:
            CheckSkipped: The check lacks an input; the message states what to supply.
        """


def require_words(audited: AuditedItems) -> None:
    """Raise `CheckSkipped` if the source lacks the words of all questions with options."""
    if audited.open_items and not audited.items:
        raise CheckSkipped("all questions with words are open-ended, but this check needs options")
    if not audited.items:
        raise CheckSkipped("the source has keys but no words of its questions; give the questions as well")


def require_enough(values: Sequence[Any], least: int, *, of: str) -> None:
    """Raise `CheckSkipped` if there are fewer values than a check needs.

    Args:
        values: The values.
        least: Smallest sufficient number of values.
        of: What the values are, such as `items with a key`.
    """
    if len(values) < least:
        raise CheckSkipped(f"found {len(values)} {of}, but the check needs {least}")
