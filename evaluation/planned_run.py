"""The requests that `evaluate run` would send: numbers of requests, pictures, bytes and tokens, and the cost.

First questions are built as in the run, so equal ones are counted once and those with a reply in the log are not
counted. The questions of later rounds depend on replies; each is counted as one more request.
"""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.models.endpoints.usage import CHARACTERS_PER_TOKEN, PRICE_SHARE, TOKENS_PER_PICTURE, Tokens
from benchwright.replies.readers import ROBUST
from benchwright.texts.normalization import counted

from .ask import EvaluationPlan
from .backends.base import parse_model
from .backends.openai_chat import OpenAIChat
from .backends.options import BackendOptions
from .backends.reply_log import LOG_NAME, answered_requests
from .backends.result_names import slug
from .prompting.prompts import message_of
from .prompting.release_files import check_files
from .protocols.names import parse_protocol
from .protocols.sampled import sampled

if TYPE_CHECKING:
    from benchwright.release import Release

    from .item_response.subset import Subset
    from .prompting.question import Question


SECONDS_PER_REPLY = 5.0
"""Default number of seconds per reply of a hosted model."""
_BATCH_S = 24 * 3600.0
"""Seconds within which vendors complete a batch."""


class PlannedRun(NamedTuple):
    """The requests that a run would send.

    Args:
        model: Name of the model in results.
        protocol: Protocol, as on the command line.
        items: Number of items asked.
        requests: Number of requests with one try each, including later rounds.
        answered_before: Number of first questions with a reply in the log, or equal to another one.
        unsendable: Number of first questions that cannot be sent, such as those with an unreadable picture.
        pictures: Number of pictures sent.
        picture_bytes: Total size of their files, in bytes; inside requests they take a third more.
        largest_picture_bytes: Size of the largest of these files, in bytes.
        tokens: Estimated number of tokens sent, and the largest possible number received.
        cost: Largest possible cost of these tokens; None if there are no prices or the model is not on a server.
        limit_of: For a sample, the number of all items that could be asked; None if all are asked.
        samples: Number of replies to each question.
        concurrency: Largest number of concurrent requests.
        seconds: Estimated time, from the number of simultaneous requests and the caller's seconds per reply.
        most_seconds: Longest time at one try each, if every request takes as long as allowed. Batches take up to a day,
            as does each round of a protocol.
        in_batches: Whether requests are sent in batches, at half the price.
    """

    model: str
    protocol: str
    items: int
    requests: int
    answered_before: int
    unsendable: int
    pictures: int
    picture_bytes: int
    largest_picture_bytes: int
    tokens: Tokens
    cost: float | None
    limit_of: int | None
    samples: int
    concurrency: int
    seconds: float
    most_seconds: float
    in_batches: bool = False

    def document(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        numbers = {name: value for name, value in self._asdict().items() if name != "tokens"}
        tokens = {"prompt_tokens": self.tokens.prompt, "most_completion_tokens": self.tokens.completion}
        return {"dry_run": True, **numbers, **tokens}

    def describe(self) -> str:
        """Return the plan as a line of text."""
        if not self.requests and not self.answered_before and not self.unsendable:
            return f"{self.model} answers {counted(self.items, 'item')} on this machine, so a run sends nothing"
        cost = "no prices stated" if self.cost is None else f"at most {self.cost:,.4f} in the currency of the prices"
        of_all = "" if self.limit_of is None else f" (a sample of {self.limit_of:,})"
        drawn = "" if self.samples == 1 else f", {self.samples} draws each"
        time = (
            f"at half the price in batches, which take at most {_in_words(self.most_seconds)}"
            if self.in_batches
            else f"about {_in_words(self.seconds)}, at most {_in_words(self.most_seconds)} at "
            f"{counted(self.concurrency, 'request')} at a time and one try each"
        )
        skipped = (
            f" ({self.answered_before:,} more have a reply already, or equal another)" if self.answered_before else ""
        )
        broken = f"; {counted(self.unsendable, 'question')} cannot be sent" if self.unsendable else ""
        return (
            f"{self.model}, {self.protocol}: {counted(self.items, 'item')}{of_all}{drawn}, "
            f"{counted(self.requests, 'request')}{skipped} with {counted(self.pictures, 'picture')} of "
            f"{self.picture_bytes:,} bytes (the largest {self.largest_picture_bytes:,}); about "
            f"{counted(self.tokens.prompt, 'token')} sent, at most {self.tokens.completion:,} received; "
            f"{cost}{broken}; {time}. Nothing was sent"
        )


def planned_run(
    release: Release,
    model: str,
    *,
    protocol: str,
    options: BackendOptions,
    split: str | None = None,
    limit: int | None = None,
    subset: Subset | None = None,
    log_folder: Path | None = None,
    seconds_per_reply: float = SECONDS_PER_REPLY,
) -> PlannedRun:
    """Return the requests that a run would send, without sending or writing anything.

    Args:
        release: Release on which to score the model.
        model: Name of the model.
        protocol: Name of the protocol, with its settings.
        options: Options of the model.
        split: Name of the split to ask; all splits if None.
        limit: Number of items in a sample to ask; all items if None.
        subset: Subset to ask in place of all items.
        log_folder: Folder of the results, whose log contains earlier replies; None for no log.
        seconds_per_reply: Assumed time per reply, in seconds.

    Raises:
        BenchwrightError: The model or split does not exist, or an option is not valid for the model.
        DataError: The release is damaged.
    """
    effective = (setting := parse_protocol(protocol)).decoding(options)
    backend = parse_model(model, effective)
    asked_by = sampled(setting, effective, backend)
    if split is not None and split not in release.splits:
        raise BenchwrightError(f"{release.path} has no split {split!r}; it has {', '.join(release.splits)}")
    check_files(release, split)
    plan = EvaluationPlan(release, split, asked_by, backend.tasks, ROBUST)
    plan = plan if limit is None else plan.limited_to(limit)
    plan = plan if subset is None else plan.subset_by(subset)
    ask = asked_by.begin(release, split)
    log = None if log_folder is None else log_folder / slug(backend.name) / LOG_NAME
    known = set(answered_requests(log)) if log is not None and log.is_file() else set()
    items = requests = before = unsendable = pictures = picture_bytes = largest = characters = 0
    for released, _ in plan.items():
        items += 1
        if not isinstance(backend, OpenAIChat):
            continue
        later = asked_by.rounds - 1
        requests, characters = requests + later, characters + later * len(released.item.question)
        for entry in ask(released, []):
            try:
                sent = None if entry.question is None else backend.request(entry.question)
            except BenchwrightError:
                sent = None
            if sent is None or entry.question is None:
                unsendable += 1
                continue
            if sent.key in known:
                before += 1
                continue
            known.add(sent.key)
            requests, characters = requests + 1, characters + _characters(entry.question)
            sizes = [picture.size_bytes for picture in sent.pictures]
            pictures, picture_bytes = pictures + len(sizes), picture_bytes + sum(sizes)
            largest = max(largest, *sizes, 0)
    tokens = Tokens(characters // CHARACTERS_PER_TOKEN + pictures * TOKENS_PER_PICTURE, requests * effective.max_tokens)
    in_batches = options.batch and isinstance(backend, OpenAIChat)
    cost = None if options.prices is None or not isinstance(backend, OpenAIChat) else options.prices.cost(tokens)
    if cost is not None and in_batches:
        cost *= PRICE_SHARE
    seconds = seconds_per_reply * requests / min(effective.concurrency, max(1, requests))
    most_seconds = effective.timeout * ceil(requests / effective.concurrency)
    if in_batches:
        seconds = most_seconds = _BATCH_S * asked_by.rounds if requests else 0.0
    return PlannedRun(
        backend.name, asked_by.text, items, requests, before, unsendable, pictures, picture_bytes, largest,
        tokens, cost, None if plan.sample is None else plan.sample.of, effective.samples, effective.concurrency,
        seconds, most_seconds, in_batches,
    )  # fmt: skip


def _in_words(seconds: float) -> str:
    """Return a duration in the unit in which it is easiest to read."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _characters(question: Question) -> int:
    return sum(len(part) for part in message_of(question) if isinstance(part, str))
