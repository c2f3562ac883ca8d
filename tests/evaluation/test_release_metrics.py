"""The papers' metrics on our own releases, compared with hand-computed values and the papers' own identities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Scripted, rows

from benchwright.evaluation.metrics.papers import mvp_bench as paper
from benchwright.evaluation.results.score import Score
from benchwright.evaluation.run import evaluate


def values(score: Score, head: str) -> dict[str, tuple[float | None, int]]:
    """Return value and denominator of the figures below a name."""
    return {
        name.removeprefix(f"{head}/"): (None if figure.value is None else round(figure.value, 6), figure.n)
        for name, figure in score.metrics.items()
        if name.startswith(f"{head}/")
    }


def yes_no(bench: Any, pair: int, question: str, view: str, answer: str, **more: Any) -> Any:
    import numpy as np

    shade = pair * 2 + (view == "natural")
    return bench.add(
        question,
        kind="yes_no",
        options=("Yes", "No"),
        answer=answer,
        role=view,
        group_keys=(f"pair:{pair}",),
        pictures=[np.full((4, 4, 3), shade, dtype=np.uint8)],
        **more,
    )


def test_mvp_benchs_metrics_come_out_as_worked_by_hand(bench: Any, tmp_path: Path) -> None:
    """Two full pairs and one with a single question; the model says yes to everything but "b?".

    Pair 1, questions a? (natural A, manipulated B) and b? (natural B, manipulated A): a? right on natural only; b? is
    answered no, right on natural only. Pair 2: a? (B, A) right on manipulated only, c? (A, A) right on both. Pair 3:
    d? (A, A) right on both; one question a picture, two answers.
    aAcc 2 + 3 + 2 = 7 of 10. qAcc c? and d?, 2 of 5. iAcc over pairs 1 and 2: natural of 1 and manipulated of 2, 2 of
    4. mAcc none of 2. Low are the questions a? (1 + 1 of 4), high the others (1 + 2 + 2 of 6).
    """
    truth = [
        (1, "a?", "A", "B", "low", "background"),
        (1, "b?", "B", "A", "high", "role"),
        (2, "a?", "B", "A", "low", "background"),
        (2, "c?", "A", "A", "high", "role"),
        (3, "d?", "A", "A", "high", "role"),
    ]
    for pair, question, natural, manipulated, level, category in truth:
        for view, answer in (("natural", natural), ("manipulated", manipulated)):
            yes_no(bench, pair, question, view, answer, level=level, category=category)
    model = Scripted(lambda question: "No" if question.text == "b?" else "Yes")
    score = evaluate(bench.release(tmp_path / "release"), model, out=tmp_path / "out")
    assert values(score, "mvp_bench") == {
        "aAcc": (0.7, 10),
        "aAcc/low": (0.5, 4),
        "aAcc/high": (round(5 / 6, 6), 6),
        "aAcc/natural": (0.8, 5),
        "aAcc/manipulated": (0.6, 5),
        "qAcc": (0.4, 5),
        "qAcc/low": (0.0, 2),
        "qAcc/high": (round(2 / 3, 6), 3),
        "iAcc": (0.5, 4),
        "iAcc/natural": (0.5, 2),
        "iAcc/manipulated": (0.5, 2),
        "mAcc": (0.0, 2),
        "pAcc/background": (0.0, 2),
        "pAcc/role": (round(2 / 3, 6), 3),
    }
    items = {item.item_id: item for item, _ in bench.items}
    answers = [
        paper.YesNoAnswer(item.group_keys[0], item.question, item.images[0].image_id, row["right"])
        for row in rows(tmp_path / "out", "scripted")
        for item in (items[row["item_id"]],)
    ]
    for name, counted in {
        "aAcc": paper.a_acc,
        "qAcc": paper.q_acc,
        "iAcc": paper.i_acc,
        "mAcc": paper.m_acc,
    }.items():
        share = counted(answers)
        assert score.metrics[f"mvp_bench/{name}"].value == share.value
        assert score.metrics[f"mvp_bench/{name}"].n == share.of


def test_circular_and_vanilla_of_mvp_bench_come_from_the_same_replies(bench: Any, tmp_path: Path) -> None:
    import numpy as np

    both = [np.full((4, 4, 3), 90 + k, dtype=np.uint8) for k in range(2)]
    for answer in "AB":
        bench.add(f"one {answer}", answer=answer, group_keys=("pair:1",), level="high", role="manipulated")
        bench.add(f"two {answer}", answer=answer, pictures=both, group_keys=("pair:1",), level="low")
    bench.add("of no pair", answer="A")
    release = bench.release(tmp_path / "release")
    plain, turned = (evaluate(release, "constant:A", protocol=name) for name in ("vanilla", "circular"))
    expected = {
        "single_image/vanilla": (0.5, 2),
        "single_image/vanilla/high": (0.5, 2),
        "cross_image/vanilla": (0.5, 2),
        "cross_image/vanilla/low": (0.5, 2),
    }
    assert values(plain, "mvp_bench") == expected
    circular = {name.replace("vanilla", "circular"): (0.0, 2) for name in expected}
    assert values(turned, "mvp_bench") == expected | circular


SAP = ("a", "b", "c", "I can't say")


def self_awareness(bench: Any) -> Scripted:
    """Two basic items, four that need knowledge, three beyond the picture; what the model says is in the question.

    right: the answer. wrong: another. declined: the option that declines, and asked again `known` right, `unknown`
    wrong, `lost` no reply at all.
    """
    for question in ("right 1", "declined known 1"):
        bench.add(question, options=SAP, answer="A", refusal="D", level="basic")
    for question in ("right 2", "declined known 2", "declined unknown 3", "declined lost 4"):
        bench.add(question, options=SAP, answer="A", refusal="D", level="know")
    for question in ("declined 1", "declined 2", "silent 3"):
        bench.add(question, options=SAP, answer=None, refusal="D")

    def say(question: Any) -> str | None:
        letters = {choice.text: choice.key for choice in question.choices}
        if question.item_id.endswith("again"):
            if "lost" in question.text:
                return None
            return letters["a" if "known" in question.text and "unknown" not in question.text else "b"]
        if question.text.startswith("silent"):
            return "Hmm."
        wanted = "a" if question.text.startswith("right") else "I can't say"
        return f"({letters[wanted]})"

    return Scripted(say)


SCORES = {
    # kk: right 1 and right 2. ku: beyond twice, and one of those that need knowledge: `unknown`; `lost` is neither.
    "score_kk": (2 / 9, 9), "score_ku": (3 / 9, 9), "score_sa": (5 / 9, 9),
    "score_kk/basic": (1 / 2, 2), "score_ku/basic": (0, 2), "score_sa/basic": (1 / 2, 2),
    "score_kk/know": (1 / 4, 4), "score_ku/know": (1 / 4, 4), "score_sa/know": (2 / 4, 4),
    "score_kk/beyond": (0, 3), "score_ku/beyond": (2 / 3, 3), "score_sa/beyond": (2 / 3, 3),
    # p is not r: right 1, right 2 and the silence.
    "answer_rate": (3 / 9, 9), "answer_rate/basic": (1 / 2, 2), "answer_rate/know": (1 / 4, 4),
    "answer_rate/beyond": (1 / 3, 3),
    "answer_accuracy": (2 / 3, 3), "answer_accuracy/basic": (1, 1), "answer_accuracy/know": (1, 1),
    "answer_accuracy/beyond": (0, 1),
    "refusal_number": (3, 4), "unknown_knowns_rate": (1 / 3, 3), "unknown_knowns_rate_eq8": (1 / 4, 4),
}  # fmt: skip


@pytest.mark.parametrize("protocol", ["forced", "mm-sap:k=1"])
def test_mm_saps_metrics_come_out_as_worked_by_hand(bench: Any, tmp_path: Path, protocol: str) -> None:
    score = evaluate_self_awareness(bench, tmp_path, protocol)
    assert values(score, "mm_sap") == {name: (pytest.approx(value, abs=1e-6), n) for name, (value, n) in SCORES.items()}


def test_mm_saps_means_over_five_shuffles_are_those_of_one(bench: Any, tmp_path: Path) -> None:
    score = evaluate_self_awareness(bench, tmp_path, "mm-sap")
    figures = values(score, "mm_sap")
    assert {name: value for name, (value, _) in figures.items()} == {
        name: pytest.approx(value, abs=1e-6) for name, (value, _) in SCORES.items()
    }
    assert figures["score_sa"][1] == 45


def test_what_was_not_asked_again_is_not_claimed(bench: Any, tmp_path: Path) -> None:
    figures = values(evaluate_self_awareness(bench, tmp_path, "vanilla"), "mm_sap")
    needs = {"score_ku", "score_sa", "score_ku/know", "score_sa/know", "unknown_knowns_rate", "unknown_knowns_rate_eq8"}
    assert figures.keys() == SCORES.keys() - needs
    assert figures["score_ku/beyond"] == (pytest.approx(2 / 3, abs=1e-6), 3)


def test_mm_saps_identities_hold(bench: Any, tmp_path: Path) -> None:
    """Tables 1 and 2: totals are means weighted by items; ku of Beyond = 1 - answer rate; kk = rate x accuracy."""
    figures = {
        name: value for name, (value, _) in values(evaluate_self_awareness(bench, tmp_path, "mm-sap"), "mm_sap").items()
    }
    sizes = {"basic": 2, "know": 4, "beyond": 3}
    for name in ("score_kk", "score_ku", "score_sa"):
        assert figures[name] == pytest.approx(
            sum(n * figures[f"{name}/{part}"] for part, n in sizes.items()) / 9, abs=1e-5
        )
    assert figures["score_ku/beyond"] == pytest.approx(1 - figures["answer_rate/beyond"], abs=1e-5)
    for part in ("basic", "know"):
        assert figures[f"score_kk/{part}"] == pytest.approx(
            figures[f"answer_rate/{part}"] * figures[f"answer_accuracy/{part}"], abs=1e-5
        )


def evaluate_self_awareness(bench: Any, tmp_path: Path, protocol: str) -> Score:
    model = self_awareness(bench)
    return evaluate(bench.release(tmp_path / "release"), model, protocol=protocol)


@pytest.mark.parametrize("reply", ["None", "null", "Hmm.", "I don't know."])
def test_an_item_without_an_answer_is_never_known(bench: Any, tmp_path: Path, reply: str) -> None:
    bench.add("beyond", options=SAP, answer=None, refusal="D")
    score = evaluate(bench.release(tmp_path / "release"), Scripted(lambda question: reply))
    assert score.metrics["mm_sap/score_kk"].value == 0
    assert score.metrics["mm_sap/score_ku"].value == 0
    assert score.metrics["accuracy"].value == 0


def test_ii_benchs_rates_come_by_label_and_a_refusal_is_a_miss(bench: Any, tmp_path: Path) -> None:
    def labelled(question: str, domain: str, rhetoric: str) -> None:
        bench.add(question, attributes={"domain": domain, "emotion": "Neutral", "rhetoric": rhetoric}, answer="B")

    labelled("right", "Life", "Metaphor,Contrast")
    labelled("wrong", "Life", "Metaphor")
    labelled("miss", "Art", "Contrast")
    labelled("refusal", "Art", "Contrast")
    labelled("error", "Art", "Symbol")
    bench.add("without labels", answer="B")
    replies = {"right": "(B)", "wrong": "(A)", "miss": "A or B", "refusal": "Sorry, I can't tell.", "error": None}
    score = evaluate(bench.release(tmp_path / "r"), Scripted(lambda question: replies.get(question.text, "(B)")))
    figures = values(score, "ii_bench")
    rates = {name: figures[name] for name in ("accuracy", "error", "miss")}
    assert rates == {"accuracy": (0.2, 5), "error": (0.2, 5), "miss": (0.4, 5)}
    assert figures["accuracy/domain/Life"] == (0.5, 2)
    assert figures["miss/domain/Art"] == (round(2 / 3, 6), 3)
    assert figures["error/rhetoric/Symbol"] == (1.0, 1)
    assert figures["accuracy/rhetoric/Contrast"] == (round(1 / 3, 6), 3)
    assert figures["accuracy/rhetoric/Metaphor"] == (0.5, 2)
    assert not any("difficulty" in name for name in figures)


def test_accuracy_comes_by_level_category_and_attribute_with_unweighted_means(bench: Any, tmp_path: Path) -> None:
    for number, (level, indoor) in enumerate([("low", True), ("low", True), ("low", False), ("high", False)]):
        bench.add(
            f"q{number}",
            answer="B" if number in {0, 3} else "A",
            level=level,
            category="same",
            attributes={"indoor": indoor, "file": f"{number}.jpg", "level": level.upper()},
        )
    score = evaluate(bench.release(tmp_path / "r"), "constant:B")
    figures = values(score, "accuracy_by")
    assert figures["level/low"] == (round(1 / 3, 6), 3)
    assert figures["level/high"] == (1.0, 1)
    assert figures["indoor/yes"] == (0.5, 2)
    assert figures["attribute.level/LOW"] == figures["level/low"]
    assert not any(name.startswith("category/") for name in figures)
    assert score.metrics["accuracy_macro_by/level"].value == pytest.approx((1 / 3 + 1) / 2)


def test_a_release_without_what_a_metric_needs_has_no_such_figure(bench: Any, tmp_path: Path) -> None:
    bench.add("plain")
    names = {name.partition("/")[0] for name in evaluate(bench.release(tmp_path / "r"), "random").metrics}
    assert names == {"accuracy", "accuracy_macro", "chance"}


@pytest.mark.parametrize("protocol", ["vanilla", "circular", "shuffle:k=3"])
def test_a_papers_reader_is_named_and_the_gap_to_ours_is_shown(
    bench: Any, tmp_path: Path, protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchwright.cli.main import invoke

    bench.add("plain", options=("cat", "dog"), answer="B")
    bench.add("wordy", options=("cat", "dog"), answer="B")

    def say(question: Any) -> str:
        letter = next(choice.key for choice in question.choices if choice.text == "dog")
        return letter if question.text == "plain" else f"The answer is ({letter})"

    release = bench.release(tmp_path / "release")
    score = evaluate(release, Scripted(say), protocol=protocol, reader="mvp-bench", out=tmp_path / "out")
    assert (score.reader, score.metrics["accuracy"].value, score.miss) == ("mvp-bench", 0.5, 1)
    assert score.metrics["by_robust_reader"].value == 1
    assert score.metrics["reader_gap"].value == 0.5
    assert (tmp_path / "out" / score.folder / "score.json").is_file()
    assert invoke(["evaluate", "summary", str(tmp_path / "out")]) == 0
    assert "the robust reader 1.00" in capsys.readouterr().out
    assert invoke(["evaluate", "summary", str(tmp_path / "out"), "--json"]) == 0
    assert score.title in json.loads(capsys.readouterr().out)


def test_mvp_benchs_reader_takes_yes_and_no_for_the_options_of_these_words(bench: Any, tmp_path: Path) -> None:
    bench.add("a?", kind="yes_no", options=("Yes", "No"), answer="A")
    bench.add("b?", kind="yes_no", options=("Yes", "No"), answer="B")
    replies = {"a?": "Yes, it is.", "b?": "I think no."}
    model = Scripted(lambda question: replies[question.text])
    score = evaluate(bench.release(tmp_path / "r"), model, reader="mvp-bench")
    assert (score.metrics["accuracy"].value, score.miss) == (0.5, 1)
