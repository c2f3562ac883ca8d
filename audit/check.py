"""A check of the audit: what it must have, what it may use, and how it says that it cannot run."""

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
"""Name under which the checks of an audit share what those before them found (`AuditContext.memo`)."""
BLIND = "blind strategy"
"""Name under which they share how far the best blind strategy gets."""
CUE_POWERS = "cue powers"
"""Name under which they share how large a cue the adversary could have found."""


_NOTHING = RaisedError("", "", "")


class CheckSkipped(Exception):
    """A check cannot run: what it lacks, and what to give so that it can, in one sentence."""


class FailedItem(NamedTuple):
    """Something on which a check raised an exception, and the exception.

    Args:
        error: The exception.
        item_ids: Own ids of the items that it concerns.
        pictures: Ids of the pictures that it concerns, and with them the items that show these.
    """

    error: RaisedError
    item_ids: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditContext:
    """What a check may use besides the items.

    Args:
        cache: Cache of what was measured, by content, so that nothing is measured twice.
        folder: Folder beside that cache, for what has to lie in files.
        against: Collections that the pictures are compared with: folders, releases, hash lists.
        corpora: Texts that the questions are looked for in: files, or folders with files.
        replies: Replies of models to the items: name of the model, empty where the file says it, and the file.
        people: Files of people's answers to the items, given without the key.
        allowed_licences: Licences that pictures may have; none where any stated licence will do.
        model: Model behind an endpoint that checks may ask; None where none is given, and then nothing is sent.
        safety: Classifier that says which pictures are unsafe; None where none is given.
        wordnet: A WordNet; None where none is given.
        sentences: Model that turns texts into vectors; None where none is given.
        ocr: Whether checks may read the text in pictures, which takes seconds a picture.
        workers: Number of processes.
        seed: Seed of whatever is drawn.
        progress: Receiver of progress.
        memo: Values that the checks of one audit share, by name.
        unmade: Exceptions of what could not be made for the checks to share, by name.
        failed: Items and pictures on which the check that runs, or what it shares with others, raised an exception.
        failed_shared: What of these belongs to values that checks share, by name.
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
        """Return a value that a check of this audit made before, or make it now; what fails is not tried again.

        Where single items failed while it was made, each check that uses it has failed on these.
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

    def look_at_each(self, items: Iterable[Asked], look: Callable[[Asked], T]) -> Iterator[tuple[Asked, T]]:
        """Yield each item with what a check makes of it; one on which it raises is recorded, and the others go on.

        Raises:
            BenchwrightError: What the user can mend, such as a package that is not installed.
            CheckSkipped: The check cannot run.
        """
        yield from self._isolated(items, look, lambda each: FailedItem(_NOTHING, item_ids=(each.item_id,)))

    def look_at_each_picture(self, image_ids: Iterable[str], look: Callable[[str], T]) -> Iterator[tuple[str, T]]:
        """Yield the id of each picture with what a check makes of it, as `look_at_each` does."""
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
        """Return a JSON value that was made from equal inputs before, or make it now and keep it.

        Args:
            name: Name of what is made, with a version that is raised when it is made otherwise.
            inputs: JSON value of everything that the result depends on.
            make: Function that makes it.
        """
        data = self.cache.get_or_make(name, inputs, lambda: zlib.compress(canonical_json(make()).encode(), 1))
        return json.loads(zlib.decompress(data))

    def values(self, kind: str) -> KeptValues:
        """Return small JSON values that are kept together, under a name with a version (`KeptValues`)."""
        return self.shared(f"values {kind}", lambda: KeptValues(self.cache, kind))

    def save_values(self) -> None:
        """Save the values that are kept together."""
        for value in self.memo.values():
            if isinstance(value, KeptValues):
                value.save()


class AuditCheck(Protocol):
    """One check, or several that share what they measure.

    `registry.CHECKS` lists all checks: a new one is a class like this and one line there.

    Attributes:
        name: Name in the list of checks, in small letters with `_`.
        title: What it looks for, in a few words.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterable[Finding]:
        """Return what it finds.

        Raises:
            CheckSkipped: It lacks something: says what, and what to give.
        """


def needs_words(audited: AuditedItems) -> None:
    """Raise `CheckSkipped` where the source has no words of any question that has options."""
    if audited.open_items and not audited.items:
        raise CheckSkipped("all questions with words are open, and this looks at options")
    if not audited.items:
        raise CheckSkipped("the source has keys and no words of its questions; give the questions as well")


def enough(values: Sequence[Any], least: int, *, of: str) -> None:
    """Raise `CheckSkipped` where there are too few values for a check to say anything.

    Args:
        values: The values.
        least: Fewest values.
        of: What they are, such as `items with a key`.
    """
    if len(values) < least:
        raise CheckSkipped(f"there are {len(values)} {of}, and it takes {least}")
