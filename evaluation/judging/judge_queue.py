"""A queue of replies for a judge: collected during reading, sent to the judge at the end, then settled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.models.endpoints.vendors.reply_kinds import DECLINED

from ..metrics.base import is_right
from ..prompting.question import Question
from ..protocols.base import JudgedReply, ProtocolQuestion
from ..protocols.wordings import without_pictures
from ..results.run_progress import FirstFailures, RunProgress, TokenUsage
from ..results.score import Judging
from .judge import PROMPT_VERSION, Judge, JudgeVerdict, judge_words, verdict_in, verdict_options

if TYPE_CHECKING:
    from benchwright.records import Item

    from ..backends.base import Backend, BackendContext

READ_BY = "judge"
"""Name that predictions give as the rule for the judge's readings."""


class SettledVerdict(NamedTuple):
    """A judge's verdict on a reply, translated to the item's own letter.

    Args:
        state: State of the reply.
        letter: Item's own letter; None if there is none.
        said: Letter as shown in the question.
    """

    state: Literal["answered", "miss", "refusal"]
    letter: str | None
    said: str | None


class JudgeQueue:
    """Replies for one judge, in a file; verdicts are kept by question id, with the letter in the item's own order.

    Args:
        judge: The judge, whose settings determine which replies it reads.
        backend: Backend that queries the judge.
        backend_context: Facts about the release that the backend may know.
        path: File for the replies, which is created.
    """

    def __init__(self, judge: Judge, backend: Backend, backend_context: BackendContext, path: Path) -> None:
        self.judge, self.backend, self.backend_context = judge, backend, backend_context
        self._path = path
        self._handle = path.open("w", encoding="utf-8")
        self._verdicts: dict[str, SettledVerdict] = {}
        self._spent = TokenUsage(judge.prices)
        self.asked = self.unusable = self.errors = 0

    def close(self) -> None:
        """Close the file."""
        self._handle.close()

    def take(self, asked_question: ProtocolQuestion, attempt: JudgedReply) -> None:
        """Add a reply to the queue if the judge should read it."""
        wanted = (
            attempt.state in {"answered", "miss", "refusal"} if self.judge.asks == "all" else attempt.state == "miss"
        )
        if (
            asked_question.question is None
            or not wanted
            or attempt.read_by == "given"
            or attempt.reply_kind in DECLINED
            or not (attempt.reply or "").strip()
        ):
            return
        plain = without_pictures(asked_question.question)
        entry = {
            "id": asked_question.question.item_id,
            "task": plain.task,
            "text": plain.text,
            "reply": attempt.reply,
            "options": [[choice.key, choice.text or ""] for choice in plain.choices],
            "keys": dict(asked_question.keys),
        }
        self._handle.write(canonical_json(entry) + "\n")
        self.asked += 1

    def ask_judge(self, watched: RunProgress) -> None:
        """Ask the judge about all replies in the queue.

        Raises:
            BenchwrightError: The judge cannot be asked.
        """
        self._handle.close()
        watched.phase(f"{self.backend.name} as judge", self.asked)
        with closing(self.backend.answer(self._questions(), self.backend_context)) as replies:
            first = FirstFailures(f"{self.backend.name}, the judge,")
            for entry, reply in zip(self._entries(), replies, strict=True):
                first.add(reply)
                if reply.tokens is not None:
                    self._spent.add(reply.tokens, reply.request)
                verdict = None if reply.text is None else self._verdict(reply.text, entry)
                self.errors += reply.text is None
                self.unusable += reply.text is not None and verdict is None
                if verdict is not None:
                    letter = None if verdict.letter is None else entry["keys"][verdict.letter]
                    self._verdicts[entry["id"]] = SettledVerdict(verdict.state, letter, verdict.letter)
                watched.through()

    def settled(self, item: Item, attempts: Sequence[JudgedReply]) -> list[JudgedReply]:
        """Return attempts with the judge's verdicts; attempts without a verdict are returned unchanged."""
        return [self._settled(item, attempt) for attempt in attempts]

    def verdict_on(self, question_id: str) -> SettledVerdict | None:
        """Return the verdict on the reply to a question, or None if there is none."""
        return self._verdicts.get(question_id)

    def summary(self) -> Judging:
        """Return the judge, its settings and the counts of its verdicts."""
        states = [verdict.state for verdict in self._verdicts.values()]
        return Judging(
            model=self.backend.name,
            prompt=PROMPT_VERSION,
            asks=self.judge.asks,
            settings=dict(self.backend.settings),
            asked=self.asked,
            letters=states.count("answered"),
            refusals=states.count("refusal"),
            none=states.count("miss"),
            unusable=self.unusable,
            errors=self.errors,
            usage=self._spent.usage(),
        )

    def _settled(self, item: Item, attempt: JudgedReply) -> JudgedReply:
        verdict = self.verdict_on(f"{item.item_id}.{attempt.variant}" if attempt.variant else item.item_id)
        if verdict is None or (verdict.state == "miss" and attempt.state == "miss"):
            return attempt
        said, letter = verdict.said, verdict.letter
        return attempt._replace(
            state=verdict.state, letter=letter, said=said, right=is_right(item, letter), read_by=READ_BY
        )

    def _verdict(self, text: str, entry: dict[str, Any]) -> JudgeVerdict | None:
        keys = [key for key, _ in entry["options"]]
        if getattr(self.backend, "picks_options", False):
            text = {f"({option.key})": option.text or "" for option in verdict_options(keys)}.get(text, text)
        return verdict_in(text, keys)

    def _entries(self) -> Iterator[dict[str, Any]]:
        with self._path.open(encoding="utf-8") as handle:
            yield from map(json.loads, handle)

    def _questions(self) -> Iterator[Question]:
        for entry in self._entries():
            options = [(key, text) for key, text in entry["options"]]
            words = judge_words(entry["text"], options, entry["reply"])
            verdicts = verdict_options([key for key, _ in options])
            yield Question(f"{entry['id']}.judge", entry["task"], words, (), verdicts, message=(words,))
