"""Replies that depend on a single question, and reduced pictures, are computed once and equal recomputed ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.backends.specialists.base import ClassicalSpecialist
from benchwright.evaluation.prompting.question import Question
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.release.format.later_pictures import GroupPictures
from benchwright.workspace.item_cache import ItemCache


class Program:
    """Answers by the question's words and counts what it was asked."""

    def __init__(self, letter: str = "A") -> None:
        self.letter, self.asked = letter, Counter[str]()

    def model(self, version: int | None, **settings: Any) -> PerQuestion:
        return PerQuestion("program", self._reply, version=version, settings=settings)

    def _reply(self, question: Question, content_id: str) -> str:
        del content_id
        self.asked[question.text] += 1
        if question.text == "broken":
            raise DataError("cannot answer")
        return f"({self.letter})"


@pytest.fixture
def cache(tmp_path: Path) -> ItemCache:
    return ItemCache(tmp_path / "items.sqlite")


def test_of_a_larger_release_only_the_new_item_is_asked(bench: Any, tmp_path: Path, cache: ItemCache) -> None:
    program = Program()
    bench.add("one", answer="A")
    bench.add("two", answer="B")
    evaluate(bench.release(tmp_path / "first"), program.model(1), cache=cache)
    bench.add("three", answer="A")
    larger = bench.release(tmp_path / "second")
    score = evaluate(larger, program.model(1), out=tmp_path / "kept", cache=cache)
    assert program.asked == {"one": 1, "two": 1, "three": 1}
    assert score.right == 2
    evaluate(larger, program.model(1), out=tmp_path / "asked")
    for name in ("predictions.parquet", "score.json"):
        kept, requests = (next((tmp_path / folder).glob(f"*/{name}")).read_bytes() for folder in ("kept", "asked"))
        assert kept == requests


class Looker(ClassicalSpecialist):
    """Looks at the first picture of a question, and at nothing else."""

    name, tasks, version = "looker", frozenset({"naming"}), 1

    def fits_of(self, question: Question) -> dict[str, float]:
        return {"A": float(len(question.pictures[0].data)), "B": 0.0}


def test_pictures_to_which_a_specialist_has_answered_are_not_read_again(
    bench: Any, tmp_path: Path, cache: ItemCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    real = GroupPictures._read
    monkeypatch.setattr(GroupPictures, "_read", lambda one, group: read.append(group) or real(one, group))
    bench.add("one", answer="A")
    bench.add("two", answer="B")
    release = bench.release(tmp_path / "release")
    looker = Looker("", BackendOptions())
    for out in ("first", "again"):
        assert evaluate(release, looker, out=tmp_path / out, cache=cache).right == 1
        assert read == [0]  # the one row group, once in all
    for name in ("predictions.parquet", "score.json"):
        first, again = (next((tmp_path / out).glob(f"*/{name}")).read_bytes() for out in ("first", "again"))
        assert first == again


def test_a_changed_program_or_setting_is_asked_again(bench: Any, tmp_path: Path, cache: ItemCache) -> None:
    bench.add("one", answer="A")
    release = bench.release(tmp_path / "release")
    before, after, louder = Program("A"), Program("B"), Program("C")
    evaluate(release, before.model(1), cache=cache)
    assert evaluate(release, after.model(2), cache=cache).right == 0
    evaluate(release, louder.model(2, volume=3), cache=cache)
    assert (after.asked["one"], louder.asked["one"]) == (1, 1)


def test_a_program_that_states_no_version_is_asked_each_time(bench: Any, tmp_path: Path, cache: ItemCache) -> None:
    program = Program()
    bench.add("one", answer="A")
    release = bench.release(tmp_path / "release")
    for _ in range(2):
        evaluate(release, program.model(None), cache=cache)
    assert program.asked["one"] == 2


def test_a_question_that_failed_is_asked_again(bench: Any, tmp_path: Path, cache: ItemCache) -> None:
    program = Program()
    bench.add("broken", answer="A")
    bench.add("one", answer="A")
    release = bench.release(tmp_path / "release")
    for _ in range(2):
        assert evaluate(release, program.model(1), cache=cache).error == 1
    assert program.asked == {"broken": 2, "one": 1}


def test_another_picture_words_or_order_of_options_is_another_question(
    bench: Any, tmp_path: Path, cache: ItemCache
) -> None:
    program = Program()
    bench.add("one", answer="A", options=("x", "y"))
    evaluate(bench.release(tmp_path / "first"), program.model(1), cache=cache)
    evaluate(bench.release(tmp_path / "first"), program.model(1), protocol="shuffle:k=2", cache=cache)
    assert program.asked["one"] >= 2


@pytest.mark.slow
def test_a_report_is_the_same_with_pictures_that_were_kept(bench: Any, tmp_path: Path, cache: ItemCache) -> None:
    bench.add("one", answer="A")
    release = bench.release(tmp_path / "release")
    evaluate(release, Program().model(1), out=tmp_path / "results")
    made: list[str] = []

    class Counting(ItemCache):
        def put(self, kind: str, depends_on: Any, data: bytes) -> None:
            made.append(kind)
            super().put(kind, depends_on, data)

    pages = []
    for place in (None, tmp_path / "pictures.sqlite", tmp_path / "pictures.sqlite"):
        made.clear()
        with Counting(place) as pictures:
            write_report(tmp_path / "results", release, out=tmp_path / "report.html", cache=pictures)
        pages.append(((tmp_path / "report.html").read_bytes(), len(made)))
    assert pages[0] == pages[1]
    assert pages[2] == (pages[0][0], 0)
    assert pages[0][1] > 0
