"""Models on this machine, run with transformers: batched generation, or scoring of the options.

Most use pictures. A text-only model can be asked without pictures, and can read replies as a judge.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError
from benchwright.models.batching import Batches, OutOfMemory

from ..prompting.prompts import message_of
from ..prompting.question import Question, QuestionImage, Reply
from .base import Backend, BackendContext
from .local_replies import LocalReply, Prompt, generate, likeliest
from .local_weights import LoadedModel, ModelFiles, find_weights, load, model_name, require_extra
from .options import BackendOptions
from .picture_limits import PictureLimits
from .reply_log import LOG_NAME, ReplyLog
from .result_names import identity_of
from .sent_pictures import SentPicture, SentPictures

How = Literal["transformers", "likelihood"]
_AHEAD = 4
"""Number of batches to read in advance, in order to group questions with equal numbers of pictures."""


def transformers(argument: str, options: BackendOptions) -> Backend:
    """Return the backend for a local model that generates its replies, such as `transformers:FOLDER`.

    Raises:
        BenchwrightError: The name is neither an existing folder nor a repository on the hub, or decoding is not greedy.
        PrerequisiteError: Packages are missing.
    """
    return _LocalModel("transformers", argument, options)


def likelihood(argument: str, options: BackendOptions) -> Backend:
    """Return the backend for a local model that picks the option it finds most likely, such as `likelihood:FOLDER`.

    Raises:
        BenchwrightError: As for `transformers`.
    """
    return _LocalModel("likelihood", argument, options)


class _PreparedQuestion(NamedTuple):
    """A question with its words (None in place of each picture), its pictures, and the key of its reply in the log."""

    question: Question
    content: tuple[str | None, ...]
    pictures: tuple[SentPicture, ...]
    key: str


class _PendingPrompt(NamedTuple):
    """A prompt whose reply is not in the log, and the key of that reply."""

    prompt: Prompt
    key: str


class _LocalModel:
    """A model in this process, which is loaded once and only if a reply is missing from the log."""

    tasks = None

    def __init__(self, how: How, argument: str, options: BackendOptions) -> None:
        if not argument:
            raise BenchwrightError(
                f"model {how!r} needs a folder or a name of the hub after the colon, such as {how}:ORG/NAME@REVISION"
            )
        self._find = find_weights(argument)
        if options.temperature != 0 or options.top_p is not None:
            raise BenchwrightError(
                "local models decode greedily; leave --temperature at 0 and omit --top-p, or serve the model and "
                "name it as openai:NAME"
            )
        require_extra()
        self.name = f"{how}:{model_name(argument)}"
        self._how, self._options = how, options
        self.picks_options = how == "likelihood"
        self._limits = PictureLimits.of(options)
        self._pictures = SentPictures(self._limits)
        self._batches = Batches(options.batch_size)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The hash of the weights, and the settings of the run."""
        chosen: dict[str, Any] = {"weights": self._weights.sha256, "batch_size": self._options.batch_size}
        if self._weights.revision is not None:
            chosen["revision"] = self._weights.revision
        for name, value in (("device", self._options.device), ("dtype", self._options.dtype)):
            chosen[name] = value or "auto"
        return chosen | self._decoding | self._limits.settings()

    @property
    def identity(self) -> Mapping[str, Any]:
        """The settings that can change a reply: weights, numeric type and decoding."""
        return identity_of(self.settings)

    @property
    def _decoding(self) -> dict[str, Any]:
        if self._how == "likelihood":
            return {"score": "mean log-probability per token of each option"}
        return {"decoding": "greedy", "max_tokens": self._options.max_tokens}

    @cached_property
    def _weights(self) -> ModelFiles:
        return self._find()

    @cached_property
    def _loaded(self) -> LoadedModel:
        return load(self._weights, device=self._options.device, dtype=self._options.dtype)

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield replies in the order of the questions; replies that are already in the log are taken from the log."""
        path = None if context.log_folder is None else context.log_folder / LOG_NAME
        self._pictures.item_cache = context.cache
        coming = iter(questions)
        with ReplyLog(path, release_id=context.release_id, other_releases=context.other_releases) as log:
            log.run(context.release_id, context.content_id, self.settings)
            while some := list(islice(coming, _AHEAD * self._options.batch_size)):
                yield from self._replies(some, log)
                log.sync()

    def _replies(self, questions: Sequence[Question], log: ReplyLog) -> Iterator[Reply]:
        reply_by_place: dict[int, Reply] = {}
        images: dict[str, Any] = {}  # several questions about a picture decode it once
        waiting: list[tuple[int, _PendingPrompt]] = []
        for place, question in enumerate(questions):
            try:
                prepared = self._prepared(question, log)
                if (known := log.reply_to(prepared.key)) is not None:
                    reply_by_place[place] = Reply.of(question.item_id, known)
                else:
                    waiting.append((place, _with_pixels(prepared, images)))
            except BenchwrightError as error:
                reply_by_place[place] = Reply(question.item_id, error=str(error))
        waiting.sort(key=lambda entry: len(entry[1].prompt.pictures))
        coming = [prompted for _, prompted in waiting]
        replies = self._batches.run(coming, self._run_batch, key=lambda prompted: len(prompted.prompt.pictures))
        for (place, prompted), reply in zip(waiting, replies, strict=True):
            reply_by_place[place] = _kept(prompted, reply, log)
        yield from (reply_by_place[place] for place in range(len(questions)))

    def _prepared(self, question: Question, log: ReplyLog) -> _PreparedQuestion:
        """Return a question in the form that the model takes, after adding the request to the log."""
        content: list[str | None] = []
        pictures: list[SentPicture] = []
        logged = []
        for part in message_of(question):
            if isinstance(part, QuestionImage):
                sent = self._pictures.of(part)
                log.picture(sent.record())
                pictures.append(sent)
                content.append(None)
                logged.append({"type": "image", "sha256": sent.sha256})
            else:
                content.append(part)
                logged.append({"type": "text", "text": part})
        body: dict[str, Any] = {
            "how": self._how,
            "weights": self._weights.sha256,
            "dtype": self._options.dtype or "auto",
            **self._decoding,
            "messages": [{"role": "user", "content": logged}],
        }
        if self._how == "likelihood":
            body["options"] = [choice.text for choice in question.choices]
        key = digest(body)
        log.request(key, question.item_id, body)
        return _PreparedQuestion(question, tuple(content), tuple(pictures), key)

    def _run_batch(self, batch: Sequence[_PendingPrompt]) -> list[LocalReply]:
        prompts = [prompted.prompt for prompted in batch]
        if not self._loaded.sees and any(prompt.pictures for prompt in prompts):
            raise BenchwrightError(
                f"{self.name} takes only words; ask it without pictures (--protocol blind), let it read replies "
                "(--judge), or name a model that takes pictures"
            )
        if self._how == "likelihood":
            return likeliest(self._loaded, prompts)
        return generate(self._loaded, prompts, self._options.max_tokens)


def _with_pixels(prepared: _PreparedQuestion, images: dict[str, Any]) -> _PendingPrompt:
    """Return a prompt with its pictures decoded; `images` caches decoded pictures by SHA-256."""
    for sent in prepared.pictures:
        if sent.sha256 not in images:
            images[sent.sha256] = _image(sent.data)
    shown = tuple(images[sent.sha256] for sent in prepared.pictures)
    return _PendingPrompt(Prompt(prepared.question, prepared.content, shown), prepared.key)


def _kept(prompted: _PendingPrompt, local_reply: LocalReply | OutOfMemory, log: ReplyLog) -> Reply:
    item_id = prompted.prompt.question.item_id
    if isinstance(local_reply, OutOfMemory):
        log.failed(prompted.key, item_id, str(local_reply), 1)
        return Reply(item_id, error=str(local_reply))
    log.answered(prompted.key, item_id, local_reply.completion, 1, **local_reply.more)
    return Reply.of(item_id, local_reply.completion)


def _image(data: bytes) -> Any:
    from PIL import Image

    from benchwright.images.decode import decode_rgb

    return Image.fromarray(decode_rgb(data))
