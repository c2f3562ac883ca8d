"""What `evaluate run` would send: requests, pictures, bytes, tokens and cost, counted without sending anything.

First questions are made as the run makes them, so that equal ones count once and those that the log has answered not at
all. What later rounds say rests on replies: each counts as one more request.
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
"""Seconds that a reply of a hosted model takes, where nobody states them."""
_BATCH_S = 24 * 3600.0
"""Seconds that vendors allow themselves for a batch."""


class PlannedRun(NamedTuple):
    """What a run would send.

    Args:
        model: Name of the model in results.
        protocol: Protocol, as the command line takes it.
        items: Number of items that are asked.
        requests: Requests at one try each, those of later rounds included.
        answered_before: First questions that the log has a reply to, or that are equal to another one.
        unsendable: First questions that cannot be sent, such as those whose picture cannot be read.
        pictures: Pictures that are sent.
        picture_bytes: Size of their files, in bytes; inside requests they take a third more.
        largest_picture_bytes: Size of the largest of them.
        tokens: Estimate of the tokens sent, and the most that are received.
        cost: The most that these cost; None without prices, or where the model is no server.
        limit_of: Number of all items that could be asked, where only a sample is; None where all are.
        samples: Number of replies to each question.
        concurrency: Requests that are under way at a time, at most.
        seconds: Estimate of the time, at as many requests at a time and the seconds a reply that the caller states.
        most_seconds: The most that they take at one try each: each as long as a request may take. Batches take up to a
            day, and so does each round of a protocol.
        in_batches: Whether they go in batches, at half the price.
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
        """Return the plan as a line for people."""
        if not self.requests and not self.answered_before and not self.unsendable:
            return f"{self.model} answers {counted(self.items, 'item')} on this machine; nothing would be sent"
        cost = "no prices stated" if self.cost is None else f"at most {self.cost:,.4f} in the currency of the prices"
        of_all = "" if self.limit_of is None else f" (a sample of {self.limit_of:,})"
        drawn = "" if self.samples == 1 else f", {self.samples} draws each"
        time = (
            f"at half the price in batches, which take at most {_in_words(self.most_seconds)}"
            if self.in_batches
            else f"about {_in_words(self.seconds)}, at most {_in_words(self.most_seconds)} at "
            f"{counted(self.concurrency, 'request')} at a time and one try each"
        )
        skipped = f" ({self.answered_before:,} more are answered already, or equal)" if self.answered_before else ""
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
    """Return what a run would send; nothing is sent and nothing written.

    Args:
        release: Release that would be scored.
        model: Name of the model.
        protocol: Name of the protocol, with its settings.
        options: Options of the model.
        split: Name of the only split; all where None.
        limit: Number of items that are asked, a sample; all where None.
        subset: Subset that is asked in place of all items.
        log_folder: Folder of the results, whose log says what was answered before; none where None.
        seconds_per_reply: Seconds that a reply takes.

    Raises:
        BenchwrightError: There is no such model or split, or its options do not suit.
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
    """Return a time in the unit in which people would say it."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _characters(question: Question) -> int:
    return sum(len(part) for part in message_of(question) if isinstance(part, str))
