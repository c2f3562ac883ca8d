"""The interface of a backend, and the function that turns a model's name on the command line into a backend.

Baselines that learn receive questions with their right options (`labelled`); all other backends never see a key.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from benchwright.errors import BenchwrightError
from benchwright.questions.own_ids import OwnIds
from benchwright.record_map import RecordMap, map_here
from benchwright.rooms import find
from benchwright.workspace.item_cache import ItemCache

from ..prompting.question import Question, Reply
from .options import BackendOptions

if TYPE_CHECKING:
    from benchwright.release import Release


def _no_own_ids() -> OwnIds:
    return OwnIds(())


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with its right option and the group keys it shares with others, for baselines that learn.

    Args:
        question: Question, without the bytes of pictures.
        key: Key of the right option.
        group_keys: Group keys of the item; items that share a key belong together.
    """

    question: Question
    key: str
    group_keys: tuple[str, ...]


def _no_labels() -> Iterable[LabelledQuestion]:
    return ()


@dataclass(frozen=True, slots=True)
class BackendContext:
    """Facts about the release that a backend may use. Only `labelled` reveals right answers.

    Args:
        release_id: Hash of the release's bytes.
        content_id: Hash of the release's items.
        item_ids: Function that returns every item id of the release, across all splits; it reads them on the first
            call.
        own_ids: Function that returns the items by their ids in the source; it reads them on the first call.
        log_folder: Folder for the log of replies, from which a later run continues; None for no log.
        other_releases: Whether logged replies to questions of a different release may be reused.
        labelled: Function that yields all items, in all splits, that have a right option, and reads them anew on each
            call. It is for baselines that measure what the words alone reveal, never for models.
        cache: Cache, kept between runs, for replies that depend only on a single question.
        record_map: Mapper that applies a function to questions, using the workers of a run if there are any.
    """  # phrase: allowed

    release_id: str
    content_id: str
    item_ids: Callable[[], frozenset[str]]
    own_ids: Callable[[], OwnIds] = _no_own_ids
    log_folder: Path | None = None
    other_releases: bool = True
    labelled: Callable[[], Iterable[LabelledQuestion]] = _no_labels
    cache: ItemCache = field(default_factory=lambda: ItemCache(None))
    record_map: RecordMap = map_here


class Backend(Protocol):
    """An object that answers questions: a model behind a server, a program or a file."""

    @property
    def name(self) -> str:
        """The model's name in results, which is the same on all machines."""

    @property
    def tasks(self) -> frozenset[str] | None:
        """The tasks that the backend can take; None for all."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that determine the backend's replies, as JSON values; the score stores them."""

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield one reply per question, in the order of the questions.

        A question that cannot be answered gets a reply with an error. An exception ends the run and must be raised only
        if no question can be answered. A backend may read only a bounded number of questions ahead of its replies.
        """


@dataclass(frozen=True)
class PerQuestion:
    """A backend that applies one function to each question.

    Args:
        name: Name in results.
        reply: Function that returns the reply's text for a question and the release's content id. If it raises
            `BenchwrightError`, that becomes the question's error.
        tasks: The tasks that the backend can take; None for all.
        settings: Settings to store in the score, as JSON values.
        looks: Whether the function uses words and pictures; otherwise it receives questions without them.
        version: Version of the program if its reply depends only on the question. Replies are then kept between runs,
            and the function receives an empty content id. Raise the version when replies may change, so that questions
            are asked again. If None, no replies are kept.
    """

    name: str
    reply: Callable[[Question, str], str]
    tasks: frozenset[str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    looks: bool = True
    version: int | None = None

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield the reply to each question in turn."""
        for question in questions:
            try:
                yield Reply(question.item_id, text=self._text(question, context))
            except BenchwrightError as error:
                yield Reply(question.item_id, error=str(error))

    def _text(self, question: Question, context: BackendContext) -> str:
        if self.version is None:
            return self.reply(question, context.content_id)
        kept = context.cache.get_or_make(
            f"reply {self.version}",
            [self.name, dict(self.settings), question.content()],
            lambda: self.reply(question, "").encode("utf-8", "surrogatepass"),
        )
        return kept.decode("utf-8", "surrogatepass")


_Factory = Callable[[str, BackendOptions], Backend]
"""Function under `backends` in a room that returns a backend given the text after the colon and the options."""


def parse_model(model: str, options: BackendOptions | None = None) -> Backend:
    """Return the backend that a model name refers to, such as `random`, `constant:A` or `openai:NAME`.

    Raises:
        BenchwrightError: No room provides such a backend, or the text after the colon is not valid for it.
    """
    kind, _, argument = model.partition(":")
    factory: _Factory = find("backends", kind).load()
    backend = factory(argument, options or BackendOptions())
    if options is not None and not getattr(backend, "takes_fields", False) and (given := options.only_for_endpoints()):
        raise BenchwrightError(
            f"{given[0]} changes requests, but model {model!r} gets none; leave it out, or name a model behind an "
            "endpoint, such as openai:NAME"
        )
    return backend


def without_argument(kind: str, argument: str) -> None:
    """Refuse text after the colon for a backend that takes no argument."""
    if argument:
        raise BenchwrightError(f"model {kind!r} takes no argument, but {argument!r} was given; write {kind!r}")


def labelled(release: Release) -> Iterator[LabelledQuestion]:
    """Yield every item, in all splits, that has a right option; its pictures are left out."""
    for released in release.items(pictures_of=()):
        item = released.item
        key = item.answer if item.answer is not None else item.refusal
        if key is not None:
            question = Question(item.item_id, item.task, item.question, (), item.choices)
            yield LabelledQuestion(question, key, item.group_keys)
