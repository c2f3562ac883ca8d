"""Baselines that see no pictures: the longest option, and a classifier that learns from the words alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.diagnostics.shortcuts.text_only_baseline import FOLDS, ItemWords, folds_of
from benchwright.evaluation.backends.base import BackendContext, LabelledQuestion, parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.prompting.question import Question
from benchwright.evaluation.run import evaluate
from benchwright.records import LETTERS, Choice


def question(number: int, *texts: str | None) -> Question:
    choices = tuple(
        Choice(key=key, text=text) if text is not None else Choice(key=key, image_id="0" * 64)
        for key, text in zip(LETTERS, texts, strict=False)
    )
    return Question(f"{number:032x}", "naming", f"Which is number {number}?", (), choices)


def replies(model: str, questions: list[Question], labels: list[LabelledQuestion]) -> list[str | None]:
    context = BackendContext(release_id="r", content_id="c", item_ids=frozenset, labelled=lambda: labels)
    return [reply.text for reply in parse_model(model, BackendOptions()).answer(questions, context)]


def test_longest_picks_the_option_with_the_most_characters_and_of_equals_the_first() -> None:
    questions = [
        question(1, "a cat", "a spotted dog", "a bird"),
        question(2, "cat", "dog", "owl"),
        question(3, None, None),
        question(4, "   cat      ", "horse"),
    ]
    assert replies("longest", questions, []) == ["(B)", "(A)", "(A)", "(B)"]


def labelled(count: int, *, tell: bool, rng: np.random.Generator, groups: int = 0) -> list[LabelledQuestion]:
    """Return questions whose right option holds the word "clearly", or is drawn without any tell."""
    questions = []
    for number in range(count):
        right = int(rng.integers(4))
        nouns = [f"thing {rng.integers(50)}" for _ in range(4)]
        if tell:
            nouns[right] = f"clearly {nouns[right]}"
        keys = (f"group {number % groups}",) if groups else ()
        questions.append(LabelledQuestion(question(number, *nouns), LETTERS[right], keys))
    return questions


def share(letters: list[str | None], labels: list[LabelledQuestion]) -> float:
    return sum(text == f"({label.key})" for text, label in zip(letters, labels, strict=True)) / len(labels)


def test_a_tell_in_the_words_is_found() -> None:
    labels = labelled(200, tell=True, rng=np.random.default_rng(1))
    assert share(replies("text_classifier", [label.question for label in labels], labels), labels) > 0.95


@pytest.mark.slow
def test_without_a_tell_it_stays_at_chance_because_it_never_sees_the_item_that_it_answers() -> None:
    labels = labelled(800, tell=False, rng=np.random.default_rng(2))
    reached = share(replies("text_classifier", [label.question for label in labels], labels), labels)
    assert abs(reached - 0.25) < 3.5 * (0.25 * 0.75 / 800) ** 0.5


def test_items_that_share_a_group_teach_nothing_about_one_another() -> None:
    """Each group repeats one question; a learner of its twin would know the key."""
    rng = np.random.default_rng(3)
    labels = []
    for number, label in enumerate(labelled(150, tell=False, rng=rng)):
        for copy in range(2):
            texts = [f"thing{number}x{place}" for place in range(4)]
            twin = question(2 * int(label.question.item_id, 16) + copy, *texts)
            labels.append(LabelledQuestion(twin, label.key, (label.question.item_id,)))
    apart = share(replies("text_classifier", [label.question for label in labels], labels), labels)
    mixed = [LabelledQuestion(label.question, label.key, ()) for label in labels]
    together = share(replies("text_classifier", [label.question for label in labels], mixed), mixed)
    assert apart < 0.4
    assert together > apart + 0.2


def test_folds_keep_groups_whole_and_are_about_equally_large() -> None:
    labels = labelled(203, tell=False, rng=np.random.default_rng(4), groups=41)
    labels.append(LabelledQuestion(question(999, "a", "b"), "A", ("group 1", "group 2")))  # joins two groups
    folds = folds_of(
        [ItemWords(label.question.item_id, "naming", "", (), label.key, label.group_keys) for label in labels]
    )
    for key in {key for label in labels for key in label.group_keys}:
        assert len({fold for label, fold in zip(labels, folds, strict=True) if key in label.group_keys}) == 1
    sizes = [folds.count(fold) for fold in range(FOLDS)]
    assert max(sizes) - min(sizes) <= 11
    assert folds[LABEL_1] == folds[LABEL_2]


LABEL_1, LABEL_2 = 1, 2
"""Items 1 and 2 are of groups 1 and 2, which the last item joins."""


def test_the_same_release_gives_the_same_bytes(bench: Any, tmp_path: Path) -> None:
    for number in range(30):
        bench.add(f"question {number}", options=("a cat", "clearly a dog", "a bird"))
    release = bench.release(tmp_path / "release")
    written = []
    for name in ("one", "two"):
        score = evaluate(release, "text_classifier", out=tmp_path / name)
        assert score.metrics["accuracy"].value == 1.0
        written.append((tmp_path / name / "text_classifier" / "predictions.parquet").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("model", ["longest", "text_classifier", "random"])
def test_items_without_a_right_option_are_answered_too(bench: Any, tmp_path: Path, model: str) -> None:
    bench.add("Nobody knows", answer=None)
    bench.add("What does not show?", answer=None, refusal="C", options=("a cat", "a dog", "it cannot be seen"))
    score = evaluate(bench.release(tmp_path / "release"), model)
    assert (score.asked, score.miss, score.error) == (2, 0, 0)


def test_the_score_of_random_holds_its_exact_expectation_beside_the_draw(bench: Any, tmp_path: Path) -> None:
    bench.add("two", options=("a cat", "a dog"))
    bench.add("three")
    bench.add("nobody knows", answer=None)
    score = evaluate(bench.release(tmp_path / "release"), "random")
    named = score.settings["backend"]["expected_accuracy"]
    # An even draw is right with 1/2, 1/3 and 0.
    assert score.metrics[named].value == pytest.approx((1 / 2 + 1 / 3 + 0) / 3)
    assert score.metrics["accuracy"].value is not None
