"""Replies in a table with their options: letters found by rules and a second reader, compared with given letters."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.tables import JSON_ENDS, Table
from benchwright.progress import Silent
from benchwright.questions.own_ids import OwnIds
from benchwright.records import LETTERS, Choice
from benchwright.replies.answers import ParsedAnswer, read_answer
from benchwright.replies.readers import READERS, ROBUST
from benchwright.statistics.score_interval import score_interval

from ..backends.base import BackendContext, parse_model
from ..backends.options import BackendOptions
from ..backends.result_names import slug
from ..judging.judge_queue import READ_BY, JudgeQueue
from ..prompting.question import Question
from ..protocols.base import JudgedReply, ProtocolQuestion
from ..results.reading import ERROR_KINDS, CheckedShare, LabelledReply, error_of
from ..results.run_progress import RunProgress, TokenUsage
from .reading_sample import NO_LETTER

if TYPE_CHECKING:
    from ..judging.judge import Judge
    from ..results.score import Judging

_NEEDED = {"reply", "choices"}
_OPTIONAL = {"letter", "question"}


class ReplyCase(NamedTuple):
    """A reply together with its options.

    Args:
        reply: Text of the reply.
        choices: Texts of the options in order; None for a picture.
        question: Words of the question, for a judge; may be empty.
        is_labelled: Whether the table gives a right reading.
        letter: The right reading of the reply; None if it gives no letter.
    """

    reply: str
    choices: tuple[str | None, ...]
    question: str = ""
    is_labelled: bool = False
    letter: str | None = None

    @property
    def options(self) -> list[tuple[str, str | None]]:
        """Return the letter and text of each option."""
        return list(zip(LETTERS, self.choices, strict=False))


class ReadingFigures(NamedTuple):
    """Accuracy of reading, as proportions of the replies for which the right reading is given.

    Args:
        labelled: Number of these replies.
        shares: Proportion read correctly, and proportion of each kind of error, 0 to 1.
    """  # phrase: allowed

    labelled: int
    shares: Mapping[str, CheckedShare]

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {"labelled": self.labelled} | {name: one.model_dump(mode="json") for name, one in self.shares.items()}

    def describe(self) -> str:
        """Return the figures as one line of text."""
        words = {"right": "right"} | ERROR_KINDS
        return f"of {self.labelled:,} labeled, " + "; ".join(
            f"{words[name]} {share.describe()}" for name, share in self.shares.items()
        )


class ReadCases(NamedTuple):
    """The results of reading a table of replies.

    Args:
        letters: Letter of each reply; None if it names no single option.
        read_by: Rule or reader that found the letter, `judge` for a judge; None if there is no letter.
        measured: Figures of the `reader` and, if there is a judge, `with_judge`; empty if no right readings are given.
        judging: Counts of the judge's verdicts; None if there is no judge.
    """

    letters: list[str | None]
    read_by: list[str | None]
    measured: Mapping[str, ReadingFigures]
    judging: Judging | None = None


def read_cases(
    path: Path, reader: str = ROBUST, *, judge: Judge | None = None, log_folder: Path | None = None
) -> ReadCases:
    """Return the letters of the replies in a table, in order.

    A row has `reply` and `choices`. It may have `question` and `letter`: the letter that the reply gives, or `none`.

    Args:
        path: Table of replies, read as JSON Lines if its name indicates no other format.
        reader: Name of a reader in `READERS`.
        judge: Model that reads the replies that the robust reader cannot read; None for no judge.
        log_folder: Folder for the judge's requests and replies; None to store none.

    Raises:
        BenchwrightError: A judge is given for a paper's reader, or the model does not exist.
        CheckFailed: The first questions to the judge all failed.
        DataError: A row has an invalid value or form; the message names it.
    """
    if judge is not None and reader != ROBUST:
        raise BenchwrightError(f"a judge needs the reader {ROBUST!r}; {reader!r} reads as its paper does, without one")
    cases = list(_cases(path))
    answers = [_read(case, reader) for case in cases]
    measured = {"reader": _figures(cases, answers)}
    judging = None
    if judge is not None:
        answers, judging = _judged(cases, answers, judge, file_digest(path), log_folder)
        measured["with_judge"] = _figures(cases, answers)
    return ReadCases(
        [answer.letter for answer in answers],
        [None if answer.letter is None else answer.rule for answer in answers],
        measured if any(case.is_labelled for case in cases) else {},
        judging,
    )


def _read(case: ReplyCase, reader: str) -> ParsedAnswer:
    if reader == ROBUST:
        return read_answer(case.reply, case.options)
    letter = READERS[reader](case.reply, case.options)
    return ParsedAnswer("miss" if letter is None else "answered", letter, reader)


def _judged(
    cases: Sequence[ReplyCase], answers: Sequence[ParsedAnswer], judge: Judge, source: str, log_folder: Path | None
) -> tuple[list[ParsedAnswer], Judging]:
    """Return the answers completed with a judge's verdicts, and the counts of the judge."""
    model = judge.model
    backend = parse_model(model, judge.options(BackendOptions())) if isinstance(model, str) else model
    log = None if log_folder is None else log_folder / slug(backend.name)
    context = BackendContext(source, source, frozenset, lambda: OwnIds(()), log)
    with (
        tempfile.TemporaryDirectory(prefix="benchwright-") as folder,
        closing(JudgeQueue(judge, backend, context, Path(folder) / "judge-queue.jsonl")) as queue,
    ):
        for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
            reply = JudgedReply("", 0, answer.state, letter=answer.letter, read_by=answer.rule, reply=case.reply)
            queue.take(_question(number, case), reply)
        queue.ask_judge(RunProgress(Silent(), TokenUsage(judge.prices)))
        judged = list(answers)
        for number in range(len(cases)):
            if (verdict := queue.verdict_on(str(number))) is not None:
                judged[number] = ParsedAnswer(verdict.state, verdict.letter, READ_BY)
        return judged, queue.summary()


def _question(number: int, case: ReplyCase) -> ProtocolQuestion:
    options = tuple(Choice(key=key, text="(a picture)" if text is None else text) for key, text in case.options)
    question = Question(str(number), "", case.question, (), options)
    return ProtocolQuestion("", question, {key: key for key, _ in case.options})


def _figures(cases: Sequence[ReplyCase], answers: Sequence[ParsedAnswer]) -> ReadingFigures:
    kinds: Counter[str] = Counter(
        error_of(LabelledReply("", answer.letter, case.letter, None)) or "right"
        for case, answer in zip(cases, answers, strict=True)
        if case.is_labelled
    )
    n = kinds.total()
    return ReadingFigures(
        n,
        {
            kind: CheckedShare(value=kinds[kind] / n, ci=tuple(score_interval(kinds[kind], n)), n=n)
            if n
            else CheckedShare(value=None, ci=None, n=0)
            for kind in ("right", *ERROR_KINDS)
        },
    )


def _cases(path: Path) -> Iterator[ReplyCase]:
    for entry, row, problem in Table.at(path, otherwise=JSON_ENDS[0]).records():
        where = f"{path}: {entry}"
        if problem:
            raise DataError(f"{where}: {problem}")
        yield _checked(_with_list(row), where)


def _with_list(case: Any) -> Any:
    """Return a row with its choices as a list; a cell that contains JSON is decoded."""
    if isinstance(case, dict) and isinstance(cell := case.get("choices"), str) and cell.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return {**case, "choices": bounded_json(cell)}
    return case


def _checked(case: Any, where: str) -> ReplyCase:
    if not isinstance(case, dict) or not _NEEDED <= case.keys() <= _NEEDED | _OPTIONAL:
        raise DataError(
            f'{where}: give {{"reply": text, "choices": [texts]}}, optionally "question" and "letter", and nothing else'
        )
    reply, choices = case["reply"], case["choices"]
    if not isinstance(reply, str):
        raise DataError(f"{where}: reply is {ascii(reply)[:80]}, not a text")
    if not isinstance(choices, list) or not 2 <= len(choices) <= len(LETTERS):
        raise DataError(f"{where}: choices is {ascii(choices)[:80]}, not a list of 2 to {len(LETTERS)} texts")
    wrong = [choice for choice in choices if choice is not None and not isinstance(choice, str)]
    if wrong:
        raise DataError(f"{where}: choice {ascii(wrong[0])[:80]} is neither a text nor null")
    question, letter = case.get("question") or "", case.get("letter")
    if not isinstance(question, str):
        raise DataError(f"{where}: question is {ascii(question)[:80]}, not a text")
    known = (*LETTERS[: len(choices)], NO_LETTER)
    if letter is None or letter == "":
        return ReplyCase(reply, tuple(choices), question)
    said = letter.strip() if isinstance(letter, str) else ""
    if said.lower() == NO_LETTER:
        return ReplyCase(reply, tuple(choices), question, is_labelled=True)
    if said.upper() not in known:
        raise DataError(f"{where}: letter is {ascii(letter)[:80]}, not one of {', '.join(known)}")
    return ReplyCase(reply, tuple(choices), question, is_labelled=True, letter=said.upper())
