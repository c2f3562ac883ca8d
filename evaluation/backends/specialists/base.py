"""The interface of specialists: vision programs for a few tasks that rate how well each option of a question fits.

A specialist is asked only the items of its tasks; other items are not applicable and do not affect its accuracy. If an
item of its tasks lacks what the specialist compares, such as marks, that item ends in an error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from benchwright.errors import BenchwrightError
from benchwright.models.batching import Batches, OutOfMemory
from benchwright.record_map import Kept, LostRecord

from ...prompting.question import Question, Reply
from ..base import BackendContext, without_argument
from ..options import BackendOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.workspace.item_cache import ItemCache

Point = tuple[float, float]
"""x and y in pixels of a picture; pixel centers are at half-integer coordinates."""

Fits = Mapping[str, float]
"""How well each option fits, by its key. The option with the largest value is the answer; ties go to the first key."""

Content = TypeVar("Content")

_DECIMALS = 6
"""Number of decimals of a fit that are compared, so that the order of summation in a batch has no effect."""


class Specialist(ABC):
    """A vision program for a few tasks; the class serves as the backend's factory.

    Class attributes:
        name: Name of the backend.
        tasks: Tasks that the specialist can take.
        version: Version of the program, to be raised when answers to a question may change.
        stands_for: The specialist in BLINK's table 2 that it is or replaces; empty if the table has none.
        keeps_replies: Whether replies are cached by question, so that only new questions need their pictures.

    Args:
        argument: Text after the colon of the model's name.
        options: Options of the model.

    Raises:
        BenchwrightError: The argument or an option is not valid for the specialist.
    """

    name: ClassVar[str]
    tasks: ClassVar[frozenset[str]]
    version: ClassVar[int]
    stands_for: ClassVar[str] = ""
    keeps_replies: ClassVar[bool] = True

    def __init__(self, argument: str, options: BackendOptions) -> None:
        without_argument(self.name, argument)
        self._batch_size = options.batch_size

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the run, as JSON values."""
        return self.identity

    @property
    def identity(self) -> Mapping[str, Any]:
        """The settings that can change a reply, as JSON values."""
        return {}

    @abstractmethod
    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield one reply per question, in order; replies from earlier runs are not recomputed."""

    def _kept_as(self, question: Question) -> tuple[str, Any]:
        """Return the key and value under which the reply to a question is cached."""
        return f"reply {self.version}", [self.name, dict(self.identity), question.content()]


class BatchedSpecialist(Specialist, Generic[Content]):
    """A specialist that processes several questions at a time, in the process that does the scoring."""

    @abstractmethod
    def content_of(self, question: Question) -> Content:
        """Return the input of the comparison: decoded pictures, points, and what each option means.

        Raises:
            BenchwrightError: The specialist cannot process this form of question.
        """

    @abstractmethod
    def fits(self, batch: Sequence[Content]) -> Sequence[Fits | str]:
        """Return, for each question, how well its options fit or, as text, the reason why it has no answer."""

    def alike(self, content: Content) -> Hashable:
        """Return a value that all questions in a batch must share, such as the size of a picture."""
        del content
        return None

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield one reply per question, one batch at a time; replies from earlier runs are not recomputed."""
        batches = Batches(self._batch_size)
        coming = iter(questions)
        while some := list(islice(coming, self._batch_size)):
            yield from self._replies(some, batches, context.cache)

    def _replies(self, questions: Sequence[Question], batches: Batches, cache: ItemCache) -> Iterator[Reply]:
        replies: dict[int, Reply] = {}
        contents: dict[int, Content] = {}
        for place, question in enumerate(questions):
            if (kept := cache.get(*self._kept_as(question))) is not None:
                replies[place] = Reply(question.item_id, text=kept.decode())
                continue
            try:
                contents[place] = self.content_of(question)
            except BenchwrightError as error:
                replies[place] = Reply(question.item_id, error=str(error))
        computed = batches.run(list(contents.values()), self.fits, key=self.alike)
        for place, fits in zip(contents, computed, strict=True):
            question = questions[place]
            if isinstance(fits, OutOfMemory):
                replies[place] = Reply(question.item_id, error=str(fits))
                continue
            text = _text_of(fits)
            cache.put(*self._kept_as(question), text.encode())
            replies[place] = Reply(question.item_id, text=text)
        yield from (replies[place] for place in range(len(questions)))


class ClassicalSpecialist(Specialist):
    """A specialist without a learned model, which processes questions one at a time, using all workers of a run."""

    @abstractmethod
    def fits_of(self, question: Question) -> Fits | str:
        """Return how well each option of a question fits, or the reason why there is no answer.

        Raises:
            BenchwrightError: The specialist cannot process this form of question.
        """

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield one reply per question, in order; replies from earlier runs are not recomputed."""
        asked: deque[str] = deque()

        def noted() -> Iterator[Question]:
            for question in questions:
                asked.append(question.item_id)
                yield question

        for text in context.record_map(self._text_of, noted(), what=self.name, kept=Kept(context.cache, self._kept_as)):
            item_id = asked.popleft()
            if isinstance(text, LostRecord):
                yield Reply(item_id, error=text.message)
            else:
                yield Reply(item_id, text=text.decode())

    def _text_of(self, question: Question) -> bytes:
        return _text_of(self.fits_of(question)).encode()


def _text_of(fits: Fits | str) -> str:
    """Return the text of a reply: the letter of the option that fits best, or the reason why there is no answer."""
    return fits if isinstance(fits, str) else f"({best_of(fits)})"


def best_of(fits: Fits) -> str:
    """Return the key of the option that fits best; if several are equal to six decimals, return the first key."""
    return min(fits, key=lambda key: (-round(fits[key], _DECIMALS), key))


def cosines(vector: NDArray[np.floating[Any]], others: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the cosines between a vector, shape (dimensions,), and several others, (vectors, dimensions)."""
    import numpy as np

    lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(vector)
    return np.asarray(others @ vector / np.maximum(lengths, 1e-12), dtype=np.float64)
