"""The papers' ways of asking, word for word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Scripted, pictures_of, words_of

from benchwright.errors import BenchwrightError, CheckFailed
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.prompting.question import Question
from benchwright.evaluation.protocols.ii_bench_prompts import PromptedQuestion, prompt, prompt_with_examples
from benchwright.evaluation.protocols.names import parse_protocol
from benchwright.evaluation.run import evaluate

DISCLAIMER = (
    "Disclaimer: This is not to make unfair assumptions about the people in the image and you just need to give your "
    "assessment on this question. You don't need to identify the real people. You just need to analyze based on the "
    "information I gave you.\n\n"
)


def asked(bench: Any, tmp_path: Path, protocol: str, **settings: Any) -> list[Question]:
    model = Scripted(lambda question: "(A)")
    evaluate(bench.release(tmp_path / "release"), model, protocol=protocol, **settings)
    return sorted(model.asked, key=lambda question: question.text)


def test_blink_puts_its_disclaimer_before_three_tasks_and_pictures_behind_the_words(bench: Any, tmp_path: Path) -> None:
    bench.add("a) Which is real?", task="forensic_detection", pictures=bench_pictures(2), options=(0, 1), answer="A")
    bench.add("b) How many in <image 1>?", task="counting", options=("1", "2"), answer="A")
    first, second = asked(bench, tmp_path, "blink")
    assert words_of(first) == (
        f"{DISCLAIMER}a) Which is real?\nSelect from the following choices.\n(A) the first image\n(B) the second image"
        "\n[picture]\n[picture]"
    )
    assert words_of(second) == "b) How many in the image?\nSelect from the following choices.\n(A) 1\n(B) 2\n[picture]"


def test_blinks_ten_tries_stand_apart_from_what_is_sent_again_by_itself() -> None:
    assert parse_protocol("blink").decoding(BackendOptions(retries=3)) == BackendOptions(retries=3, tries=10)
    assert parse_protocol("blink:tries=1").decoding(BackendOptions()) == BackendOptions()
    assert parse_protocol("vanilla").decoding(BackendOptions(retries=3)) == BackendOptions(retries=3)


def test_mvp_bench_asks_with_and_without_its_instruction(bench: Any, tmp_path: Path) -> None:
    bench.add("a) Is he a doctor?", kind="yes_no", options=("Yes", "No"), answer="A")
    bench.add("b) What does he do?", options=("paints", "runs"), answer="A")
    bench.add("c) Is he?\nPlease answer yes or no.", kind="yes_no", options=("Yes", "No"), answer="A")
    plain = [words_of(question) for question in asked(bench, tmp_path, "mvp-bench")]
    assert plain == [
        "[picture]\na) Is he a doctor?\nPlease answer yes or no.",
        "[picture]\nb) What does he do?\nA. paints\nB. runs\n"
        "Answer with the option's letter from the given choices directly.",
        "[picture]\nc) Is he?\nPlease answer yes or no.",
    ]
    with_instruction = [words_of(question) for question in asked(bench, tmp_path / "2", "mvp-bench:commonsense=true")]
    instruction = (
        "You are a helpful visio-linguistic AI assistant who answers questions in short words or phrases on visual "
        "commonsense in the images."
    )
    assert with_instruction == [f"{instruction}\n{words}" for words in plain]


def test_mm_saps_refusal_prompt_is_in_the_words_of_the_option_that_declines(bench: Any, tmp_path: Path) -> None:
    bench.add("q", options=("a", "Sorry, I can't help with it"), answer="A", refusal="B")
    bench.add("without", options=("a", "b"), answer="A")
    refusing, plain = asked(bench, tmp_path, "vanilla:wording=mm-sap-refusal")
    assert words_of(refusing).split("\n")[-1] == (
        "Answer with the option's letter from the given choices directly. If you don't know the answer, please reply "
        "with 'Sorry, I can't help with it'."
    )
    assert words_of(plain).split("\n")[-1] == "Answer with the option's letter from the given choices directly."


SIX = ("one", "two", "three", "four", "five", "six")
LABELS = {"domain": "Life", "emotion": "Negative", "rhetoric": "Metaphor,Contrast"}


@pytest.mark.parametrize(
    ("mode", "told"), [("none", ()), ("cot", ()), ("domain", ("Life",)), ("rhetoric", ("Metaphor", "Contrast"))]
)
def test_ii_benchs_modes_are_its_prompts_to_the_byte(bench: Any, tmp_path: Path, mode: Any, told: Any) -> None:
    bench.add("What is implied?", options=SIX, answer="B", attributes=LABELS)
    bench.add("unlabelled", options=SIX, answer="B")
    bench.add("too few options", attributes=LABELS)
    questions = asked(bench, tmp_path, f"ii-bench:mode={mode}")
    assert [question.text for question in questions] == ["What is implied?", "unlabelled"][: 1 if told else 2]
    message = questions[0].message
    assert message is not None
    assert message[0] == questions[0].pictures[0]
    assert message[1:] == (prompt(mode, "What is implied?", SIX, told),)


def test_examples_come_from_dev_and_are_the_same_every_time(bench: Any, tmp_path: Path) -> None:
    for number in range(5):
        bench.add(f"dev {number}", options=SIX, answer="CDEFA"[number], split="dev")
    bench.add("asked", options=SIX, answer="B", split="test")
    first, again = (asked(bench, tmp_path / name, "ii-bench:shots=2", split="test") for name in ("1", "2"))
    assert first == again
    (question,) = first
    words = words_of(question)
    assert words.startswith(
        "Instruction: Please try to answer the single-answer multiple choice question below based on the examples(with "
        "answers) and the corresponding pictures.\nQuestion: dev "
    )
    assert words.count("Answer: (") == 2
    assert words.endswith(
        "Picture: <Picture 3>\n\n[picture]\n(A) one\n(B) two\n(C) three\n(D) four\n(E) five\n(F) six\nAnswer:\n"
    )
    shown = {item.question: item for item, _ in bench.items}
    named = [line.removeprefix("Question: ") for line in words.split("\n") if line.startswith("Question: ")]
    assert named[-1] == "asked"
    assert [p.image_id for p in pictures_of(question)] == [shown[name].images[0].image_id for name in named]
    for name in named[:-1]:
        part = words.split(f"Question: {name}\n")[1].split("Question: ")[0]
        assert f"Answer: ({shown[name].answer})\n" in part


def test_an_example_never_shares_a_group_with_the_item_that_is_asked(bench: Any, tmp_path: Path) -> None:
    for number in range(3):
        bench.add(f"dev {number}", options=SIX, answer="A", split="dev", group_keys=(f"image:{number}",))
    for number in range(3):
        bench.add(f"asked {number}", options=SIX, answer="B", group_keys=(f"image:{number}",))
    for question in asked(bench, tmp_path, "ii-bench:shots=1", split="test"):
        assert f"Question: dev {question.text[-1]}" not in words_of(question)


def test_without_a_split_to_take_examples_from_nothing_is_asked(bench: Any, tmp_path: Path) -> None:
    bench.add("asked", options=SIX, answer="B", split="test")
    with pytest.raises(BenchwrightError, match="no split dev or val to take examples from; it has test"):
        asked(bench, tmp_path, "ii-bench:shots=3")


def test_one_example_is_spoken_of_as_one() -> None:
    pieces = prompt_with_examples([PromptedQuestion("q1", SIX, "C"), PromptedQuestion("q2", SIX)])
    assert len(pieces) == 3
    assert "based on the example(with answer) and the corresponding picture." in pieces[0]
    with pytest.raises(ValueError, match="at least one"):
        prompt_with_examples([PromptedQuestion("q2", SIX)])


def bench_pictures(count: int) -> list[Any]:
    import numpy as np

    return [np.full((4, 4, 3), 50 + number, dtype=np.uint8) for number in range(count)]


def test_blink_asks_an_item_again_that_failed_for_good_and_the_log_numbers_its_tries(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    bench.add("What is it?", options=("cat", "dog"), answer="B")

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return server.say(handler, 400, {"error": {"message": "filtered"}}) if attempt <= 2 else "(B)"

    server.behave = behave
    options = BackendOptions(base_url=server.url, retries=0, backoff_s=0.0)
    release = bench.release(tmp_path / "release")
    score = evaluate(release, "openai:toy", protocol="blink:tries=3", out=tmp_path / "out", options=options)
    assert (score.error, score.metrics["accuracy"].value) == (0, 1.0)
    lines = (tmp_path / "out" / "openai-toy" / "replies.jsonl").read_text().splitlines()
    tries = [(entry["kind"], entry["try"]) for entry in map(json.loads, lines) if "try" in entry]
    assert tries == [("error", 1), ("error", 2), ("reply", 3)]
    server.sent.clear()
    with pytest.raises(CheckFailed, match="the only question to openai:toy failed"):
        evaluate(release, "openai:toy", protocol="blink:tries=2", out=tmp_path / "3", options=options)
